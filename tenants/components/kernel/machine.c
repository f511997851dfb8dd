/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/kernel/machine.h"

#include <string.h>

#include "components/kernel/component.h"
#include "components/kernel/kernel.h"
#include "rt/console.h"
#include "rt/plic.h"
#include "rt/sbi.h"
#include "rt/virtio_mmio.h"

#define INTERRUPTS_OWN (INTERRUPT_SOFTWARE | INTERRUPT_TIMER)

struct machine machine;

static uint32_t sources[COMPONENTS]; /* of the PLIC, 0: none */

/* A device's stays claimed, and does not come again, until it is unmasked. */
uint64_t machine_interrupts(void)
{
    uint64_t there = csr_read(sip) & csr_read(sie);
    uint32_t source = (there & INTERRUPT_EXTERNAL) != 0 ? plic_claim() : 0;

    there &= INTERRUPTS_OWN;
    csr_clear(sie, there);
    csr_clear(sip, there & INTERRUPT_SOFTWARE);
    for (uint64_t component = 0; source != 0 && component < COMPONENTS; component++) {
        if (sources[component] == source) {
            return there | 1ull << (INTERRUPT_DEVICES + component);
        }
    }
    return there;
}

void machine_unmask(uint64_t interrupt)
{
    if (interrupt >= INTERRUPT_DEVICES) {
        plic_complete(sources[interrupt - INTERRUPT_DEVICES]);
    } else {
        csr_set(sie, 1ull << interrupt & INTERRUPTS_OWN);
    }
}

uint64_t machine_find_device(uint64_t id, uint64_t component)
{
    struct virtio_device device;

    if (platform.plic_base == 0 || !virtio_find(&device, (uint32_t)id) ||
        device.base % PAGE_SIZE != 0) {
        return 0;
    }
    sources[component] = device.source;
    plic_set_threshold(0);
    plic_enable(device.source, 1);
    csr_set(sie, INTERRUPT_EXTERNAL);
    return device.base;
}

void machine_raise(void)
{
    csr_set(sip, INTERRUPT_SOFTWARE);
}

void machine_set_timer(uint64_t time)
{
    static uint64_t last = UINT64_MAX; /* which was set, or nothing */

    /* A later one is not set before the earlier one has come: most are taken back before. */
    if (time < last || (time > last && last <= clock_now())) {
        sbi_set_timer(time);
        last = time;
    }
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

uint64_t machine_print(const char *bytes, uint64_t length)
{
    return console_offer(bytes, length);
}

uint64_t machine_argument(const char *name, uint64_t skip)
{
    return strcmp(name, "timebase-hz") == 0 ? platform.timebase_hz
                                            : platform_nth_number(name, skip);
}

void machine_shutdown(bool failure)
{
    sbi_shutdown(failure);
}

void machine_check(const struct thread *thread)
{
    if ((csr_read(sstatus) & SSTATUS_SPP) == 0) {
        return;
    }
    print("components: fault in the kernel: scause=0x%lx sepc=0x%lx stval=0x%lx ra=0x%lx\n",
          csr_read(scause), csr_read(sepc), csr_read(stval), thread->registers[1]);
    sbi_shutdown(true);
}
