/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FreeRTOS as a member of a group: it has an entropy device, which it asks for 64 bytes every 10 ms
 * and sleeps until the interrupt comes, only while it is in the foreground. It suspends to RAM when
 * somebody types an `s` or presses the sleep key of a virtio keyboard, and begins anew with its
 * devices when it resumes. Its time stands still meanwhile. Prints every 100 requests
 *
 *   desk: turn=1 requests=100 errors=0
 *
 * and after each resume when it left and when it came, in ticks of the machine's time:
 *
 *   desk: turn=2 left=26392529 came=36433309
 *
 * With the argument line=own its UART is a real one, of which it has to make use by itself: it says
 * there whose turn it is.
 */
#include "FreeRTOS.h"
#include "port.h"
#include "report.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/plic.h"
#include "rt/sbi.h"
#include "rt/suspend.h"
#include "rt/uart.h"
#include "rt/virtio_mmio.h"
#include "semphr.h"
#include "task.h"

#define REQUEST_BYTES 64
#define REQUEST_PAUSE_MS 10
#define ANSWER_MOST_MS 1000
#define REQUESTS_PER_REPORT 100
#define TASK_PRIORITY 3
#define STACK_WORDS 512
#define SOURCE_PRIORITY 1

/* Virtio 1.2, section 5.8.6; the codes are those of Linux' input-event-codes.h. */
#define EVENT_KEY 1
#define KEY_SLEEP 142
#define KEY_PRESSED 1

struct input_event {
    uint16_t type;
    uint16_t code;
    uint32_t value;
};

static struct virtio_device entropy;
static struct virtio_queue entropy_queue;
static struct virtio_device keyboard;
static struct virtio_queue keyboard_queue;
static bool has_keyboard;
static bool has_line;
static struct input_event events[VIRTIO_QUEUE_SIZE];
static volatile bool is_sleep_wanted;

static SemaphoreHandle_t is_answered;
static StaticSemaphore_t semaphore;
static StaticTask_t task;
static StackType_t stack[STACK_WORDS];

static uint8_t random_bytes[REQUEST_BYTES];
static uint64_t turn = 1;
static uint64_t requests;
static uint64_t errors;

/* The device gives each buffer back with the number of its request, and gets it again. */
static void read_keys(void)
{
    uint32_t length;
    int number;

    virtio_acknowledge(&keyboard);
    for (number = virtio_take(&keyboard, &keyboard_queue, &length); number >= 0;
         number = virtio_take(&keyboard, &keyboard_queue, &length)) {
        const struct input_event *event = &events[number];

        is_sleep_wanted |= length == sizeof(*event) && event->type == EVENT_KEY &&
                           event->code == KEY_SLEEP && event->value == KEY_PRESSED;
        virtio_request(&keyboard, &keyboard_queue, &events[number], sizeof(events[number]), false);
    }
    virtio_notify(&keyboard, &keyboard_queue);
}

static BaseType_t handle_external(void)
{
    uint32_t source = plic_claim();
    BaseType_t is_switch_needed = pdFALSE;

    if (source == entropy.source) {
        virtio_acknowledge(&entropy);
        xSemaphoreGiveFromISR(is_answered, &is_switch_needed);
    } else if (has_keyboard && source == keyboard.source) {
        read_keys();
    }
    plic_complete(source);
    return is_switch_needed;
}

static void say_on_line(const char *text)
{
    for (; *text != '\0'; text++) {
        uart_put((uint8_t)*text);
    }
}

/* At the start and after each resume: nothing is as it was. */
static void start_devices(void)
{
    if (has_line) {
        uart_init();
        say_on_line("FreeRTOS has the line\r\n");
    }
    if (!virtio_start(&entropy, &entropy_queue, 1, 0) ||
        (has_keyboard && !virtio_start(&keyboard, &keyboard_queue, 1, 0))) {
        print("desk: a device does not start\n");
        sbi_shutdown(true);
    }
    for (unsigned i = 0; has_keyboard && i < VIRTIO_QUEUE_SIZE; i++) {
        virtio_request(&keyboard, &keyboard_queue, &events[i], sizeof(events[i]), false);
    }
    if (has_keyboard) {
        virtio_notify(&keyboard, &keyboard_queue);
    }
    plic_set_threshold(0);
    plic_enable(entropy.source, SOURCE_PRIORITY);
    if (has_keyboard) {
        plic_enable(keyboard.source, SOURCE_PRIORITY);
    }
}

/* No request is under way. */
static void sleep_now(void)
{
    struct suspend_result result;
    uint64_t left;
    uint64_t came;

    taskENTER_CRITICAL();
    is_sleep_wanted = false;
    left = clock_now();
    port_suspend(&result);
    came = clock_now();
    if (result.resumed != 0) {
        start_devices();
        turn++;
    }
    taskEXIT_CRITICAL();
    print("desk: turn=%lu error=%ld\n", turn, result.error);
    if (result.resumed != 0) {
        print("desk: turn=%lu left=%lu came=%lu\n", turn, left, came);
    }
}

static void request(void)
{
    uint32_t length = 0;
    int number = virtio_request(&entropy, &entropy_queue, random_bytes, REQUEST_BYTES, false);
    bool is_told;

    virtio_notify(&entropy, &entropy_queue);
    is_told = xSemaphoreTake(is_answered, pdMS_TO_TICKS(ANSWER_MOST_MS)) != pdFALSE;

    requests++;
    errors += number < 0 || !is_told || virtio_take(&entropy, &entropy_queue, &length) != number ||
              length != REQUEST_BYTES;
    if (requests % REQUESTS_PER_REPORT == 0) {
        print("desk: turn=%lu requests=%lu errors=%lu\n", turn, requests, errors);
    }
}

static void run(void *parameters)
{
    uint8_t typed;

    (void)parameters;
    report_share_console();
    for (;;) {
        request();
        is_sleep_wanted |= uart_get(&typed) && typed == 's';
        if (is_sleep_wanted) {
            sleep_now();
        }
        vTaskDelay(pdMS_TO_TICKS(REQUEST_PAUSE_MS));
    }
}

void main(void)
{
    if (!virtio_find(&entropy, VIRTIO_ID_ENTROPY)) {
        print("desk: no virtio entropy device is mine\n");
        sbi_shutdown(true);
    }
    has_keyboard = virtio_find(&keyboard, VIRTIO_ID_INPUT);
    has_line = platform_argument("line") != NULL;
    print("FreeRTOS %s desk: %s\n", tskKERNEL_VERSION_NUMBER,
          has_keyboard ? "with a keyboard" : "type s to suspend");
    is_answered = xSemaphoreCreateBinaryStatic(&semaphore);
    xTaskCreateStatic(run, "desk", STACK_WORDS, NULL, TASK_PRIORITY, stack, &task);
    start_devices();
    port_set_external_handler(handle_external);
    vTaskStartScheduler();
}
