/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that the firmware takes for what a kernel asks of it most often. The same program
 * runs on any SBI firmware; what is measured is what the kernel loses, from the instruction that
 * asks to the first one that has the answer, that instruction included.
 *
 * Arguments: devices=1   also the virtual UART and its interrupt, which only Cotenant emulates, an
 *                        entropy device if there is one, and
 *                        the end of an interrupt of the clock, which the tenant owns then
 */
#include <stdbool.h>

#include "bench/samples.h"
#include "bench/sv57.h"
#include "rt/goldfish_rtc.h"
#include "rt/plic.h"
#include "rt/sbi.h"
#include "rt/uart.h"
#include "rt/virtio_mmio.h"

/* Instructions of one round of AWAIT. */
#define AWAIT_LENGTH 4
/* Waits until a bit of sip is set, counting the rounds. */
#define AWAIT                                                                                      \
    "1: addi %[rounds], %[rounds], 1\n"                                                            \
    "csrr %[scratch], sip\n"                                                                       \
    "and %[scratch], %[scratch], %[bit]\n"                                                         \
    "beqz %[scratch], 1b\n"

#define TIMER_DELAY_TICKS 50

static uint64_t overhead;
static struct goldfish_rtc rtc;

/* A call with at most four arguments; with a bit of sip, until that is seen set. */
#define VIRTIO_QUEUE_NOTIFY 0x50
#define VIRTIO_INTERRUPT_STATUS 0x60
#define VIRTIO_INTERRUPT_ACKNOWLEDGE 0x64

static struct virtio_device entropy;
static struct virtio_queue requests;

static uint64_t measure_call(uint64_t extension, uint64_t function, const uint64_t arguments[4],
                             uint64_t bit)
{
    register uint64_t a0 __asm__("a0") = arguments[0];
    register uint64_t a1 __asm__("a1") = arguments[1];
    register uint64_t a2 __asm__("a2") = arguments[2];
    register uint64_t a3 __asm__("a3") = arguments[3];
    register uint64_t a6 __asm__("a6") = function;
    register uint64_t a7 __asm__("a7") = extension;
    uint64_t rounds = 0;
    uint64_t scratch;
    uint64_t start;
    uint64_t end;

    if (bit == 0) {
        __asm__ volatile("csrr %[start], cycle\n"
                         "ecall\n"
                         "csrr %[end], cycle\n"
                         : [start] "=&r"(start), [end] "=&r"(end), "+r"(a0), "+r"(a1)
                         : "r"(a2), "r"(a3), "r"(a6), "r"(a7)
                         : "memory");
    } else {
        __asm__ volatile("csrr %[start], cycle\n"
                         "ecall\n" AWAIT "csrr %[end], cycle\n"
                         : [start] "=&r"(start), [end] "=&r"(end), [rounds] "+&r"(rounds),
                           [scratch] "=&r"(scratch), "+r"(a0), "+r"(a1)
                         : [bit] "r"(bit), "r"(a2), "r"(a3), "r"(a6), "r"(a7)
                         : "memory");
    }
    return end - start - overhead - AWAIT_LENGTH * rounds;
}

static uint64_t measure_set_timer(void)
{
    const uint64_t arguments[4] = {clock_now() + platform.timebase_hz};

    return measure_call(SBI_EXT_TIME, SBI_TIME_SET_TIMER, arguments, 0);
}

static uint64_t measure_send_ipi(void)
{
    const uint64_t arguments[4] = {1ul << platform.hart};

    csr_clear(sip, INTERRUPT_SOFTWARE);
    return measure_call(SBI_EXT_IPI, SBI_IPI_SEND_IPI, arguments, INTERRUPT_SOFTWARE);
}

static uint64_t measure_remote_fence(void)
{
    const uint64_t arguments[4] = {1ul << platform.hart, 0, platform.memory_base, 4096};

    return measure_call(SBI_EXT_RFENCE, SBI_RFENCE_SFENCE_VMA, arguments, 0);
}

static uint64_t measure_get_spec_version(void)
{
    const uint64_t arguments[4] = {0};

    return measure_call(SBI_EXT_BASE, SBI_BASE_GET_SPEC_VERSION, arguments, 0);
}

