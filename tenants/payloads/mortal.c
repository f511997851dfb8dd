/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lives for a while, with heartbeats, and ends as it is told. Before that it makes a mess of all
 * that it has: memory, timer, interrupts, the UART, the interrupt controller. Each life looks for
 * what the one before has left; nothing may be there.
 *
 * Arguments: life=N   milliseconds (default 50); it ends when the time is a multiple of them
 *            end=WAY  see rt/ending.h
 *            beat=N   milliseconds between heartbeats (default 5)
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/ending.h"
#include "rt/plic.h"
#include "rt/sbi.h"
#include "rt/uart.h"

/* Kept for the device tree, at the end of a tenant's memory. */
#define DEVICETREE_ROOM 0x4000
#define UNTOUCHED 0x1234
#define MARK 0x6d6f7274616c2121
#define PRIORITY 3

const char payload_name[] = "mortal";

static volatile uint64_t initialised = UNTOUCHED;
/* Behind .bss, so that start.S does not clear it: the loader has to. */
extern volatile uint64_t image_end[];

static volatile uint64_t *memory_end(void)
{
    return (volatile uint64_t *)(platform.memory_base + platform.memory_size - DEVICETREE_ROOM);
}

static void look(void)
{
    uint32_t source = platform.uart_source;

    check(initialised == UNTOUCHED, "initialised data kept 0x%lx", initialised);
    for (volatile uint64_t *word = image_end; word < memory_end(); word++) {
        check(*word == 0, "memory at 0x%lx kept 0x%lx", (uint64_t)word, *word);
    }
    check(csr_read(sip) == 0, "interrupts are pending: 0x%lx", csr_read(sip));
    check(uart_read(UART_INTERRUPT_ENABLE) == 0, "the UART's interrupts are on");
    check(*plic_register(plic_priority_offset(source)) == 0, "a source has a priority");
    check(*plic_register(plic_pending_offset(source)) == 0, "a source is pending");
    check(*plic_register(plic_enable_offset(platform.plic_context, source)) == 0,
          "a source is enabled");
    check(*plic_register(plic_threshold_offset(platform.plic_context)) == 0,
          "there is a threshold");
}

/* All interrupts are pending in the end, and one is claimed and never completed. */
static void make_a_mess(void)
{
    uint32_t source = platform.uart_source;

    initialised = MARK;
    for (volatile uint64_t *word = image_end; word < memory_end(); word++) {
        *word = MARK;
    }
    uart_write(UART_INTERRUPT_ENABLE, UART_IER_TRANSMIT_EMPTY | UART_IER_RECEIVED);
    plic_enable(source, PRIORITY);
    check(plic_claim() == source, "no interrupt of the UART");
    plic_set_threshold(PRIORITY - 1);
    sbi_call(SBI_EXT_IPI, SBI_IPI_SEND_IPI, 1, 0, 0);
}

void main(void)
{
    uint64_t life = clock_ticks(platform_number("life", 50) * 1000);
    uint64_t beat = platform_number("beat", 5) * 1000;
    uint64_t end;

    look();
    print("alive\n");
    make_a_mess();
    csr_clear(sip, INTERRUPT_SOFTWARE); /* or it would wake from every sleep at once */
    end = (clock_now() / life + 1) * life;
    while (clock_now() < end) {
        sbi_heartbeat(true);
        clock_sleep(beat);
    }
    sbi_call(SBI_EXT_IPI, SBI_IPI_SEND_IPI, 1, 0, 0);
    sbi_set_timer(0);
    ending_come(life);
}
