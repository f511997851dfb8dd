/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that a member of a group finds devices and hart in the agreed state (docs/switching.md)
 * whatever the one before left there: at its start and after each suspend it looks, then it leaves
 * as much behind as it can, tries suspends that have to be refused, and suspends. All members of
 * the group are this payload. It wants an entropy device and the clock. Arguments: rounds=N (10);
 * line=own: its UART is a real one, which they share as well.
 */
#include "rt/check.h"
#include "rt/goldfish_rtc.h"
#include "rt/platform.h"
#include "rt/plic.h"
#include "rt/sbi.h"
#include "rt/suspend.h"
#include "rt/trap.h"
#include "rt/uart.h"
#include "rt/virtio_mmio.h"

#define ALARM_NS 1000000
#define LONGER_THAN_THE_ALARM_US 3000
#define DEVICE_MOST_US 1000000
#define BUFFERS 4
#define BUFFER_SIZE 64

#define VIRTIO_QUEUE_SELECT 0x30
#define VIRTIO_QUEUE_READY 0x44
#define VIRTIO_INTERRUPT_STATUS 0x60
#define VIRTIO_STATUS 0x70
#define RTC_INTERRUPT_ENABLE 0x10
#define RTC_ALARM_STATUS 0x18

/* Of a 16550 whose clock is 3.6864 MHz, at 115,200 baud. */
#define DIVISOR 2

#define INTERRUPTS_ALL (INTERRUPT_SOFTWARE | INTERRUPT_TIMER | INTERRUPT_EXTERNAL)

const char payload_name[] = "switch-dirty";

static struct virtio_device entropy;
static struct virtio_queue requests;
static struct goldfish_rtc rtc;
static uint8_t buffers[BUFFERS][BUFFER_SIZE];
static bool has_line;

static uint32_t device_register(uint64_t base, uint32_t offset)
{
    return *(volatile uint32_t *)(base + offset);
}

static bool is_pending(uint32_t source)
{
    return (*plic_register(plic_pending_offset(source)) >> source % 32 & 1) != 0;
}

static void check_source(uint64_t round, const char *name, uint32_t source)
{
    check(!is_pending(source), "round %lu: the %s interrupt is pending", round, name);
    check(*plic_register(plic_priority_offset(source)) == 0, "round %lu: the %s has a priority",
          round, name);
}

static void check_devices(uint64_t round)
{
    check(device_register(entropy.base, VIRTIO_STATUS) == 0, "round %lu: virtio status is not 0",
          round);
    check(device_register(entropy.base, VIRTIO_INTERRUPT_STATUS) == 0,
          "round %lu: the virtio device interrupts", round);
    *(volatile uint32_t *)(entropy.base + VIRTIO_QUEUE_SELECT) = 0;
    check(device_register(entropy.base, VIRTIO_QUEUE_READY) == 0,
          "round %lu: the virtio device has a queue", round);
    check(device_register(rtc.base, RTC_INTERRUPT_ENABLE) == 0,
          "round %lu: the clock may interrupt", round);
    check(device_register(rtc.base, RTC_ALARM_STATUS) == 0, "round %lu: an alarm is set", round);
}

static void set_divisor_access(bool on)
{
    uart_write(UART_LINE_CONTROL, on ? UART_LCR_DLAB : 0);
}

static void check_line(uint64_t round)
{
    static const struct {
        uint8_t number;
        uint8_t value;
    } expected[] = {
        {UART_INTERRUPT_ENABLE, 0}, {UART_INTERRUPT_ID, UART_IIR_NONE},
        {UART_LINE_CONTROL, 0},     {UART_MODEM_CONTROL, 0},
        {UART_SCRATCH, 0},
    };

    for (unsigned i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        uint8_t value = uart_read(expected[i].number);

        check(value == expected[i].value, "round %lu: the UART's register %u is 0x%x", round,
              expected[i].number, value);
    }
    check((uart_read(UART_LINE_STATUS) & (UART_LSR_READY | UART_LSR_OVERRUN)) == 0,
          "round %lu: the UART has received something", round);
    set_divisor_access(true);
    check(uart_read(UART_DIVISOR_LOW) == DIVISOR && uart_read(UART_DIVISOR_HIGH) == 0,
          "round %lu: the UART's divisor is another one", round);
    set_divisor_access(false);
    check_source(round, "UART", platform.uart_source);
}

static void check_plic(uint64_t round)
{
    check_source(round, "virtio", entropy.source);
    check_source(round, "clock", rtc.source);
    for (uint32_t source = 0; source <= platform.plic_sources; source += 32) {
        check(*plic_register(plic_enable_offset(platform.plic_context, source)) == 0,
              "round %lu: source %u or a later one is enabled", round, source);
    }
    check(*plic_register(plic_threshold_offset(platform.plic_context)) == 0,
          "round %lu: the threshold is not 0", round);
    check(plic_claim() == 0, "round %lu: something can be claimed", round);
}

