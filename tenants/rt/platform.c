/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/platform.h"

#include <stddef.h>

#include "rt/arguments.h"
#include "rt/format.h"
#include "rt/sbi.h"

#define DEFAULT_TIMEBASE_HZ 10000000

struct platform platform;

/* The PLIC context wired to this hart's supervisor external interrupt, by interrupts-extended. */
static uint32_t find_plic_context(const struct fdt *fdt, const struct fdt_node *plic)
{
    char path[64];
    struct fdt_node controller;
    uint32_t own;
    uint32_t phandle;
    uint32_t cause;

    format_text(path, sizeof(path), "/cpus/cpu@%lx/interrupt-controller", platform.hart);
    if (!fdt_find(fdt, path, &controller) || !fdt_cell(fdt, &controller, "phandle", 0, &own)) {
        return 0;
    }
    for (uint32_t context = 0; fdt_cell(fdt, plic, "interrupts-extended", 2 * context, &phandle) &&
                               fdt_cell(fdt, plic, "interrupts-extended", 2 * context + 1, &cause);
         context++) {
        if (phandle == own && cause == CAUSE_INTERRUPT_EXTERNAL) {
            return context;
        }
    }
    return 0;
}

static void read_plic(const struct fdt *fdt)
{
    struct fdt_node node;

    if (!fdt_find_compatible(fdt, "sifive,plic-1.0.0", &node) &&
        !fdt_find_compatible(fdt, "riscv,plic0", &node)) {
        return;
    }
    if (!fdt_reg(fdt, &node, &platform.plic_base, &platform.plic_size)) {
        return;
    }
    fdt_cell(fdt, &node, "riscv,ndev", 0, &platform.plic_sources);
    platform.plic_context = find_plic_context(fdt, &node);
}

static void read_uart(const struct fdt *fdt)
{
    struct fdt_node node;
    uint64_t size;

    if (!fdt_find_compatible(fdt, "ns16550a", &node) ||
        !fdt_reg(fdt, &node, &platform.uart_base, &size)) {
        return;
    }
    fdt_cell(fdt, &node, "reg-shift", 0, &platform.uart_shift);
    fdt_cell(fdt, &node, "interrupts", 0, &platform.uart_source);
}

void platform_init(uint64_t hart, const void *devicetree)
{
    struct fdt *fdt = &platform.fdt;
    struct fdt_node node;
    const char *arguments = NULL;
    uint32_t frequency = 0;

    platform.hart = hart;
    fdt_open(fdt, devicetree);
    if (fdt_find(fdt, "/chosen", &node)) {
        arguments = fdt_text(fdt, &node, "bootargs");
    }
    platform.arguments = arguments != NULL ? arguments : "";
    if (fdt_find(fdt, "/cpus", &node)) {
        fdt_cell(fdt, &node, "timebase-frequency", 0, &frequency);
    }
    platform.timebase_hz = frequency != 0 ? frequency : DEFAULT_TIMEBASE_HZ;
    if (fdt_find(fdt, "/memory", &node)) {
        fdt_reg(fdt, &node, &platform.memory_base, &platform.memory_size);
    }
    read_uart(fdt);
    read_plic(fdt);
}

const char *platform_argument(const char *name)
{
    return argument_find(platform.arguments, name);
}

uint64_t platform_number(const char *name, uint64_t otherwise)
{
    const char *text = platform_argument(name);
    uint64_t value;

    return text != NULL && argument_number(&text, &value) ? value : otherwise;
}

uint64_t platform_nth_number(const char *name, uint64_t skip)
{
    const char *text = platform_argument(name);
    uint64_t value;

    for (uint64_t number = 0; text != NULL && argument_number(&text, &value); number++) {
        if (number == skip) {
            return value;
        }
        if (*text == '\0' || *text++ == ' ') {
            return 0;
        }
    }
    return 0;
}

void platform_word(const char *name, const char *otherwise, char *word, uint32_t size)
{
    const char *text = platform_argument(name);
    uint32_t length = 0;

    if (text == NULL) {
        text = otherwise;
    }
    while (length < size - 1 && *text > ' ') {
        word[length++] = *text++;
    }
    word[length] = '\0';
}

void clock_spin(uint64_t microseconds)
{
    uint64_t end = clock_now() + clock_ticks(microseconds);

    while (clock_now() < end) {
    }
}

void clock_sleep(uint64_t microseconds)
{
    uint64_t end = clock_now() + clock_ticks(microseconds);
    uint64_t enabled = csr_read(sie);
    uint64_t status = csr_read(sstatus);

    interrupts_disable();
    csr_write(sie, enabled | INTERRUPT_TIMER);
    sbi_set_timer(end);
    while (clock_now() < end) {
        wait_for_interrupt();
    }
    sbi_set_timer(UINT64_MAX);
    csr_write(sie, enabled);
    csr_set(sstatus, status & SSTATUS_SIE);
}
