/* SPDX-License-Identifier: BSD-2-Clause */
/* Any file as one that a guest is restored from: each byte of it is any value at each read. */
#include "proof.h"

#include "any_frame.h"
#include "linux/cohost/savefile.c"
#include "linux/cotenantctl/packed.c"

#define MOST_BYTES 64

struct memory memory;
static uint64_t bytes[COTENANT_HOSTED_MAX_RANGES][MOST_BYTES / sizeof(uint64_t)];
static struct saved_guest saved;
static struct host_tree host;
static struct ns16550 port;
static uint8_t property[MOST_BYTES];
static char path[] = "a-file";

/* The program ends. */
void fail_start(const char *format, ...)
{
    (void)format;
    for (;;) {
    }
}

void fail_errno(const char *what, const char *name)
{
    (void)what;
    (void)name;
    for (;;) {
    }
}

bool running_name_is_good(const char *name)
{
    return strlen(name) != 0 && any_bool();
}

const void *host_tree_property(const struct host_tree *of, int node, const char *name, int *length)
{
    (void)of;
    (void)node;
    (void)name;
    if (any_bool()) {
        *length = 0;
        return NULL;
    }
    *length = (int)any_up_to(MOST_BYTES);
    return property;
}

unsigned virtio_list(struct virtio_kind *kinds)
{
    Frama_C_make_unknown((char *)kinds, BUS_MOST_DEVICES * sizeof(*kinds));
    return any_up_to(BUS_MOST_DEVICES);
}

struct ns16550 *console_port(void)
{
    return &port;
}

void ns16550_restore(struct ns16550 *uart, const struct ns16550_state *state)
{
    uart->enabled = state->received[NS16550_FIFO - 1];
}

uint8_t *memory_range(unsigned number)
{
    //@ assert number < COTENANT_HOSTED_MAX_RANGES;
    return (uint8_t *)bytes[number];
}

void clearing_written(uint64_t address, uint64_t size)
{
    (void)address;
    (void)size;
}

/* What the rest of the program relies on. */
static void use(void)
{
    //@ assert 1 <= saved.range_count <= COTENANT_HOSTED_MAX_RANGES;
    //@ assert saved.device_count <= BUS_MOST_DEVICES;
    //@ assert saved.vhart < COTENANT_HOSTED_SLOT_PAGES;
    for (uint32_t i = 0; i < saved.range_count; i++) {
        //@ assert saved.ranges[i].address + saved.ranges[i].size <= UINT64_MAX;
    }
    save_check_machine(&saved, &host);
    save_check_devices(&saved);
    memory.count = any_up_to(COTENANT_HOSTED_MAX_RANGES);
    for (unsigned i = 0; i < COTENANT_HOSTED_MAX_RANGES; i++) {
        memory.ranges[i].size = any_up_to(MOST_BYTES);
    }
    (void)save_load(&saved);
}

int main(void)
{
    MAKE_ANY(property);
    MAKE_ANY(host);
    save_open(path, &saved);
    use();
    return 0;
}
