/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Wake-up latencies of a 1 kHz task in instructions, as histograms: from the moment its tick is due
 * to the first instruction of the interrupt handler, and to the task's first instruction. Exact
 * under QEMU's -icount, where the cycle CSR and the time CSR show one clock, in ns and in ticks.
 *
 * Whoever types a number gets that many samples:
 *
 *     bench: begin
 *     bench: handler N SUM      samples and their sum
 *     bench: handler-at V N     N samples of V instructions
 *     bench: task N SUM
 *     bench: task-at V N
 *     bench: jitter N SUM       how much longer or shorter than a tick it was from one time that
 *     bench: jitter-at V N      the task ran to the next, in instructions
 *     bench: interval V         the first of these times, each with its line
 *     bench: end
 *
 * `jitter` and `interval` are printed only when intervals are asked for.
 *
 * Arguments: icount=N    an instruction takes 2^N ns (default 0)
 *            samples=N   takes N samples at once, then shuts down: where nobody types
 *            intervals=N tells the first N intervals of the samples, and the jitter of all
 *            drift=N     each tick is N ticks of the time CSR longer: others with a period of
 *                        their own are met at all its moments, not always at the same ones
 */
#include "counted_time.h"
#include "FreeRTOS.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "task.h"

#define PERIODIC_PRIORITY (configMAX_PRIORITIES - 1)
#define CONTROL_PRIORITY 1
#define STACK_WORDS 512
#define POLL_MS 20
/* For what was printed before to be gone. */
#define SETTLE_MS 100
/* Latencies below LINEAR have a bucket each; above, a bucket is 1/32 of a power of two wide. */
#define LINEAR 16384
#define STEPS 32
#define BUCKETS (LINEAR + 50 * STEPS)
/* Instructions of probe_entry: what the probe itself adds before the port's handler begins, and
 * what is executed of it before it reads the counter. */
#define PROBE_LENGTH 11
#define PROBE_BEFORE_READING 1
#define MOST_INTERVALS 4096
#define NS_PER_TICK (1000000000ULL / configTICK_RATE_HZ)

struct histogram {
    const char *name;
    uint64_t samples;
    uint64_t sum;
    uint32_t counts[BUCKETS];
};

extern const char probe_entry[];
extern volatile uint64_t probe_cycle;

static struct histogram handler = {.name = "handler"};
static struct histogram task = {.name = "task"};
static struct histogram jitter = {.name = "jitter"};
static uint32_t intervals[MOST_INTERVALS];
static uint64_t intervals_taken;
static uint64_t intervals_wanted;
static uint64_t shift;
static uint64_t drift;
static volatile uint64_t wanted;

static StaticTask_t periodic_control_block;
static StackType_t periodic_stack[STACK_WORDS];
static StaticTask_t control_control_block;
static StackType_t control_stack[STACK_WORDS];
static TaskHandle_t control_handle;

/*
 * In front of the port's trap entry: notes when the handler began. The port is not changed for it.
 */
__asm__(".text\n"
        ".balign 4\n"
        "probe_entry:\n"
        "csrw sscratch, t0\n"
        "csrr t0, cycle\n"
        "addi sp, sp, -16\n"
        "sd t1, 0(sp)\n"
        "lla t1, probe_cycle\n"
        "sd t0, 0(t1)\n"
        "ld t1, 0(sp)\n"
        "addi sp, sp, 16\n"
        "csrr t0, sscratch\n"
        "j port_trap_entry\n"
        ".section .bss.probe_cycle, \"aw\", @nobits\n"
        ".balign 8\n"
        "probe_cycle:\n"
        ".space 8\n"
        ".text\n");

static unsigned highest_bit(uint64_t value)
{
    unsigned bit = 0;

    while (value >>= 1) {
        bit++;
    }
    return bit;
}

static unsigned bucket_of(uint64_t value)
{
    unsigned exponent;

    if (value < LINEAR) {
        return (unsigned)value;
    }
    exponent = highest_bit(value / LINEAR);
    return LINEAR + exponent * STEPS + (unsigned)(value / (LINEAR / STEPS << exponent)) - STEPS;
}

/* The lowest value of a bucket. */
static uint64_t bucket_start(unsigned bucket)
{
    unsigned step = bucket - LINEAR;

    return bucket < LINEAR ? bucket
                           : (uint64_t)(STEPS + step % STEPS) * (LINEAR / STEPS) << step / STEPS;
}

