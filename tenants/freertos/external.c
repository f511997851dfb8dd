/* SPDX-License-Identifier: BSD-2-Clause */
#include "external.h"

#include "rt/plic.h"
#include "task.h"

#define SOURCE_PRIORITY 1

static struct {
    uint32_t source;
    port_external_handler handler;
} handlers[EXTERNAL_SOURCES];
static uint32_t handler_count;

static BaseType_t handle(void)
{
    uint32_t source = plic_claim();
    BaseType_t is_switch_needed = pdFALSE;

    for (uint32_t i = 0; i < handler_count; i++) {
        if (handlers[i].source == source) {
            is_switch_needed = handlers[i].handler();
        }
    }
    if (source != 0) {
        plic_complete(source);
    }
    return is_switch_needed;
}

void external_handle(uint32_t source, port_external_handler handler)
{
    uint32_t place = 0;

    taskENTER_CRITICAL();
    while (place < handler_count && handlers[place].source != source) {
        place++;
    }
    configASSERT(place < EXTERNAL_SOURCES);
    handlers[place].source = source;
    handlers[place].handler = handler;
    handler_count += place == handler_count;
    taskEXIT_CRITICAL();
    plic_set_threshold(0);
    port_set_external_handler(handle);
    plic_enable(source, SOURCE_PRIORITY);
}
