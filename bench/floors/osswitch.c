// SPDX-License-Identifier: BSD-2-Clause
/*
 * Lets one member suspend and the other resume, by osswitch.S, and looks what that one finds. The
 * one leaves everything in use: each register, a claim of the clock's interrupt, a virtio device
 * that has a driver, input in its UART.
 */
#include <stddef.h>

#include "arch/mmio.h"
#include "board.h"
#include "osswitch.h"
#include "print.h"

#define RTC_ALARM_LOW 0x08
#define RTC_ALARM_HIGH 0x0c
#define VIRTIO_DRIVER 3
#define ROUNDS 6
#define MTVEC_VECTORED 1
#define PMP_OPEN (PMP_MODE_NAPOT | PMP_RIGHTS)
#define PMP_SECOND(rights) ((uint64_t)(PMP_MODE_NAPOT | (rights)) << 8)
#define MSTATUS_WORLD (MSTATUS_MPP_S | MSTATUS_SXL_UXL_64 | MSTATUS_FS_INITIAL)
#define DELEGATED_ONE EXCEPTIONS_DELEGATED
#define DELEGATED_TWO (EXCEPTIONS_DELEGATED & ~EXCEPTION_ILLEGAL_INSTRUCTION)

enum { T0 = 5, T1 = 6, A0 = 10, A1 = 11, A2 = 12 };

static struct {
    struct world worlds[3];
    struct uart uarts[2];
} group __attribute__((aligned(64)));
static struct world *const one = &group.worlds[0];
static struct world *const two = &group.worlds[1];
static struct world *const seen = &group.worlds[2];
static struct world of_one, of_two; /* what their registers hold */

static uint32_t raise_alarm_and_claim(void)
{
    mmio_write32(PLIC + RTC_SOURCE * 4, 3);
    mmio_write32(PLIC_ENABLES + PLIC_ENABLE_S, 1 << VIRTIO_SOURCE | 1 << RTC_SOURCE);
    mmio_write32(RTC + RTC_IRQ_ENABLED, 1);
    mmio_write32(RTC + RTC_ALARM_HIGH, 0);
    mmio_write32(RTC + RTC_ALARM_LOW, 0);
    return mmio_read32(PLIC_THRESHOLD_S + PLIC_CLAIM);
}

static void use_devices(void)
{
    check("one", "claim", raise_alarm_and_claim(), RTC_SOURCE);
    mmio_write32(PLIC + VIRTIO_SOURCE * 4, 2);
    mmio_write32(PLIC_THRESHOLD_S, 1);
    mmio_write32(VIRTIO + VIRTIO_STATUS, VIRTIO_DRIVER);
    check("one", "virtio status", mmio_read32(VIRTIO + VIRTIO_STATUS), VIRTIO_DRIVER);
    group.uarts[0] = (struct uart){{3, 2}, {1, 5}, ~0ul, 0xff, 7};
    group.uarts[1] = (struct uart){.status = UART_READY_AND_CLOSED};
}

static void use_registers(uint64_t round)
{
    for (unsigned i = 0; i < 32; i++) {
        of_one.x[i] = 0x100000 * (round + 1) + i;
        of_one.f[i] = 0x1000 + i;
        of_two.x[i] = 0x2200000 * (round + 1) + i;
    }
    of_two.x[T0] = MSIP;
    of_two.x[T1] = 1;
    *one = (struct world){0};
    *two = of_two;
    two->x[0] = (uint64_t)two_resumes;
    two->mstatus = MSTATUS_WORLD;
    two->medeleg = DELEGATED_TWO;
    two->pmpcfg0 = PMP_OPEN | PMP_SECOND(PMP_READ | PMP_WRITE);
    CSR_WRITE(stvec, 0x100);
    CSR_WRITE(sscratch, 1);
    CSR_WRITE(sepc, 8);
    CSR_WRITE(scause, 13);
    CSR_WRITE(stval, 12);
    CSR_WRITE(0x10a, 1); /* senvcfg */
    CSR_WRITE(scounteren, 1);
    CSR_WRITE(mie, INTERRUPTS_MACHINE | INTERRUPT_SSI);
    CSR_WRITE(mip, INTERRUPT_SSI | INTERRUPT_STI);
    CSR_WRITE(medeleg, DELEGATED_ONE);
    CSR_WRITE(pmpcfg0, PMP_OPEN | PMP_SECOND(PMP_READ));
    CSR_WRITE(mstatus, MSTATUS_WORLD);
    CSR_WRITE(mepc, one_begins);
}