/* `late` in ns, less what the probe has added, in instructions. */
static void add(struct histogram *histogram, uint64_t late, uint64_t added)
{
    uint64_t instructions = late >> shift;

    instructions = instructions > added ? instructions - added : 0;
    histogram->samples++;
    histogram->sum += instructions;
    histogram->counts[bucket_of(instructions)]++;
}

/* The task ran at `before` and runs `now`, in ns. */
static void add_interval(uint64_t before, uint64_t now)
{
    uint64_t interval = now - before;

    add(&jitter, interval > NS_PER_TICK ? interval - NS_PER_TICK : NS_PER_TICK - interval, 0);
    if (intervals_taken < intervals_wanted) {
        intervals[intervals_taken++] = (uint32_t)(interval >> shift);
    }
}

static void clear(struct histogram *histogram)
{
    histogram->samples = 0;
    histogram->sum = 0;
    for (unsigned i = 0; i < BUCKETS; i++) {
        histogram->counts[i] = 0;
    }
}

static void report(const struct histogram *histogram)
{
    print("bench: %s %lu %lu\n", histogram->name, histogram->samples, histogram->sum);
    for (unsigned i = 0; i < BUCKETS; i++) {
        if (histogram->counts[i] != 0) {
            print("bench: %s-at %lu %u\n", histogram->name, bucket_start(i), histogram->counts[i]);
        }
    }
}

static void run_periodic(void *parameters)
{
    TickType_t tick = xTaskGetTickCount();
    uint64_t before = 0;

    (void)parameters;
    csr_write(stvec, (uintptr_t)probe_entry);
    for (;;) {
        uint64_t now;
        uint64_t due;

        xTaskDelayUntil(&tick, 1);
        now = csr_read(cycle);
        if (wanted == 0) {
            before = 0;
            continue;
        }
        due = counted_tick_time(tick, now);
        add(&handler, probe_cycle - due, PROBE_BEFORE_READING);
        add(&task, now - due, PROBE_LENGTH);
        if (before != 0) {
            add_interval(before, now);
        }
        before = now;
        if (drift != 0) {
            port_delay_ticks(drift);
        }
        if (--wanted == 0) {
            xTaskNotifyGive(control_handle);
        }
    }
}

static void report_intervals(void)
{
    report(&jitter);
    for (uint64_t i = 0; i < intervals_taken; i++) {
        print("bench: interval %u\n", intervals[i]);
    }
}

static void take_samples(uint64_t count)
{
    clear(&handler);
    clear(&task);
    clear(&jitter);
    intervals_taken = 0;
    print("bench: begin\n");
    vTaskDelay(pdMS_TO_TICKS(SETTLE_MS));
    wanted = count;
    ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    report(&handler);
    report(&task);
    if (intervals_wanted != 0) {
        report_intervals();
    }
    print("bench: end\n");
}

/* Waits until a number has been typed. */
static uint64_t await_number(void)
{
    uint64_t number = 0;
    char character = '\0';

    while (character != '\n' || number == 0) {
        if (console_read(&character, 1) == 0) {
            vTaskDelay(pdMS_TO_TICKS(POLL_MS));
        } else if (character >= '0' && character <= '9') {
            number = number * 10 + (uint64_t)(character - '0');
        }
    }
    return number;
}

static void run_control(void *parameters)
{
    uint64_t samples = platform_number("samples", 0);

    (void)parameters;
    if (samples != 0) {
        take_samples(samples);
        sbi_shutdown(false);
    }
    print("bench: ready\n");
    for (;;) {
        take_samples(await_number());
    }
}

void main(void)
{
    shift = platform_number("icount", 0);
    drift = platform_number("drift", 0);
    intervals_wanted = platform_number("intervals", 0);
    if (intervals_wanted > MOST_INTERVALS) {
        intervals_wanted = MOST_INTERVALS;
    }
    if (!counters_are_one_clock()) {
        print("histogram: the cycle CSR does not count ns: run it under QEMU's -icount\n");
        sbi_shutdown(true);
    }
    control_handle = xTaskCreateStatic(run_control, "control", STACK_WORDS, NULL, CONTROL_PRIORITY,
                                       control_stack, &control_control_block);
    xTaskCreateStatic(run_periodic, "periodic", STACK_WORDS, NULL, PERIODIC_PRIORITY,
                      periodic_stack, &periodic_control_block);
    vTaskStartScheduler();
}
