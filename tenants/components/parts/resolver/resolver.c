/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "components/lib/network.h"
#include "generated.h"
#include "hosts.h"

#define PAGE 4096
#define NAME_SIZE 32
#define HOSTS_SIZE 2000
#define PATIENCE_US 5000000
#define KEPT 8
#define KEPT_US 60000000

static BUFFER char page[PAGE] __attribute__((aligned(PAGE)));

static struct {
    char name[NAME_SIZE + 1];
    uint32_t address;
    uint64_t until;
} kept[KEPT];
static uint64_t added;

/* From the process. NETWORK_FAILED: nobody serves it. */
static uint64_t ask(const char *name)
{
    static const char function[16] = "file";
    static const char file[] = "hosts";
    uint64_t words[2];
    struct result size;

    memcpy(words, function, sizeof(words));
    memcpy(page, file, sizeof(file) - 1);
    kernel_call(CALL_TAKE_BACK, 0, 0, 0);
    kernel_call(CALL_LEND, CAPABILITY_TRANSLATOR_CALL, (uintptr_t)page, 0);
    size = translator_call(words[0], words[1], (uintptr_t)page, sizeof(file) - 1, HOSTS_SIZE,
                           PATIENCE_US);
    kernel_call(CALL_TAKE_BACK, 0, 0, 0);
    if (size.error != OK || size.value > HOSTS_SIZE) {
        return NETWORK_FAILED;
    }
    return hosts_find(page, size.value, name);
}

/*
 * The IPv4 address of the name of `length` bytes at `address`, which the caller lends; 0: there is
 * no such host; NETWORK_FAILED: nobody knows. One thread at a time asks.
 */
uint64_t export_find(uint64_t address, uint64_t length)
{
    char name[NAME_SIZE + 1] = {0};
    uint64_t now = timer_now_us().value;
    uint64_t found;

    if (length == 0 || length > NAME_SIZE || !copy_from_lent(page, address, length)) {
        return 0;
    }
    memcpy(name, page, length);
    for (unsigned i = 0; i < KEPT; i++) {
        if (strcmp(kept[i].name, name) == 0 && now < kept[i].until) {
            return kept[i].address;
        }
    }
    found = ask(name);
    if (found != 0 && found != NETWORK_FAILED) {
        unsigned slot = added++ % KEPT;

        memcpy(kept[slot].name, name, sizeof(name));
        kept[slot].address = (uint32_t)found;
        kept[slot].until = now + KEPT_US;
    }
    return found;
}
