/* SPDX-License-Identifier: BSD-2-Clause */
/* How the FreeRTOS kernel is built for tenants: see the FreeRTOS reference manual, "Customising".
 */
#ifndef FREERTOS_CONFIG_H
#define FREERTOS_CONFIG_H

#define configTICK_RATE_HZ 1000
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_64_BITS
#define configMAX_PRIORITIES 8
#define configMAX_TASK_NAME_LEN 16
/* Words of 8 bytes. The stack of a task also holds its 256-byte frame while it does not run. */
#define configMINIMAL_STACK_SIZE 256
#define configUSE_PREEMPTION 1
#define configUSE_TIME_SLICING 1
#define configUSE_PORT_OPTIMISED_TASK_SELECTION 0
#define configIDLE_SHOULD_YIELD 1

#define configSUPPORT_STATIC_ALLOCATION 1
#define configKERNEL_PROVIDED_STATIC_MEMORY 1
#define configSUPPORT_DYNAMIC_ALLOCATION 1
#define configTOTAL_HEAP_SIZE 65536

/* The idle hook waits in WFI, which gives the hart to other tenants: see hooks.c. */
#define configUSE_IDLE_HOOK 1
#define configUSE_TICK_HOOK 0
#define configUSE_MALLOC_FAILED_HOOK 1
#define configCHECK_FOR_STACK_OVERFLOW 2

#define configUSE_MUTEXES 1
#define configUSE_RECURSIVE_MUTEXES 1
#define configUSE_COUNTING_SEMAPHORES 1
#define configUSE_TASK_NOTIFICATIONS 1
#define configUSE_TIMERS 0
#define configUSE_EVENT_GROUPS 1
#define configUSE_STREAM_BUFFERS 1
#define configUSE_TRACE_FACILITY 0
#define configUSE_CO_ROUTINES 0

#define INCLUDE_vTaskDelay 1
#define INCLUDE_xTaskDelayUntil 1
#define INCLUDE_vTaskDelete 1
#define INCLUDE_vTaskSuspend 1
#define INCLUDE_vTaskPrioritySet 1
#define INCLUDE_uxTaskPriorityGet 1
#define INCLUDE_xTaskGetCurrentTaskHandle 1
#define INCLUDE_xTaskGetSchedulerState 1

__attribute__((noreturn)) void application_assert_failed(const char *file, int line);

#define configASSERT(condition)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            application_assert_failed(__FILE__, __LINE__);                                         \
        }                                                                                          \
    } while (0)

#endif
