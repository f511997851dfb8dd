/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the machine that is no memory of Linux, and what a server of other tenants needs. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "machine.h"
#include "say.h"

#define MEMORY "/dev/mem"
#define PORT_PATH_SIZE 128

/* Without O_SYNC: it is memory, and is cached as such. */
uint8_t *machine_map_memory(void *place, uint64_t address, uint64_t size)
{
    int file = open(MEMORY, O_RDWR | O_CLOEXEC), fixed = place == NULL ? 0 : MAP_FIXED;
    void *bytes;

    if (file < 0) {
        fail_errno("open", MEMORY);
    }
    bytes = mmap(place, size, PROT_READ | PROT_WRITE, MAP_SHARED | fixed, file, (off_t)address);
    if (bytes == MAP_FAILED) {
        fail_errno("map memory by", MEMORY);
    }
    close(file);
    return bytes;
}

int machine_open_port(const char *name)
{
    char path[PORT_PATH_SIZE];

    snprintf(path, sizeof(path), "/dev/virtio-ports/%s", name);
    return open(path, O_RDWR | O_CLOEXEC);
}
