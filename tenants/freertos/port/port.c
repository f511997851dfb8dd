/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FreeRTOS port for RISC-V S-mode: start of the scheduler, tick, interrupts. The trap entry and the
 * context switch are in port_asm.S.
 *
 * The tick is the SBI timer with absolute deadlines: tick n is due at origin + n * timebase / rate,
 * however late the hart was for the ticks before. Ticks that fell due while another tenant had the
 * hart are made up for, one by one, in the next tick interrupt.
 */
#include "port.h"

#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "task.h"

/* A task's frame, port_asm.S: word n is register xn, but for these two. */
#define FRAME_WORDS 32
#define FRAME_PC 0
#define FRAME_SSTATUS 2
#define REGISTER_RA 1
#define REGISTER_A0 10

extern const char port_trap_entry[];
__attribute__((noreturn)) void port_start_first_task(void);
void port_interrupt(uint64_t cause);
__attribute__((noreturn)) void port_exception(const uint64_t *frame, uint64_t stack_pointer);

static uint64_t tick_origin;
static TickType_t ticks_counted;
static port_external_handler external_handler;

/* A task function came to its end, which FreeRTOS forbids: the task goes, the others stay. */
static void task_returned(void)
{
    print("FreeRTOS: a task function returned\n");
    vTaskDelete(NULL);
}

/* Builds the frame from which port_asm.S starts the task for the first time. */
StackType_t *pxPortInitialiseStack(StackType_t *top, TaskFunction_t function, void *parameters)
{
    StackType_t *frame = top - FRAME_WORDS;

    for (unsigned i = 0; i < FRAME_WORDS; i++) {
        frame[i] = 0;
    }
    frame[FRAME_PC] = (uintptr_t)function;
    frame[FRAME_SSTATUS] = SSTATUS_SPP | SSTATUS_SPIE;
    frame[REGISTER_RA] = (uintptr_t)task_returned;
    frame[REGISTER_A0] = (uintptr_t)parameters;
    return frame;
}

uint64_t port_tick_time(TickType_t tick)
{
    return tick_origin + tick * platform.timebase_hz / configTICK_RATE_HZ;
}

/*
 * Counts every tick that is due, arms the next one; says whether another task is to run. None may
 * be due: an interrupt can be spurious (QEMU's stimecmp timer of another tenant can fire just after
 * a world switch has written this one's), and a tick counted early would never be made up for.
 */
static BaseType_t handle_tick(void)
{
    BaseType_t is_switch_needed = pdFALSE;

    while (clock_now() >= port_tick_time(ticks_counted + 1)) {
        ticks_counted++;
        if (xTaskIncrementTick() != pdFALSE) {
            is_switch_needed = pdTRUE;
        }
    }
    sbi_set_timer(port_tick_time(ticks_counted + 1));
    return is_switch_needed;
}

void port_delay_ticks(uint64_t by)
{
    taskENTER_CRITICAL();
    tick_origin += by;
    sbi_set_timer(port_tick_time(ticks_counted + 1));
    taskEXIT_CRITICAL();
}

/* Called by port_asm.S on the interrupt stack, the interrupted task saved, interrupts off. */
void port_interrupt(uint64_t cause)
{
    BaseType_t is_switch_needed = pdFALSE;

    switch (cause & ~CAUSE_INTERRUPT) {
    case CAUSE_INTERRUPT_SOFTWARE:
        csr_clear(sip, INTERRUPT_SOFTWARE);
        is_switch_needed = pdTRUE;
        break;
    case CAUSE_INTERRUPT_TIMER:
        is_switch_needed = handle_tick();
        break;
    case CAUSE_INTERRUPT_EXTERNAL:
        is_switch_needed = external_handler();
        break;
    default:
        break;
    }
    if (is_switch_needed != pdFALSE) {
        vTaskSwitchContext();
    }
}

/* Called by port_asm.S for every exception: nothing here can go on after one. */
void port_exception(const uint64_t *frame, uint64_t stack_pointer)
{
    print("FreeRTOS: exception in %s: scause=0x%lx sepc=0x%lx stval=0x%lx ra=0x%lx sp=0x%lx\n",
          xTaskGetCurrentTaskHandle() != NULL ? pcTaskGetName(NULL) : "start", csr_read(scause),
          csr_read(sepc), csr_read(stval), frame[REGISTER_RA], stack_pointer);
    sbi_shutdown(true);
}

void port_set_external_handler(port_external_handler handler)
{
    external_handler = handler;
    csr_set(sie, INTERRUPT_EXTERNAL);
}

void port_suspend(struct suspend_result *result)
{
    uint64_t enabled = csr_read(sie);
    uint64_t left = clock_now();

    suspend(SBI_EXT_SUSP, SBI_SUSP_SYSTEM_SUSPEND, SBI_SUSP_TO_RAM, result);
    tick_origin += clock_now() - left;
    csr_write(stvec, (uintptr_t)port_trap_entry);
    csr_write(sie, enabled);
    sbi_set_timer(port_tick_time(ticks_counted + 1));
}

BaseType_t xPortStartScheduler(void)
{
    interrupts_disable();
    csr_write(stvec, (uintptr_t)port_trap_entry);
    csr_clear(sip, INTERRUPT_SOFTWARE);
    tick_origin = clock_now();
    sbi_set_timer(port_tick_time(1));
    csr_set(sie, INTERRUPT_SOFTWARE | INTERRUPT_TIMER);
    port_start_first_task();
}

/* The scheduler runs until the tenant shuts down; the kernel needs the symbol. */
void vPortEndScheduler(void)
{
    sbi_shutdown(false);
}
