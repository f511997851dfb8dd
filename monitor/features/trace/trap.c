/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/trace/trap.h"

#include "arch/csr.h"
#include "arch/guest_memory.h"
#include "core/tenant.h"
#include "features/plic/device_pages.h"
#include "features/trace/trace.h"

/* Bits of the arguments of records that begin a trap. */
#define CYCLES_SHIFT 48
#define MOST_CYCLES 0xffff
#define SBI_FUNCTION_SHIFT 32
#define SBI_ERROR_SHIFT 40
/* And of COTENANT_TRACE_MMIO. */
#define STORE_SHIFT 56

static struct trace_record *record_trap(const struct hart *hart, const struct vhart *vhart,
                                        uint64_t cause)
{
    uint32_t index = traces[hart->index].index;
    const uint64_t *registers = vhart->world.registers;
    uint64_t function = registers[REGISTER_A6] < 0xff ? registers[REGISTER_A6] : 0xff;

    if (cause == CAUSE_ECALL_FROM_S) {
        return trace_add(hart, COTENANT_TRACE_SBI, index,
                         (uint32_t)registers[REGISTER_A7] | function << SBI_FUNCTION_SHIFT);
    }
    return trace_add(hart, (int64_t)cause < 0 ? COTENANT_TRACE_INTERRUPT : COTENANT_TRACE_EXCEPTION,
                     index, cause & 0xffff);
}

/* What is known of a trap only when it has been dealt with. */
static void complete_record(struct trace_record *record, const struct vhart *vhart, uint64_t cause,
                            uint64_t cycles)
{
    uint64_t argument = record->argument;

    if (cause == CAUSE_ECALL_FROM_S) {
        argument |= (vhart->world.registers[REGISTER_A0] & 0xff) << SBI_ERROR_SHIFT;
    }
    record->argument = argument | (cycles < MOST_CYCLES ? cycles : MOST_CYCLES) << CYCLES_SHIFT;
}

/* An access that was refused either reached a virtual device or was shown as a fault. */
static void record_access(const struct hart *hart, struct vhart *vhart, uint64_t cause,
                          uint64_t address, bool faulted)
{
    uint32_t index = (uint32_t)vhart_index(vhart);
    uint64_t physical;

    if (faulted) {
        trace_add(hart, COTENANT_TRACE_FAULT, index, address);
    } else if ((cause == CAUSE_LOAD_ACCESS || cause == CAUSE_STORE_ACCESS) &&
               device_translate(vhart, CSR_READ(satp), address, &physical)) {
        trace_add(hart, COTENANT_TRACE_MMIO, index,
                  physical | (uint64_t)(cause == CAUSE_STORE_ACCESS) << STORE_SHIFT);
    }
}

world_change trace_trap(struct hart *hart)
{
    const struct trace_header *ring = traces[hart->index].ring;
    struct vhart *vhart = hart->loaded;
    uint64_t cycles = CSR_READ(mcycle);
    uint64_t cause = CSR_READ(mcause);
    uint64_t value = CSR_READ(mtval);
    uint64_t faults = vhart->faults;
    uint64_t written = ring->written;
    struct trace_record *record = record_trap(hart, vhart, cause);
    world_change change = trap_dispatch(hart);

    record_access(hart, vhart, cause, value, vhart->faults != faults);
    trace_running(hart, hart->loaded);
    /* A hart that idled meanwhile may have gone round the whole ring. */
    if (ring->written - written <= ring->capacity) {
        complete_record(record, vhart, cause, CSR_READ(mcycle) - cycles);
    }
    return change;
}