static void check_devices(void)
{
    static const struct uart reset = {
        .registers = (uint64_t)MODEM_READY_SHIFTED_DOWN << MODEM_SHIFT,
        .status = UART_READY_AND_CLOSED,
    };
    const uint64_t *uart = (const uint64_t *)&group.uarts[0];

    check("two", "virtio status", mmio_read32(VIRTIO + VIRTIO_STATUS), 0);
    check("two", "clock's interrupt", mmio_read32(RTC + RTC_IRQ_ENABLED), 0);
    check("two", "virtio priority", mmio_read32(PLIC + VIRTIO_SOURCE * 4), 0);
    check("two", "clock's priority", mmio_read32(PLIC + RTC_SOURCE * 4), 0);
    check("two", "enables", mmio_read32(PLIC_ENABLES + PLIC_ENABLE_S), 0);
    check("two", "threshold", mmio_read32(PLIC_THRESHOLD_S), 0);
    check("two", "pending", mmio_read32(PLIC_PENDING), 0);
    check("two", "claim", raise_alarm_and_claim(), RTC_SOURCE);
    mmio_write32(RTC + RTC_CLEAR_INTERRUPT, 1);
    mmio_write32(PLIC_THRESHOLD_S + PLIC_CLAIM, RTC_SOURCE);
    for (unsigned i = 0; i < UART_SIZE / 8; i++) {
        check_nth("one", "UART, word ", i, uart[i], ((const uint64_t *)&reset)[i]);
    }
    check("two", "UART's status", group.uarts[1].status, 0x100);
}

static void check_registers(void)
{
    of_two.x[A0] = 0;
    of_two.x[A1] = of_two.x[A2];
    check("one", "pc", one->x[0], of_one.x[A1]);
    check("two", "pc", seen->x[0], (uint64_t)two_stays);
    for (unsigned i = 1; i < 32; i++) {
        check_nth("one", "x", i, one->x[i], of_one.x[i]);
        check_nth("two", "x", i, seen->x[i], of_two.x[i]);
    }
    for (unsigned i = 0; i < 32; i++) {
        check_nth("two", "f", i, seen->f[i], 0);
    }
    check("two", "fcsr", seen->fcsr, 0);
}

static void check_csrs(void)
{
    check("two", "mstatus", seen->mstatus & MSTATUS_MPP, MSTATUS_MPP_S);
    check("two", "stvec", CSR_READ(stvec), 0);
    check("two", "sscratch", CSR_READ(sscratch), 0);
    check("two", "sepc", CSR_READ(sepc), 0);
    check("two", "scause", CSR_READ(scause), 0);
    check("two", "stval", CSR_READ(stval), 0);
    check("two", "senvcfg", CSR_READ(0x10a), 0);
    check("two", "scounteren", CSR_READ(scounteren), COUNTERS_BASIC);
    check("two", "satp", CSR_READ(satp), 0);
    check("two", "mie", CSR_READ(mie), INTERRUPTS_MACHINE);
    check("two", "mip", CSR_READ(mip) & INTERRUPTS_SUPERVISOR, 0);
    check("two", "medeleg", CSR_READ(medeleg), DELEGATED_TWO);
    check("two", "pmpcfg0", CSR_READ(pmpcfg0), two->pmpcfg0);
    check("two", "timer", *(volatile uint64_t *)MTIMECMP, UINT64_MAX);
}

static void measure(uint64_t round)
{
    of_one.fcsr = 0x21;
    use_devices();
    use_registers(round);
    *(volatile uint64_t *)MTIMECMP = UINT64_MAX - 1;
    floor_go(floor_enter, &of_one);
    *(volatile uint32_t *)MSIP = 0;
    check_registers();
    check_csrs();
    check_devices();
}

void main(void)
{
    CSR_WRITE(mtvec, (uint64_t)os_switch | MTVEC_VECTORED);
    CSR_WRITE(mscratch, two);
    CSR_WRITE(mideleg, INTERRUPTS_SUPERVISOR);
    CSR_WRITE(pmpaddr0, UINT64_MAX);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        measure(round);
    }
    print_checked("os_switch");
    print_end();
}
