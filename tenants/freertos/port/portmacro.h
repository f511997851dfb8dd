/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FreeRTOS port for a RISC-V hart in S-mode on top of SBI: types and macros that the kernel asks a
 * port for. One hart, RV64, no floating point.
 */
#ifndef PORTMACRO_H
#define PORTMACRO_H

#include <stdint.h>

#include "rt/csr.h"

#define portSTACK_TYPE uint64_t
#define portBASE_TYPE int64_t
#define portPOINTER_SIZE_TYPE uint64_t

typedef portSTACK_TYPE StackType_t;
typedef int64_t BaseType_t;
typedef uint64_t UBaseType_t;
typedef uint64_t TickType_t;

#define portMAX_DELAY ((TickType_t)UINT64_MAX)
/* A tick count is read by one load. */
#define portTICK_TYPE_IS_ATOMIC 1
#define portTICK_PERIOD_MS ((TickType_t)1000 / configTICK_RATE_HZ)

#define portSTACK_GROWTH (-1)
#define portBYTE_ALIGNMENT 16
#define portPRIVILEGE_BIT ((UBaseType_t)0)

/*
 * Asks for a context switch by making the own software interrupt pending: it is taken at once, or
 * when the critical section that the caller is in ends.
 */
#define portYIELD() csr_set(sip, INTERRUPT_SOFTWARE)
#define portYIELD_FROM_ISR(is_needed)                                                              \
    do {                                                                                           \
        if ((is_needed) != pdFALSE) {                                                              \
            portYIELD();                                                                           \
        }                                                                                          \
    } while (0)
#define portEND_SWITCHING_ISR(is_needed) portYIELD_FROM_ISR(is_needed)

/*
 * Critical sections turn off sstatus.SIE; the kernel counts their nesting in each task's control
 * block. Interrupts never nest, so handlers need no mask.
 */
#define portCRITICAL_NESTING_IN_TCB 1
#define portDISABLE_INTERRUPTS() interrupts_disable()
#define portENABLE_INTERRUPTS() interrupts_enable()
#define portENTER_CRITICAL() vTaskEnterCritical()
#define portEXIT_CRITICAL() vTaskExitCritical()
extern void vTaskEnterCritical(void);
extern void vTaskExitCritical(void);

#define portTASK_FUNCTION_PROTO(function, parameters) void function(void *parameters)
#define portTASK_FUNCTION(function, parameters) void function(void *parameters)
#define portNOP() __asm__ volatile("nop")
#define portMEMORY_BARRIER() __asm__ volatile("" : : : "memory")

#endif
