/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves the virtual 16550 with its interrupts: checks the registers that drivers rely on, then
 * echoes whatever is typed, driven by receive and transmit interrupts through the PLIC.
 *
 * Arguments: count=N    ends after N bytes; without it, at a Ctrl-D
 *            source=N   of the UART's interrupt, whatever the device tree says
 *
 * At the end it prints the number of bytes and a checksum (FNV-1a, 32 bits) of what it received.
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/plic.h"
#include "rt/trap.h"
#include "rt/uart.h"

#define END_OF_TEXT 0x04
#define PRIORITY 1
/* A power of two. */
#define RING_SIZE 4096

const char payload_name[] = "uart-echo";

/* Received and not yet sent; positions count on for ever. */
static uint8_t ring[RING_SIZE];
static volatile uint64_t received;
static volatile uint64_t sent;
static volatile uint64_t transmit_interrupts;
static volatile uint64_t receive_interrupts;
static volatile uint64_t overruns;
static volatile uint32_t checksum = 2166136261;
static volatile bool is_finished;
static uint64_t count;

static void receive(void)
{
    uint8_t status = uart_read(UART_LINE_STATUS);

    while ((status & UART_LSR_READY) != 0 && received - sent < RING_SIZE && !is_finished) {
        uint8_t byte = uart_read(UART_DATA);

        overruns += (status & UART_LSR_OVERRUN) != 0;
        if (byte == END_OF_TEXT && count == 0) {
            is_finished = true;
            return;
        }
        ring[received++ % RING_SIZE] = byte;
        checksum = (checksum ^ byte) * 16777619;
        is_finished = received == count;
        status = uart_read(UART_LINE_STATUS);
    }
}

/* Refills the transmitter, which is empty; asks for its interrupt while there is more to send. */
static void transmit(void)
{
    while (sent < received && (uart_read(UART_LINE_STATUS) & UART_LSR_TRANSMIT_EMPTY) != 0) {
        uart_write(UART_DATA, ring[sent % RING_SIZE]);
        sent++;
    }
    uart_write(UART_INTERRUPT_ENABLE,
               (uint8_t)(UART_IER_RECEIVED | (sent < received ? UART_IER_TRANSMIT_EMPTY : 0)));
}

static void on_uart(void)
{
    uint8_t reason = uart_read(UART_INTERRUPT_ID) & UART_IIR_MASK;

    if (reason == UART_IIR_TRANSMIT_EMPTY) {
        transmit_interrupts++;
    } else if (reason == UART_IIR_RECEIVED || reason == UART_IIR_TIMEOUT) {
        receive_interrupts++;
    }
    receive();
    transmit();
}

static void on_external(void)
{
    uint32_t source = plic_claim();

    if (source == platform.uart_source) {
        on_uart();
    }
    if (source != 0) {
        plic_complete(source);
    }
}

static void test_registers(void)
{
    uint8_t value;

    for (unsigned i = 0; i < 256; i++) {
        uart_write(UART_SCRATCH, (uint8_t)i);
        value = uart_read(UART_SCRATCH);
        check(value == i, "scratch register: 0x%x, written 0x%x", value, i);
    }
    uart_write(UART_LINE_CONTROL, UART_LCR_DLAB | UART_LCR_8N1);
    uart_write(UART_DIVISOR_LOW, 0x34);
    uart_write(UART_DIVISOR_HIGH, 0x12);
    check(uart_read(UART_DIVISOR_LOW) == 0x34 && uart_read(UART_DIVISOR_HIGH) == 0x12,
          "the divisor does not keep its value");
    uart_write(UART_DIVISOR_LOW, 1);
    uart_write(UART_DIVISOR_HIGH, 0);
    uart_init();
    check(uart_read(UART_LINE_CONTROL) == UART_LCR_8N1, "line control: 0x%x",
          uart_read(UART_LINE_CONTROL));
    value = uart_read(UART_LINE_STATUS);
    check((value & (UART_LSR_TRANSMIT_EMPTY | UART_LSR_IDLE)) ==
              (UART_LSR_TRANSMIT_EMPTY | UART_LSR_IDLE),
          "line status after reset of the FIFOs: 0x%x", value);
    value = uart_read(UART_INTERRUPT_ID);
    check((value & UART_IIR_FIFOS) == UART_IIR_FIFOS, "FIFOs are off: IIR 0x%x", value);
    check((value & UART_IIR_MASK) == UART_IIR_NONE, "an interrupt without a reason: IIR 0x%x",
          value);
}

/* In loopback, what is sent is received and does not go out. Optional: some models lack it. */
static bool has_loopback(void)
{
    uint8_t byte = 0;
    bool looped;

    uart_write(UART_MODEM_CONTROL, UART_MCR_DTR_RTS_OUT2 | UART_MCR_LOOPBACK);
    uart_write(UART_DATA, 'L');
    clock_spin(1000);
    looped = uart_get(&byte) && byte == 'L';
    uart_init();
    return looped;
}

/* Enabling the transmit interrupt while the transmitter is empty raises it at once. */
static void test_transmit_interrupt(void)
{
    uint64_t limit = clock_now() + clock_ticks(2000000);

    uart_write(UART_INTERRUPT_ENABLE, UART_IER_TRANSMIT_EMPTY);
    while (transmit_interrupts == 0) {
        check(clock_now() < limit || transmit_interrupts != 0, "no transmit interrupt");
    }
    check(transmit_interrupts == 1, "%lu transmit interrupts for one reason", transmit_interrupts);
}

/* A driver reads what it has enabled before it enables something else. */
static void test_enable_bits(void)
{
    volatile uint32_t *enable =
        plic_register(plic_enable_offset(platform.plic_context, platform.uart_source));
    uint32_t bit = 1u << platform.uart_source % 32;

    check((*enable & bit) != 0, "source %u is not seen enabled", platform.uart_source);
    *enable &= ~bit;
    check((*enable & bit) == 0, "source %u is seen enabled", platform.uart_source);
    *enable |= bit;
    *enable |= 0;
    check((*enable & bit) != 0, "source %u does not stay enabled", platform.uart_source);
}

static void echo(void)
{
    while (!is_finished || sent < received) {
        interrupts_disable();
        if (!is_finished || sent < received) {
            wait_for_interrupt();
        }
        interrupts_enable();
    }
}

void main(void)
{
    count = platform_number("count", 0);
    platform.uart_source = (uint32_t)platform_number("source", platform.uart_source);
    check(platform.uart_base != 0 && platform.plic_base != 0, "no UART or no PLIC");
    test_registers();
    print("uart-echo: loopback=%s\n", has_loopback() ? "yes" : "no");

    trap_set_handler(CAUSE_INTERRUPT_EXTERNAL, on_external);
    plic_set_threshold(0);
    plic_enable(platform.uart_source, PRIORITY);
    test_enable_bits();
    csr_write(sie, INTERRUPT_EXTERNAL);
    interrupts_enable();
    test_transmit_interrupt();
    uart_write(UART_INTERRUPT_ENABLE, UART_IER_RECEIVED);
    print("uart-echo: ready\n");
    echo();
    interrupts_disable();
    print("\nuart-echo: bytes=%lu checksum=0x%08x receive-interrupts=%lu transmit-interrupts=%lu "
          "overruns=%lu\n",
          received, checksum, receive_interrupts, transmit_interrupts, overruns);
    check(overruns == 0, "%lu overruns", overruns);
    check_pass();
}
