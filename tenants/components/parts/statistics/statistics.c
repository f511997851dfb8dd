/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Settings: report=N    milliseconds between two lines (default 1000)
 *           crashes=N   end after so many, with PASS or FAIL (default: never)
 */
#include "components/lib/print.h"
#include "components/lib/setting.h"

#define DEFAULT_REPORT_MS 1000

/* Of a component since the start of the image. */
uint64_t export_restarts(uint64_t component)
{
    return kernel_call(CALL_RESTARTS, component, 0, 0).value;
}

/* Periods of the control loop, and those that it has missed. */
uint64_t export_samples(void)
{
    return control_samples().value;
}

uint64_t export_missed(void)
{
    return control_missed().value;
}

static uint64_t crasher_id(void)
{
    uint64_t words[2] = {0};

    memcpy(words, "crasher", 7);
    return names_find(words[0], words[1]).value;
}

static void finish(void)
{
    bool failed = control_missed().value != 0 || tormentor_survived().value != 0;

    print_line("%s components: missed=%lu survived=%lu", failed ? "FAIL" : "PASS",
               control_missed().value, tormentor_survived().value);
    kernel_call(CALL_SHUTDOWN, failed, 0, 0);
}

/* As other programs that wake up every millisecond report it. */
static void report_control(void)
{
    uint64_t least = control_least_ns().value / 100;
    uint64_t average = control_average_ns().value / 100;
    uint64_t most = control_most_ns().value / 100;

    print_line("latency: samples=%lu min=%lu.%luus avg=%lu.%luus max=%lu.%luus missed=%lu",
               control_samples().value, least / 10, least % 10, average / 10, average % 10,
               most / 10, most % 10, control_missed().value);
}

void thread_report(uint64_t unused)
{
    uint64_t crasher = crasher_id();

    (void)unused;
    for (;;) {
        uint64_t pause = setting("report");
        uint64_t last = setting("crashes");

        timer_sleep((pause != 0 ? pause : DEFAULT_REPORT_MS) * 1000);
        report_control();
        print_line("components: crashes=%lu restarts=%lu restart_cycles=%lu notes=%lu error=%lu",
                   tormentor_crashes().value, kernel_call(CALL_RESTARTS, crasher, 0, 0).value,
                   faults_worst_cycles().value, log_count().value, control_error().value);
        if (last != 0 && tormentor_crashes().value >= last) {
            finish();
        }
    }
}
