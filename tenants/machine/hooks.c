/* SPDX-License-Identifier: BSD-2-Clause */
/* What the FreeRTOS kernel and its port for machine mode ask every application for. */
#include "FreeRTOS.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "task.h"

extern const char freertos_risc_v_trap_handler[];

/* The application; it does not know of the vector. */
void application_main(void);

void main(void)
{
    __asm__ volatile("csrw mtvec, %0" : : "r"(freertos_risc_v_trap_handler));
    application_main();
}

/* Nothing to do: the tick ends the wait at the latest. */
void vApplicationIdleHook(void)
{
    __asm__ volatile("wfi");
}

static __attribute__((noreturn)) void fail(void)
{
    portDISABLE_INTERRUPTS();
    sbi_shutdown(true);
}

void vApplicationMallocFailedHook(void)
{
    print("FreeRTOS: out of heap\n");
    fail();
}

void vApplicationStackOverflowHook(TaskHandle_t task, char *name)
{
    (void)task;
    print("FreeRTOS: stack overflow in task %s\n", name);
    fail();
}

void application_assert_failed(const char *file, int line)
{
    print("FreeRTOS: assertion failed at %s:%d\n", file, line);
    fail();
}
