/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Devices of FreeRTOS' own, used by their interrupts: a virtio entropy device, from which a task
 * asks for 64 bytes again and again and sleeps until the interrupt says that they are there; and
 * the goldfish clock, whose alarm tells how long an interrupt is on its way. Either may be missing.
 * Beside them runs the 1 kHz task of the latency application. Prints, cumulative since the start,
 *
 *   device: requests=100 interrupts=100 bytes=6400 errors=0 lost=0 spurious=0
 *   alarm: samples=100 min=1.2us avg=2.1us max=9.8us missed=0     (due -> interrupt handler)
 *   latency: samples=1000 min=1.2us avg=2.1us max=9.8us missed=0  (due -> task)
 *
 * Arguments: report=2s (or ms)  time between two such groups of lines
 *            request=N          ms between two requests, 0: at once (default 5)
 *            alarm=N            ms between two alarms (default 10)
 *            count=N            requests to make, then no more (default: no end)
 */
#include <string.h>

#include "FreeRTOS.h"
#include "latency_probe.h"
#include "port.h"
#include "report.h"
#include "rt/console.h"
#include "rt/goldfish_rtc.h"
#include "rt/platform.h"
#include "rt/plic.h"
#include "rt/sbi.h"
#include "rt/virtio_mmio.h"
#include "semphr.h"
#include "task.h"

#define REQUEST_BYTES 64
/*
 * A device may take its time, and QEMU's does: it answers by the host's clock. After each such wait
 * the task looks for an answer that came without an interrupt; after the last one it gives up.
 */
#define WAIT_MS 100
#define WAIT_LIMIT 600
#define REQUEST_PRIORITY 3
#define REPORT_PRIORITY 1
#define STACK_WORDS 512
#define SOURCE_PRIORITY 1
#define NANOSECONDS_PER_MS 1000000
#define NANOSECONDS_PER_SECOND 1000000000

struct counts {
    uint64_t requests; /* finished, well or not */
    uint64_t interrupts;
    uint64_t bytes;
    uint64_t errors;   /* requests without an answer, or with a wrong one */
    uint64_t lost;     /* answers whose interrupt never came */
    uint64_t spurious; /* interrupts for which there was no reason */
};

static struct virtio_device entropy;
static struct virtio_queue requests;
static bool has_entropy;
static struct counts counts;  /* of now: requests of the task, interrupts of the handler */
static struct counts settled; /* as they were when no request was under way */
static SemaphoreHandle_t is_finished;
static uint8_t random_bytes[REQUEST_BYTES];

static struct goldfish_rtc rtc;
static bool has_rtc;
static uint64_t alarm_period; /* ns */
static uint64_t alarm_due;
static struct latency_statistics alarms = LATENCY_STATISTICS_NONE;

static StaticSemaphore_t semaphore;
static StaticTask_t request_task;
static StackType_t request_stack[STACK_WORDS];
static StaticTask_t report_task;
static StackType_t report_stack[STACK_WORDS];

static BaseType_t handle_entropy(void)
{
    BaseType_t is_switch_needed = pdFALSE;

    if ((virtio_acknowledge(&entropy) & VIRTIO_INTERRUPT_USED_BUFFER) == 0) {
        counts.spurious++;
        return pdFALSE;
    }
    counts.interrupts++;
    xSemaphoreGiveFromISR(is_finished, &is_switch_needed);
    return is_switch_needed;
}

static void handle_alarm(void)
{
    uint64_t now = goldfish_rtc_now(&rtc);

    goldfish_rtc_acknowledge(&rtc);
    if (now < alarm_due) {
        counts.spurious++;
        return;
    }
    latency_add(&alarms, now - alarm_due, alarm_period);
    alarm_due += alarm_period;
    goldfish_rtc_set_alarm(&rtc, alarm_due);
}

/* One source each time: if another one waits, the interrupt comes again. */
static BaseType_t handle_external(void)
{
    uint32_t source = plic_claim();
    BaseType_t is_switch_needed = pdFALSE;

    if (source == 0) {
        counts.spurious++;
        return pdFALSE;
    }
    if (has_entropy && source == entropy.source) {
        is_switch_needed = handle_entropy();
    } else if (has_rtc && source == rtc.source) {
        handle_alarm();
    } else {
        counts.errors++;
    }
    plic_complete(source);
    return is_switch_needed;
}