static void check_hart(uint64_t round)
{
    check(csr_read(sie) == 0, "round %lu: sie is 0x%lx", round, csr_read(sie));
    check((csr_read(sip) & INTERRUPTS_ALL) == 0, "round %lu: sip is 0x%lx", round, csr_read(sip));
}

/* Everything is as agreed, and the alarm of the one before does not come. */
static void check_all(uint64_t round)
{
    check_hart(round);
    check_plic(round);
    check_devices(round);
    if (has_line && round > 0) { /* at first it is as the machine's reset left it */
        check_line(round);
    }
    clock_spin(LONGER_THAN_THE_ALARM_US);
    check_hart(round);
    check_plic(round);
}

static void wait_until_pending(uint32_t source)
{
    uint64_t end = clock_now() + clock_ticks(DEVICE_MOST_US);

    while (!is_pending(source)) {
        check(clock_now() < end, "source %u does not interrupt", source);
    }
}

/* It receives what it sends: more than it has room for. */
static void make_line_dirty(void)
{
    set_divisor_access(true);
    uart_write(UART_DIVISOR_LOW, 0x34);
    uart_write(UART_DIVISOR_HIGH, 0x12);
    set_divisor_access(false);
    uart_init();
    uart_write(UART_MODEM_CONTROL, UART_MCR_LOOPBACK | UART_MCR_DTR_RTS_OUT2);
    uart_write(UART_INTERRUPT_ENABLE, UART_IER_RECEIVED | UART_IER_TRANSMIT_EMPTY);
    uart_write(UART_SCRATCH, 0xa5);
    for (unsigned i = 0; i < 20; i++) {
        uart_put('x');
    }
    wait_until_pending(platform.uart_source);
    uart_write(UART_LINE_CONTROL, UART_LCR_DLAB);
}

static void make_dirty(void)
{
    trap_init();
    for (uint32_t source = 1; source <= platform.plic_sources; source++) {
        plic_enable(source, 7);
    }
    check(virtio_start(&entropy, &requests, 1, 0), "the entropy device does not start");
    for (unsigned i = 0; i < BUFFERS; i++) {
        check(virtio_request(&entropy, &requests, buffers[i], BUFFER_SIZE, false) >= 0,
              "the queue is full");
        virtio_notify(&entropy, &requests);
    }
    wait_until_pending(entropy.source);
    check(plic_claim() == entropy.source, "another source comes first"); /* never completed */
    goldfish_rtc_set_alarm(&rtc, goldfish_rtc_now(&rtc));
    wait_until_pending(rtc.source);
    goldfish_rtc_set_alarm(&rtc, goldfish_rtc_now(&rtc) + ALARM_NS);
    if (has_line) {
        make_line_dirty();
    }
    plic_set_threshold(5);
    csr_write(scounteren, 0);
    csr_write(sscratch, UINT64_MAX);
    csr_write(sie, INTERRUPTS_ALL);
    csr_set(sip, INTERRUPT_SOFTWARE);
    sbi_set_timer(clock_now());
}

static void refuse(uint64_t type, uint64_t address, int64_t error)
{
    struct sbi_result result = sbi_call(SBI_EXT_SUSP, SBI_SUSP_SYSTEM_SUSPEND, type, address, 0);

    check(result.error == error, "type 0x%lx, address 0x%lx: error %ld, expected %ld", type,
          address, result.error, error);
}

void main(void)
{
    uint64_t rounds = platform_number("rounds", 10);
    struct suspend_result result;

    interrupts_disable();
    check(virtio_find(&entropy, VIRTIO_ID_ENTROPY), "there is no entropy device");
    check(goldfish_rtc_find(&rtc), "there is no clock");
    has_line = platform_argument("line") != NULL;
    check_all(0);
    for (uint64_t round = 1; round <= rounds; round++) {
        make_dirty();
        refuse(1, platform.memory_base, SBI_ERR_INVALID_PARAM);
        refuse(0, platform.memory_base + platform.memory_size, SBI_ERR_INVALID_ADDRESS);
        suspend(SBI_EXT_SUSP, SBI_SUSP_SYSTEM_SUSPEND, SBI_SUSP_TO_RAM, &result);
        check(result.resumed == 1 && result.hart == platform.hart && result.satp == 0 &&
                  (result.sstatus & SSTATUS_SIE) == 0 && result.scounteren == 7,
              "round %lu: error %ld, hart %lu, satp 0x%lx, sstatus 0x%lx, scounteren 0x%lx", round,
              result.error, result.hart, result.satp, result.sstatus, result.scounteren);
        check_all(round);
    }
    check_pass();
}
