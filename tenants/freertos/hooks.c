/* SPDX-License-Identifier: BSD-2-Clause */
/* What the FreeRTOS kernel asks every application for. */
#include "FreeRTOS.h"
#include "rt/console.h"
#include "rt/csr.h"
#include "rt/sbi.h"
#include "task.h"

/*
 * Nothing to do: waits in WFI, by which the monitor gives the hart to others. Interrupts are on;
 * one that comes just before the WFI was handled, and the tick ends the wait at the latest.
 */
void vApplicationIdleHook(void)
{
    wait_for_interrupt();
}

void vApplicationMallocFailedHook(void)
{
    interrupts_disable();
    print("FreeRTOS: out of heap\n");
    sbi_shutdown(true);
}

void vApplicationStackOverflowHook(TaskHandle_t task, char *name)
{
    (void)task;
    interrupts_disable();
    print("FreeRTOS: stack overflow in task %s\n", name);
    sbi_shutdown(true);
}

void application_assert_failed(const char *file, int line)
{
    interrupts_disable();
    print("FreeRTOS: assertion failed at %s:%d\n", file, line);
    sbi_shutdown(true);
}
