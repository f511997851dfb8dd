/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves the S-mode port of FreeRTOS: that a context switch keeps every register, that a yield in a
 * critical section waits for its end, that ticks neither drift nor get lost, and that interrupts of
 * a device reach a task. Prints "PASS freertos-selftest" or says what is wrong, and shuts down.
 */
#include "FreeRTOS.h"
#include "port.h"
#include "queue.h"
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/plic.h"
#include "rt/uart.h"
#include "semphr.h"
#include "task.h"

#define TEST_PRIORITY 2
#define HIGH_PRIORITY 3
#define STACK_WORDS 512
#define REGISTER_TASKS 3
#define REGISTER_LOOPS 200000
#define MESSAGES 2000
#define DELAY_TICKS 300
#define HELD_MS 20

const char payload_name[] = "freertos-selftest";

static TaskHandle_t test_task;
static volatile unsigned high_runs;

#define REGISTERS "3,4,6,7,8,9,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"

/*
 * Gives each register a value of its own, derived from `pattern`, and compares them `loops` times,
 * while ticks and its own yields switch to other tasks. Returns how many loops were left when one
 * had changed, 0 if none did. gp and tp are checked too: nothing else uses them here.
 */
static uint64_t check_registers(uint64_t pattern, uint64_t loops)
{
    register uint64_t a0 __asm__("a0") = pattern;
    register uint64_t a1 __asm__("a1") = loops;

    __asm__ volatile(".irp n, " REGISTERS "\n addi x\\n, a0, \\n\n .endr\n"
                     "1:\n"
                     ".irp n, " REGISTERS "\n addi t0, a0, \\n\n bne t0, x\\n, 3f\n .endr\n"
                     "andi t0, a1, 63\n"
                     "bnez t0, 2f\n"
                     "csrsi sip, 2\n"
                     "2: addi a1, a1, -1\n"
                     "bnez a1, 1b\n"
                     "3:\n"
                     : "+r"(a1)
                     : "r"(a0)
                     : "t0", "t1", "t2", "s0", "s1", "a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3",
                       "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
                       "memory");
    return a1;
}

static void run_registers(void *parameters)
{
    uint64_t pattern = 0x1111111100000000 * (1 + (uintptr_t)parameters);
    uint64_t left = check_registers(pattern, REGISTER_LOOPS);

    check(left == 0, "a register changed across a context switch, %lu loops before the end", left);
    xTaskNotifyGive(test_task);
    vTaskDelete(NULL);
}

static void create(TaskFunction_t function, const char *name, void *parameters,
                   UBaseType_t priority)
{
    BaseType_t created = xTaskCreate(function, name, STACK_WORDS, parameters, priority, NULL);

    check(created == pdPASS, "task %s could not be created", name);
}

static void test_registers(void)
{
    for (uintptr_t i = 0; i < REGISTER_TASKS; i++) {
        create(run_registers, "registers", (void *)i, TEST_PRIORITY);
    }
    for (unsigned i = 0; i < REGISTER_TASKS; i++) {
        ulTaskNotifyTake(pdFALSE, portMAX_DELAY);
    }
}

static void run_high(void *parameters)
{
    (void)parameters;
    for (;;) {
        ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
        high_runs++;
    }
}

/* A higher task made ready runs at once, but not before the outermost critical section ends. */
static void test_critical_sections(void)
{
    TaskHandle_t high;

    check(xTaskCreate(run_high, "high", STACK_WORDS, NULL, HIGH_PRIORITY, &high) == pdPASS,
          "the task could not be created");
    xTaskNotifyGive(high);
    check(high_runs == 1, "a higher task did not preempt at once");
    taskENTER_CRITICAL();
    taskENTER_CRITICAL();
    xTaskNotifyGive(high);
    check(high_runs == 1, "a task switch happened in a critical section");
    taskEXIT_CRITICAL();
    check(high_runs == 1, "a task switch happened in an outer critical section");
    taskEXIT_CRITICAL();
    check(high_runs == 2, "the task switch was lost at the end of the critical section");
    vTaskDelete(high);
}

