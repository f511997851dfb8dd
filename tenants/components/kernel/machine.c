/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/kernel/machine.h"

#include <string.h>

#include "components/kernel/component.h"
#include "components/kernel/kernel.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"

#define INTERRUPTS_ALL (INTERRUPT_SOFTWARE | INTERRUPT_TIMER | INTERRUPT_EXTERNAL)

struct machine machine;

uint64_t machine_interrupts(void)
{
    uint64_t there = csr_read(sip) & csr_read(sie);

    csr_clear(sie, there);
    csr_clear(sip, there & INTERRUPT_SOFTWARE);
    return there;
}

void machine_unmask(uint64_t interrupt)
{
    csr_set(sie, 1ull << interrupt & INTERRUPTS_ALL);
}

void machine_raise(void)
{
    csr_set(sip, INTERRUPT_SOFTWARE);
}

void machine_set_timer(uint64_t time)
{
    sbi_set_timer(time);
    csr_set(sie, INTERRUPT_TIMER);
}

void machine_wait(void)
{
    while ((csr_read(sip) & csr_read(sie)) == 0) {
        wait_for_interrupt();
    }
}

void machine_fence(void)
{
    __asm__ volatile("sfence.vma" : : : "memory");
}

void machine_set_space(uint64_t satp)
{
    if (csr_read(satp) == satp) {
        return;
    }
    csr_write(satp, satp);
    if (!machine.has_asids) {
        __asm__ volatile("sfence.vma zero, %0" : : "r"(0ul) : "memory");
    }
}

void machine_print(const char *bytes, uint64_t length)
{
    console_write(bytes, length);
}

uint64_t machine_argument(const char *name)
{
    return strcmp(name, "timebase-hz") == 0 ? platform.timebase_hz : platform_number(name, 0);
}

void machine_shutdown(bool failure)
{
    sbi_shutdown(failure);
}

bool machine_is_nested(void)
{
    return (csr_read(sstatus) & SSTATUS_SPP) != 0;
}

void machine_fault(const struct thread *thread)
{
    print("components: fault in the kernel: scause=0x%lx sepc=0x%lx stval=0x%lx ra=0x%lx\n",
          csr_read(scause), csr_read(sepc), csr_read(stval), thread->registers[1]);
    sbi_shutdown(true);
}
