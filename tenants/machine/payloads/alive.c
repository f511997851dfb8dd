/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Feeds the watchdog of its device tree for a while, and hangs. On a machine that has none it says
 * so, and ends.
 */
#include "machine/machine.h"
#include "rt/console.h"
#include "rt/platform.h"

/* Registers of Allwinner's A31, as Linux' sunxi_wdt drives them. */
#define CONTROL 0x10
#define MODE 0x18
#define RELOAD (0xa57 << 1 | 1)
#define ENABLE 0x1
#define MEALS 10
#define PERIOD (TIMEBASE_HZ / 200)

void machine_trap(uint64_t *registers, uint64_t entry)
{
    (void)registers;
    print("FAIL alive: entry %lu, mcause=0x%lx mtval=0x%lx\n", entry, CSR_READ(mcause),
          CSR_READ(mtval));
    REGISTER32(FINISHER) = FINISHER_FAIL;
    for (;;) {
    }
}

static _Alignas(16) uint8_t handler_stack[4096];

void main(void)
{
    struct fdt_node node;
    uint64_t base;
    uint64_t size;

    CSR_WRITE(mtvec, machine_direct);
    CSR_WRITE(mscratch, handler_stack + sizeof(handler_stack));
    if (!fdt_find_compatible(&platform.fdt, "allwinner,sun6i-a31-wdt", &node) ||
        !fdt_reg(&platform.fdt, &node, &base, &size)) {
        print("there is no watchdog\n");
        return;
    }
    REGISTER32(base + MODE) = ENABLE;
    print("alive, mode %u, timer %d\n", REGISTER32(base + MODE),
          REGISTER64(MTIMECMP) == UINT64_MAX && REGISTER64(MTIME) != 0);
    for (unsigned i = 0; i < MEALS; i++) {
        uint64_t until = REGISTER64(MTIME) + PERIOD;

        while (REGISTER64(MTIME) < until) {
        }
        REGISTER32(base + CONTROL) = RELOAD;
    }
    print("silent\n");
    for (;;) {
    }
}
