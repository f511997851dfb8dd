/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A control loop at 1 kHz: a task of the highest priority keeps the speed of a motor at a set
 * point, by a PI controller. The motor is simulated. Set points come from another tenant over the
 * stream "loop", and every tenth period a sample goes back (linux/examples/control_sample.h); the
 * tasks for that have lower priorities and may be late. Prints, cumulative since the start,
 *
 *   latency: samples=1000 min=1.2us avg=2.1us max=9.8us missed=0  (due -> task)
 *
 * Arguments: report=2s (or ms)  time between two such lines
 */
#include "FreeRTOS.h"
#include "latency_probe.h"
#include "linux/examples/control_sample.h"
#include "port.h"
#include "queue.h"
#include "report.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "stream.h"
#include "task.h"

#define CONTROL_PRIORITY (configMAX_PRIORITIES - 1)
#define COMMAND_PRIORITY 3
#define SAMPLE_PRIORITY 2
#define REPORT_PRIORITY 1
#define STACK_WORDS 512
#define SAMPLES_WAITING 64
#define NANOSECONDS_PER_SECOND 1000000000

/* The motor: at full drive it comes to so many thousandths of a revolution per second, and it
 * covers 1/e of the way there in so many periods. */
#define MOTOR_SPEED_AT_FULL_DRIVE 4000
#define MOTOR_TIME_CONSTANT 50
/* The controller: gains in 1/1000; the integral is limited to what full drive needs. */
#define GAIN_PROPORTIONAL 500
#define GAIN_INTEGRAL 20
#define DRIVE_MOST 1000
/* Fractions of a unit that the simulation and the integral keep. */
#define FINE 1024

struct loop {
    int64_t speed_fine;
    int64_t integral_fine;
    int32_t drive;
};

static volatile int32_t set_point;
static struct loop loop;
static struct latency_statistics lateness = LATENCY_STATISTICS_NONE;
static struct channel *channel;
static uint32_t dropped;

static QueueHandle_t samples;
static StaticQueue_t samples_queue;
static uint8_t samples_storage[SAMPLES_WAITING * sizeof(struct control_sample)];

static StaticTask_t tasks[4];
static StackType_t stacks[4][STACK_WORDS];

static int64_t limited(int64_t value, int64_t most)
{
    return value > most ? most : value < -most ? -most : value;
}

/* One period of the motor's life. */
static void move_motor(void)
{
    int64_t target = (int64_t)loop.drive * MOTOR_SPEED_AT_FULL_DRIVE / DRIVE_MOST * FINE;

    loop.speed_fine += (target - loop.speed_fine) / MOTOR_TIME_CONSTANT;
}

static void control(int32_t wanted)
{
    int64_t error = wanted - loop.speed_fine / FINE;

    loop.integral_fine = limited(loop.integral_fine + error * GAIN_INTEGRAL * FINE / 1000,
                                 (int64_t)DRIVE_MOST * FINE);
    loop.drive =
        (int32_t)limited(error * GAIN_PROPORTIONAL / 1000 + loop.integral_fine / FINE, DRIVE_MOST);
}

static void take_sample(uint32_t period, uint64_t late)
{
    struct control_sample sample = {
        .period = period,
        .set_point = set_point,
        .speed = (int32_t)(loop.speed_fine / FINE),
        .drive = loop.drive,
        .lateness_ns = (uint32_t)(late * NANOSECONDS_PER_SECOND / platform.timebase_hz),
        .dropped = dropped,
    };

    if (xQueueSend(samples, &sample, 0) == pdFALSE) {
        dropped++;
    }
}

static void run_control(void *parameters)
{
    uint64_t period_time = platform.timebase_hz / configTICK_RATE_HZ;
    TickType_t tick = xTaskGetTickCount();

    (void)parameters;
    for (uint32_t period = 0;; period++) {
        uint64_t late;

        xTaskDelayUntil(&tick, 1);
        late = clock_now() - port_tick_time(tick);
        latency_add(&lateness, late, period_time);
        move_motor();
        control(set_point);
        if (period % CONTROL_SAMPLE_PERIODS == 0) {
            take_sample(period, late);
        }
    }
}

/* The last set point that has come counts. */
static void run_commands(void *parameters)
{
    struct control_command command;

    (void)parameters;
    for (;;) {
        uint32_t count = stream_read(channel, &command, sizeof(command), portMAX_DELAY);

        if (count == sizeof(command)) {
            set_point = (int32_t)limited(command.set_point, MOTOR_SPEED_AT_FULL_DRIVE);
        }
    }
}

/* What nobody listens to, or has no room for, is dropped by the stream or here. */
static void run_samples(void *parameters)
{
    struct control_sample sample;

    (void)parameters;
    for (;;) {
        xQueueReceive(samples, &sample, portMAX_DELAY);
        if (stream_write(channel, &sample, sizeof(sample), pdMS_TO_TICKS(1000)) != sizeof(sample)) {
            taskENTER_CRITICAL();
            dropped++;
            taskEXIT_CRITICAL();
        }
    }
}

static void start(unsigned number, TaskFunction_t function, const char *name, void *parameters,
                  UBaseType_t priority)
{
    xTaskCreateStatic(function, name, STACK_WORDS, parameters, priority, stacks[number],
                      &tasks[number]);
}

void main(void)
{
    print("FreeRTOS %s control: %d Hz\n", tskKERNEL_VERSION_NUMBER, configTICK_RATE_HZ);
    if (!streams_start() || (channel = stream_open("loop")) == NULL) {
        print("control: there is no stream \"loop\"\n");
        sbi_shutdown(true);
    }
    samples = xQueueCreateStatic(SAMPLES_WAITING, sizeof(struct control_sample), samples_storage,
                                 &samples_queue);
    start(0, run_control, "control", NULL, CONTROL_PRIORITY);
    start(1, run_commands, "commands", NULL, COMMAND_PRIORITY);
    start(2, run_samples, "samples", NULL, SAMPLE_PRIORITY);
    start(3, report_lateness, "report", &lateness, REPORT_PRIORITY);
    vTaskStartScheduler();
}