static uint64_t measure_probe(void)
{
    const uint64_t arguments[4] = {SBI_EXT_HSM};

    return measure_call(SBI_EXT_BASE, SBI_BASE_PROBE_EXTENSION, arguments, 0);
}

/* What a timer interrupt takes from the kernel before STIP tells it: nothing else comes between. */
static uint64_t measure_timer_interrupt(void)
{
    uint64_t rounds = 0;
    uint64_t scratch;
    uint64_t start;
    uint64_t end;

    sbi_set_timer(clock_now() + TIMER_DELAY_TICKS);
    __asm__ volatile(
        "csrr %[start], cycle\n" AWAIT "csrr %[end], cycle\n"
        : [start] "=&r"(start), [end] "=&r"(end), [rounds] "+&r"(rounds), [scratch] "=&r"(scratch)
        : [bit] "r"(INTERRUPT_TIMER)
        : "memory");
    sbi_set_timer(UINT64_MAX);
    return end - start - overhead - AWAIT_LENGTH * rounds;
}

static uint64_t measure_device_read(void)
{
    volatile uint8_t *scratch_register = uart_register(UART_SCRATCH);
    uint64_t start;
    uint64_t end;
    uint64_t value;

    __asm__ volatile("csrr %[start], cycle\n"
                     "lbu %[value], 0(%[address])\n"
                     "csrr %[end], cycle\n"
                     : [start] "=&r"(start), [end] "=&r"(end), [value] "=&r"(value)
                     : [address] "r"(scratch_register)
                     : "memory");
    return end - start - overhead;
}

static uint64_t measure_device_write(void)
{
    volatile uint8_t *scratch_register = uart_register(UART_SCRATCH);
    uint64_t start;
    uint64_t end;

    __asm__ volatile("csrr %[start], cycle\n"
                     "sb %[value], 0(%[address])\n"
                     "csrr %[end], cycle\n"
                     : [start] "=&r"(start), [end] "=&r"(end)
                     : [value] "r"(0x5a), [address] "r"(scratch_register)
                     : "memory");
    return end - start - overhead;
}

/*
 * A virtual interrupt: from the store that lets the UART raise it (transmitter empty) to the claim
 * that returns its number. Both accesses are emulated, as in a driver; the second part is left out
 * where a test wants the first alone.
 */
static uint64_t measure_interrupt(bool with_completion)
{
    volatile uint32_t *claim = plic_register(plic_claim_offset(platform.plic_context));
    uint64_t rounds = 0;
    uint64_t scratch;
    uint64_t source;
    uint64_t start;
    uint64_t end;
    uint64_t completion;

    __asm__ volatile("csrr %[start], cycle\n"
                     "sb %[enable], 0(%[device])\n" AWAIT "lw %[source], 0(%[claim])\n"
                     "csrr %[end], cycle\n"
                     : [start] "=&r"(start), [end] "=&r"(end), [rounds] "+&r"(rounds),
                       [scratch] "=&r"(scratch), [source] "=&r"(source)
                     : [enable] "r"(UART_IER_TRANSMIT_EMPTY), [bit] "r"(INTERRUPT_EXTERNAL),
                       [device] "r"(uart_register(UART_INTERRUPT_ENABLE)), [claim] "r"(claim)
                     : "memory");
    uart_write(UART_INTERRUPT_ENABLE, 0);
    __asm__ volatile("csrr %[start], cycle\n"
                     "sw %[source], 0(%[claim])\n"
                     "csrr %[completion], cycle\n"
                     : [start] "=&r"(scratch), [completion] "=&r"(completion)
                     : [source] "r"(source), [claim] "r"(claim)
                     : "memory");
    return with_completion ? completion - scratch - overhead
                           : end - start - overhead - AWAIT_LENGTH * rounds;
}

/* The end of an interrupt of the clock, which the tenant owns: the store to the claim register. */
static uint64_t measure_device_completion(void)
{
    uint64_t start;
    uint64_t end;

    __asm__ volatile("csrr %[start], cycle\n"
                     "sw %[source], 0(%[claim])\n"
                     "csrr %[end], cycle\n"
                     : [start] "=&r"(start), [end] "=&r"(end)
                     : [source] "r"(rtc.source), [claim] "r"(plic_register(
                                                     plic_claim_offset(platform.plic_context)))
                     : "memory");
    return end - start - overhead;
}