static void run_sender(void *parameters)
{
    QueueHandle_t queue = parameters;

    for (uint64_t i = 0; i < MESSAGES; i++) {
        xQueueSend(queue, &i, portMAX_DELAY);
    }
    vTaskDelete(NULL);
}

static void test_queue(void)
{
    QueueHandle_t queue = xQueueCreate(4, sizeof(uint64_t));
    uint64_t message;

    check(queue != NULL, "the queue could not be created");
    create(run_sender, "sender", queue, TEST_PRIORITY);
    for (uint64_t i = 0; i < MESSAGES; i++) {
        check(xQueueReceive(queue, &message, pdMS_TO_TICKS(10000)) == pdPASS,
              "message %lu did not come", i);
        check(message == i, "message %lu came in place of %lu", message, i);
    }
    vQueueDelete(queue);
}

/* Each tick is where it belongs by the time CSR, and none comes early. */
static void test_tick(void)
{
    TickType_t tick = xTaskGetTickCount();

    for (unsigned i = 0; i < DELAY_TICKS; i++) {
        xTaskDelayUntil(&tick, 1);
        check(clock_now() >= port_tick_time(tick), "tick %lu came early", tick);
    }
}

/* Ticks that fell due while interrupts were off are made up for. */
static void test_late_ticks(void)
{
    TickType_t before;
    TickType_t counted;
    uint64_t now;

    vTaskDelay(1);
    before = xTaskGetTickCount();
    taskENTER_CRITICAL();
    clock_spin(HELD_MS * 1000);
    taskEXIT_CRITICAL();
    now = clock_now();
    counted = xTaskGetTickCount();
    check(counted - before >= HELD_MS - 1, "%lu ticks were counted in %d ms", counted - before,
          HELD_MS);
    check(port_tick_time(counted + 1) + clock_ticks(1000) > now,
          "the tick count is behind the clock");
}

static SemaphoreHandle_t transmitter_empty;

static BaseType_t on_external(void)
{
    BaseType_t is_switch_needed = pdFALSE;
    uint32_t source = plic_claim();

    if (source == platform.uart_source) {
        uart_read(UART_INTERRUPT_ID);
        uart_write(UART_INTERRUPT_ENABLE, 0);
        xSemaphoreGiveFromISR(transmitter_empty, &is_switch_needed);
    }
    if (source != 0) {
        plic_complete(source);
    }
    return is_switch_needed;
}

static void test_external_interrupt(void)
{
    if (platform.uart_base == 0 || platform.plic_base == 0) {
        print("freertos-selftest: no UART, no external interrupts\n");
        return;
    }
    transmitter_empty = xSemaphoreCreateBinary();
    check(transmitter_empty != NULL, "the semaphore could not be created");
    uart_init();
    plic_set_threshold(0);
    plic_enable(platform.uart_source, 1);
    port_set_external_handler(on_external);
    for (unsigned i = 0; i < 100; i++) {
        uart_write(UART_INTERRUPT_ENABLE, UART_IER_TRANSMIT_EMPTY);
        check(xSemaphoreTake(transmitter_empty, pdMS_TO_TICKS(5000)) == pdPASS,
              "external interrupt %u did not arrive", i);
    }
    plic_disable(platform.uart_source);
}

static void run_tests(void *parameters)
{
    (void)parameters;
    test_critical_sections();
    test_queue();
    test_registers();
    test_tick();
    test_late_ticks();
    test_external_interrupt();
    check_pass();
}

void main(void)
{
    check(xTaskCreate(run_tests, "tests", STACK_WORDS, NULL, TEST_PRIORITY, &test_task) == pdPASS,
          "the first task could not be created");
    vTaskStartScheduler();
}
