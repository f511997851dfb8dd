/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <string.h>

#include "arch/csr.h"
#include "core/recorder.h"
#include "core/shared_lock.h"

#define MOST_CSRS 64

/* By the name that the monitor uses, which may be a number. */
static struct {
    const char *name;
    uint64_t value;
} csrs[MOST_CSRS];

/* Nothing is recorded unless a test says so. */
const struct recorder *recorder;

/* Nor does another hart wait for the shared lock. */
__attribute__((weak)) bool shared_lock_has_waiting(void)
{
    return false;
}

uint64_t *csr_file_place(const char *name)
{
    int i = 0;

    while (csrs[i].name != NULL && strcmp(csrs[i].name, name) != 0) {
        i++;
        assert(i < MOST_CSRS);
    }
    csrs[i].name = name;
    return &csrs[i].value;
}

uint64_t csr_file_read(const char *name)
{
    return *csr_file_place(name);
}

void csr_file_write(const char *name, uint64_t value)
{
    *csr_file_place(name) = value;
}
