/* SPDX-License-Identifier: BSD-2-Clause */
/* From main() of a tenant (rt/main.c) to the first instruction of the scheduler component. */
#include "components/kernel/kernel.h"
#include "components/kernel/machine.h"
#include "components/kernel/pages.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"

#define MEMORY_LIMIT 0x4000000
#define SATP_ASIDS ((uint64_t)0xffff << 44)
#define COUNTERS_CYCLE_TIME 3 /* of scounteren */

extern const char entry_asids[];
extern const char entry_fence[];
extern const char image_start[];
extern const char image_end[];
__attribute__((noreturn)) void resume(struct thread *thread);

/* ASIDs are as many bits as satp keeps of those written (privileged architecture, 4.1.11). */
static bool find_asids(void)
{
    uint64_t kept;

    csr_write(satp, component_dead.satp | SATP_ASIDS);
    kept = csr_read(satp) & SATP_ASIDS;
    csr_write(satp, component_dead.satp);
    machine_fence();
    return kept >> 44 >= COMPONENTS;
}

/* The device tree, which is at the end of the memory, is kept: arguments are in it. */
static void find_memory(void)
{
    uint64_t end = platform.memory_base + platform.memory_size;
    uint64_t start = (uintptr_t)image_start;
    uint64_t tree = (uintptr_t)platform.fdt.structure;

    if (tree > (uintptr_t)platform.fdt.strings) {
        tree = (uintptr_t)platform.fdt.strings;
    }
    if (end - start > MEMORY_LIMIT) {
        end = start + MEMORY_LIMIT;
    }
    machine.memory_end = end;
    pages_init((uintptr_t)image_end, tree < end ? tree : end);
}

void main(void)
{
    bool has_asids;

    csr_write(sie, 0);
    find_memory();
    if (!components_init()) {
        print("components: the tenant's memory is too small\n");
        sbi_shutdown(true);
    }
    has_asids = platform_number("asids", 1) != 0 && find_asids();
    components_use_asids(has_asids);
    threads_init();
    kernel_init();
    print("components: %u components, %u threads, ASIDs: %s\n", table.components, table.threads,
          has_asids ? "yes" : "no");

    csr_write(scounteren, COUNTERS_CYCLE_TIME);
    csr_write(stvec, (uintptr_t)(has_asids ? entry_asids : entry_fence));
    csr_clear(sstatus, SSTATUS_SPP | SSTATUS_FS | SSTATUS_VS | SSTATUS_SUM | SSTATUS_MXR);
    csr_set(sstatus, SSTATUS_SPIE);
    machine_set_space(kernel.current->component->satp);
    resume(kernel.current);
}
