/* SPDX-License-Identifier: BSD-2-Clause */
/* Loads of a device's first register, which no driver has. */
#include "bench.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE_SIZE 4096UL

static const volatile uint32_t *device;

static void load(unsigned rounds)
{
    while (rounds-- > 0)
        (void)*device;
}

void measure_device(const char *address, unsigned rounds)
{
    int memory = open("/dev/mem", O_RDWR | O_SYNC);
    void *page;

    if (memory < 0)
        give_up("/dev/mem");
    page = mmap(NULL, PAGE_SIZE, PROT_READ, MAP_SHARED, memory, strtol(address, NULL, 0));
    if (page == MAP_FAILED)
        give_up("cannot map the device");
    close(memory);
    device = page;
    measure("device", load, rounds);
}
