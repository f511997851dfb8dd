/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interrupts from a hart to itself. The kernel sends one when it must leave a context in which it
 * cannot wake anybody up: here, that a performance event (a page fault, counted in software) has
 * put a record into its buffer.
 */
#include "bench.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE_SIZE 4096UL
#define BUFFER_SIZE (5 * PAGE_SIZE) /* the control page and a power of two */
#define LINE_SIZE 512

static int event;

static void fault_with_event(unsigned rounds)
{
    size_t size = rounds * PAGE_SIZE;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED || madvise(memory, size, MADV_NOHUGEPAGE) != 0)
        give_up("mmap");
    if (ioctl(event, PERF_EVENT_IOC_ENABLE, 0) != 0)
        give_up("cannot enable the event");
    for (size_t offset = 0; offset < size; offset += PAGE_SIZE)
        memory[offset] = 1;
    if (ioctl(event, PERF_EVENT_IOC_DISABLE, 0) != 0)
        give_up("cannot disable the event");
    munmap(memory, size);
}

static void open_event(void)
{
    struct perf_event_attr attributes;

    memset(&attributes, 0, sizeof(attributes));
    attributes.type = PERF_TYPE_SOFTWARE;
    attributes.size = sizeof(attributes);
    attributes.config = PERF_COUNT_SW_PAGE_FAULTS;
    attributes.sample_period = 1;
    attributes.wakeup_events = 1;
    attributes.disabled = 1;
    event = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
    if (event < 0)
        give_up("perf_event_open");
}

/* The first hart's column of the line of /proc/interrupts that counts these interrupts. */
static unsigned long interrupts(void)
{
    FILE *file = fopen("/proc/interrupts", "r");
    char line[LINE_SIZE];
    unsigned long found = 0;

    if (!file)
        give_up("/proc/interrupts");
    while (fgets(line, sizeof(line), file)) {
        if (strstr(line, "IRQ work interrupts"))
            sscanf(line, " %*[^:]: %lu", &found);
    }
    fclose(file);
    return found;
}

void measure_interrupts(unsigned scale)
{
    unsigned rounds = 500 * scale;
    unsigned long before;
    void *buffer;

    open_event();
    /* Mapped without PROT_WRITE the buffer goes round and never fills up. */
    buffer = mmap(NULL, BUFFER_SIZE, PROT_READ, MAP_SHARED, event, 0);
    if (buffer == MAP_FAILED)
        give_up("cannot map the event's buffer");
    before = interrupts();
    measure("self_ipi", fault_with_event, rounds);
    errno = ENOMSG;
    if (interrupts() - before < rounds)
        give_up("too few interrupts from the hart to itself");
    munmap(buffer, BUFFER_SIZE);
    close(event);
}