static uint64_t measure_interrupt_to_claim(void)
{
    return measure_interrupt(false);
}

static uint64_t measure_completion(void)
{
    return measure_interrupt(true);
}

/* The access to a register of the entropy device, with which its driver does what it measures. */
static uint64_t measure_guarded_read(void)
{
    volatile uint32_t *status = (volatile uint32_t *)(entropy.base + VIRTIO_INTERRUPT_STATUS);
    uint64_t start;
    uint64_t end;
    uint64_t value;

    __asm__ volatile("csrr %[start], cycle\n"
                     "lw %[value], 0(%[address])\n"
                     "csrr %[end], cycle\n"
                     : [start] "=&r"(start), [end] "=&r"(end), [value] "=&r"(value)
                     : [address] "r"(status)
                     : "memory");
    return end - start - overhead;
}

static uint64_t measure_guarded_write(uint32_t offset, uint32_t value)
{
    uint64_t start;
    uint64_t end;

    __asm__ volatile("csrr %[start], cycle\n"
                     "sw %[value], 0(%[address])\n"
                     "csrr %[end], cycle\n"
                     : [start] "=&r"(start), [end] "=&r"(end)
                     : [value] "r"(value), [address] "r"(entropy.base + offset)
                     : "memory");
    return end - start - overhead;
}

static uint64_t measure_guarded_acknowledge(void)
{
    return measure_guarded_write(VIRTIO_INTERRUPT_ACKNOWLEDGE, VIRTIO_INTERRUPT_USED_BUFFER);
}

/* A request of one buffer. */
static uint64_t measure_guarded_notify(void)
{
    static uint8_t buffer[8];
    uint64_t count;
    uint32_t length;

    virtio_request(&entropy, &requests, buffer, sizeof(buffer), false);
    count = measure_guarded_write(VIRTIO_QUEUE_NOTIFY, 0);
    while (virtio_take(&entropy, &requests, &length) < 0) {
    }
    return count;
}

static void sample_guarded(void)
{
    if (virtio_find(&entropy, VIRTIO_ID_ENTROPY) && virtio_start(&entropy, &requests, 1, 0)) {
        bench_sample("guarded_read", measure_guarded_read);
        bench_sample("guarded_acknowledge", measure_guarded_acknowledge);
        bench_sample("guarded_notify", measure_guarded_notify);
    }
}

static void sample_devices(void)
{
    const uint64_t uart[1] = {platform.uart_base};
    const uint64_t context[1] = {
        (uint64_t)plic_register(plic_threshold_offset(platform.plic_context))};

    uart_init();
    goldfish_rtc_find(&rtc);
    plic_enable(rtc.source, 1);
    plic_enable(platform.uart_source, 1);
    plic_set_threshold(0);
    bench_sample("mmio_read", measure_device_read);
    bench_sample("mmio_write", measure_device_write);
    bench_sample("interrupt_to_claim", measure_interrupt_to_claim);
    bench_sample("interrupt_complete", measure_completion);
    bench_sample("device_complete", measure_device_completion);
    sample_guarded();
    sv57_enable(uart, 1);
    bench_sample("mmio_read_sv57", measure_device_read);
    bench_sample("mmio_write_sv57", measure_device_write);
    sv57_enable(context, 1);
    bench_sample("device_complete_sv57", measure_device_completion);
}

void main(void)
{
    overhead = bench_overhead();
    /* What the firmware still does after its own start is not to be measured. */
    clock_sleep(100000);
    bench_sample("set_timer", measure_set_timer);
    sbi_set_timer(UINT64_MAX);
    bench_sample("send_ipi", measure_send_ipi);
    csr_clear(sip, INTERRUPT_SOFTWARE);
    bench_sample("remote_fence", measure_remote_fence);
    bench_sample("get_spec_version", measure_get_spec_version);
    bench_sample("probe_extension", measure_probe);
    bench_sample("timer_interrupt", measure_timer_interrupt);
    if (platform_number("devices", 0) != 0) {
        sample_devices();
    }
    bench_finish();
}
