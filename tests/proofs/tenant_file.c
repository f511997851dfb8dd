/* SPDX-License-Identifier: BSD-2-Clause */
/* Any file as one that a tenant is restored from: each byte of it is any value at each read. */
#define _GNU_SOURCE
#include "proof.h"

#include "any_frame.h"
#include "linux/cotenantctl/packed.c"
#include "linux/cotenantctl/savefile.c"

#define MOST_BYTES 4096

static uint64_t bytes[MOST_BYTES / sizeof(uint64_t)];
static struct save_header header;

/* The program ends. */
void fail(enum exit_code code, const char *format, ...)
{
    (void)code;
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

void say_progress(const char *what, uint64_t done, uint64_t total)
{
    (void)what;
    (void)done;
    (void)total;
}

int main(void)
{
    save_open("a-file", &header);
    //@ assert header.name[COTENANT_NAME_SIZE - 1] == 0;
    //@ assert header.state_size <= COTENANT_CONTROL_MOST_DATA;
    save_check(&header);
    if (save_zeros() != 0) {
        save_skip_zeros(any_up_to((uint32_t)save_zeros()));
    }
    save_get(bytes, any_up_to(MOST_BYTES));
    return 0;
}