/* Sleeps until request `number` is answered; gives the answer's length. False: none, a wrong one.
 */
static bool wait_for_answer(int number, uint32_t *length)
{
    for (uint32_t i = 0; i < WAIT_LIMIT && !entropy.failed; i++) {
        bool is_told = xSemaphoreTake(is_finished, pdMS_TO_TICKS(WAIT_MS)) != pdFALSE;
        int answered = virtio_take(&entropy, &requests, length);

        if (answered >= 0) {
            /* The interrupt may have come just after the end of the wait, or be on its way. */
            if (!is_told && xSemaphoreTake(is_finished, 2) == pdFALSE) {
                counts.lost++;
            }
            return answered == number;
        }
    }
    return false;
}

/* Asks for random bytes and sleeps until they are there. False: they did not come, or are wrong. */
static bool request(void)
{
    uint8_t before[REQUEST_BYTES];
    uint32_t length;
    int number;

    memcpy(before, random_bytes, REQUEST_BYTES);
    number = virtio_request(&entropy, &requests, random_bytes, REQUEST_BYTES, false);
    virtio_notify(&entropy, &requests);
    if (number < 0 || !wait_for_answer(number, &length)) {
        return false;
    }
    counts.bytes += length;
    return length == REQUEST_BYTES && memcmp(before, random_bytes, REQUEST_BYTES) != 0;
}

static void run_requests(void *parameters)
{
    TickType_t pause = pdMS_TO_TICKS(platform_number("request", 5));
    uint64_t limit = platform_number("count", UINT64_MAX);

    (void)parameters;
    while (counts.requests < limit) {
        bool is_right = request();

        taskENTER_CRITICAL();
        counts.requests++;
        counts.errors += !is_right;
        settled = counts;
        taskEXIT_CRITICAL();
        vTaskDelay(pause);
    }
    vTaskSuspend(NULL);
}

static void report(void *what)
{
    struct counts now;
    struct latency_statistics alarms_now;

    (void)what;
    taskENTER_CRITICAL();
    now = settled;
    alarms_now = alarms;
    taskEXIT_CRITICAL();
    print("device: requests=%lu interrupts=%lu bytes=%lu errors=%lu lost=%lu spurious=%lu\n",
          now.requests, now.interrupts, now.bytes, now.errors, now.lost, now.spurious);
    latency_print("alarm", alarms_now, NANOSECONDS_PER_SECOND);
    latency_print("latency", latency_probe_read(), platform.timebase_hz);
}

static void run_report(void *parameters)
{
    report_periodically(report, parameters);
}

static void start_devices(void)
{
    plic_set_threshold(0);
    port_set_external_handler(handle_external);
    if (has_entropy) {
        plic_enable(entropy.source, SOURCE_PRIORITY);
        xTaskCreateStatic(run_requests, "requests", STACK_WORDS, NULL, REQUEST_PRIORITY,
                          request_stack, &request_task);
    }
    if (has_rtc) {
        plic_enable(rtc.source, SOURCE_PRIORITY);
        alarm_due = goldfish_rtc_now(&rtc) + alarm_period;
        goldfish_rtc_set_alarm(&rtc, alarm_due);
    }
}

void main(void)
{
    alarm_period = platform_number("alarm", 10) * NANOSECONDS_PER_MS;
    has_rtc = alarm_period != 0 && goldfish_rtc_find(&rtc);
    has_entropy = virtio_find(&entropy, VIRTIO_ID_ENTROPY);
    if (platform.plic_base == 0 || (!has_entropy && !has_rtc)) {
        print("device: neither a virtio entropy device nor a clock is mine\n");
        sbi_shutdown(true);
    }
    if (has_entropy && !virtio_start(&entropy, &requests, 1, 0)) {
        print("device: the entropy device does not start\n");
        sbi_shutdown(true);
    }
    print("FreeRTOS %s device: %s%s\n", tskKERNEL_VERSION_NUMBER,
          has_entropy ? (entropy.legacy ? "entropy (legacy) " : "entropy (modern) ") : "",
          has_rtc ? "clock" : "");
    is_finished = xSemaphoreCreateBinaryStatic(&semaphore);
    xTaskCreateStatic(run_report, "report", STACK_WORDS, NULL, REPORT_PRIORITY, report_stack,
                      &report_task);
    latency_probe_start(0, 0, NULL);
    start_devices();
    vTaskStartScheduler();
}
