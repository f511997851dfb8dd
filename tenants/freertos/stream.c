/* SPDX-License-Identifier: BSD-2-Clause */
#include "stream.h"

#include "external.h"
#include "task.h"

/* Tasks that wait for something to change; told at each interrupt, and then to look again. */
static TaskHandle_t waiters[STREAM_WAITERS];
static uint32_t waiter_count;

static BaseType_t handle_interrupt(void)
{
    BaseType_t is_switch_needed = pdFALSE;

    channels_interrupt();
    while (waiter_count > 0) {
        vTaskNotifyGiveFromISR(waiters[--waiter_count], &is_switch_needed);
    }
    return is_switch_needed;
}

/* In a critical section: the interrupt that says that something has changed comes after it. */
static void begin_to_wait(void)
{
    configASSERT(waiter_count < STREAM_WAITERS);
    waiters[waiter_count++] = xTaskGetCurrentTaskHandle();
}

/* The end of a wait that nothing has ended but time. */
static void stop_waiting(void)
{
    TaskHandle_t self = xTaskGetCurrentTaskHandle();

    taskENTER_CRITICAL();
    for (uint32_t i = 0; i < waiter_count; i++) {
        if (waiters[i] == self) {
            waiters[i] = waiters[--waiter_count];
        }
    }
    taskEXIT_CRITICAL();
    (void)ulTaskNotifyTake(pdTRUE, 0);
}

/* Whether it was told in time. */
static bool wait_for_change(TickType_t ticks)
{
    if (ulTaskNotifyTake(pdTRUE, ticks) != 0) {
        return true;
    }
    stop_waiting();
    return false;
}

bool streams_start(void)
{
    if (!channels_start()) {
        return false;
    }
    external_handle(channels_source(), handle_interrupt);
    return true;
}

struct channel *stream_open(const char *name)
{
    struct channel *channel;

    taskENTER_CRITICAL();
    channel = channel_open(name);
    taskEXIT_CRITICAL();
    return channel;
}

bool stream_wait_connected(struct channel *channel, TickType_t ticks)
{
    bool connected;

    do {
        taskENTER_CRITICAL();
        connected = channel_is_connected(channel);
        if (!connected && ticks != 0) {
            begin_to_wait();
        }
        taskEXIT_CRITICAL();
    } while (!connected && ticks != 0 && wait_for_change(ticks));
    return connected;
}

uint32_t stream_read(struct channel *channel, void *bytes, uint32_t size, TickType_t ticks)
{
    uint32_t count;

    do {
        taskENTER_CRITICAL();
        count = channel_read(channel, bytes, size);
        if (count == 0 && ticks != 0) {
            begin_to_wait();
        }
        taskEXIT_CRITICAL();
    } while (count == 0 && ticks != 0 && wait_for_change(ticks));
    return count;
}

uint32_t stream_write(struct channel *channel, const void *bytes, uint32_t size, TickType_t ticks)
{
    uint32_t sent = 0;
    bool told;

    do {
        taskENTER_CRITICAL();
        sent += channel_write(channel, (const uint8_t *)bytes + sent, size - sent, ticks != 0);
        told = sent < size && ticks != 0;
        if (told) {
            begin_to_wait();
        }
        taskEXIT_CRITICAL();
    } while (told && wait_for_change(ticks));
    return sent;
}
