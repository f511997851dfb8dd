/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/fast_device.h"

#include "arch/csr.h"
#include "arch/guest_memory.h"
#include "core/console.h"
#include "core/shared_lock.h"
#include "irq/routing.h"
#include "vdev/mmio.h"

/* LB and SB: opcode and funct3; LBU has its own. */
#define ENCODING_MASK 0x707f
#define ENCODING_LB 0x0003
#define ENCODING_LBU 0x4003
#define ENCODING_SB 0x0023

static const struct world_change not_here = {NULL, NULL};

/* The register of the tenant's UART that the fault is about, or MMIO_UART_SIZE and above. */
static inline uint64_t uart_register(struct vhart *vhart)
{
    uint64_t satp = CSR_READ(satp);
    uint64_t physical = CSR_READ(mtval);

    if (satp >> SATP_MODE_SHIFT != 0 && !guest_recall_device(vhart, satp, physical, &physical)) {
        return MMIO_UART_SIZE;
    }
    return mmio_uart_offset(vhart->tenant, physical);
}

static inline struct world_change finish(struct hart *hart, struct vhart *vhart)
{
    vhart->world.registers[REGISTER_PC] += 4;
    if (hart->reschedule) {
        return hart_schedule(hart);
    }
    return (struct world_change){&vhart->world, &vhart->world};
}

/* Nothing was done: the vhart makes the access again. */
static inline struct world_change again(struct vhart *vhart)
{
    return (struct world_change){&vhart->world, &vhart->world};
}

struct world_change fast_load(struct hart *hart)
{
    struct vhart *vhart = hart->loaded;
    uint64_t offset = uart_register(vhart);
    uint32_t instruction;
    uint32_t reg;
    uint8_t value;
    bool plain;

    if (offset >= MMIO_UART_SIZE) {
        return not_here;
    }
    instruction = guest_fetch_native(vhart->world.registers[REGISTER_PC]);
    reg = instruction >> 7 & 31;
    if ((instruction & ENCODING_MASK & ~(ENCODING_LB ^ ENCODING_LBU)) != ENCODING_LB || reg == 0) {
        return not_here;
    }
    if (!shared_try_enter(hart)) {
        return again(vhart);
    }
    plain = vuart_read_is_plain(&vhart->tenant->uart, (unsigned)offset);
    value = vuart_read(&vhart->tenant->uart, (unsigned)offset);
    if (!plain) {
        routing_refresh_uart(vhart->tenant);
    }
    shared_leave(hart);
    vhart->world.registers[reg] =
        (instruction & ENCODING_MASK) == ENCODING_LB ? (uint64_t)(int8_t)value : value;
    return finish(hart, vhart);
}

struct world_change fast_store(struct hart *hart)
{
    struct vhart *vhart = hart->loaded;
    uint64_t offset = uart_register(vhart);
    uint32_t instruction;
    uint32_t reg;

    if (offset >= MMIO_UART_SIZE) {
        return not_here;
    }
    instruction = guest_fetch_native(vhart->world.registers[REGISTER_PC]);
    reg = instruction >> 20 & 31;
    if ((instruction & ENCODING_MASK) != ENCODING_SB) {
        return not_here;
    }
    if (!shared_try_enter(hart)) {
        return again(vhart);
    }
    mmio_uart_store(vhart->tenant, (unsigned)offset,
                    reg == 0 ? 0 : (uint8_t)vhart->world.registers[reg]);
    shared_leave(hart);
    return finish(hart, vhart);
}
