/* SPDX-License-Identifier: BSD-2-Clause */

#include "arch/csr.h"
#include "arch/guest_memory.h"
#include "core/shared_lock.h"
#include "core/wanted.h"
#include "entry/fast_switch.h"
#include "features/plic/device_pages.h"
#include "features/plic/direct_completion.h"
#include "features/plic/mmio.h"
#include "features/plic/plic_vhart.h"
#include "features/plic/routing.h"
#include "features/plic/vuart_registers.h"

/* Opcode and funct3 of the loads and stores of a byte, and of a word in both lengths. */
#define ENCODING_MASK 0x707f
#define ENCODING_LB 0x0003
#define ENCODING_LBU 0x4003
#define ENCODING_SB 0x0023
#define ENCODING_LW 0x2003
#define ENCODING_SW 0x2023
#define COMPRESSED_MASK 0xe003
#define ENCODING_C_LW 0x4000
#define ENCODING_C_SW 0xc000

#define NOT_EMULATED UINT64_MAX

/* The physical address of the fault, if that needs no search; NOT_EMULATED otherwise. */
static inline uint64_t device_address(struct vhart *vhart)
{
    uint64_t satp = CSR_READ(satp);
    uint64_t physical = CSR_READ(mtval);

    if (satp >> SATP_MODE_SHIFT != 0 && !device_recall(vhart, satp, physical, &physical)) {
        return NOT_EMULATED;
    }
    return physical;
}

static inline world_change finish(struct hart *hart, struct vhart *vhart, uint64_t length)
{
    vhart->world.registers[REGISTER_PC] += length;
    if (hart->reschedule) {
        return hart_schedule(hart);
    }
    return fast_resume(hart, vhart);
}

/* Nothing was done: the vhart makes the access again. */
static inline world_change again(struct vhart *vhart)
{
    return change_world(&vhart->world, &vhart->world);
}

/* The register of a compressed load or store: bits 4-2 of the instruction, x8 to x15. */
static inline uint32_t compressed_register(uint32_t instruction)
{
    return (instruction >> 2 & 7) + 8;
}

/* A load or store of a word: the register, and the bytes of the instruction. */
struct word_access {
    uint32_t reg;
    uint64_t length;
};

/* False: the instruction at the vhart's pc is no load of a word into a register. */
static inline bool decode_load(const struct vhart *vhart, struct word_access *access)
{
    uint32_t instruction = guest_fetch_native(vhart->world.registers[REGISTER_PC]);
    bool compressed = (instruction & COMPRESSED_MASK) == ENCODING_C_LW;

    access->reg = compressed ? compressed_register(instruction) : instruction >> 7 & 31;
    access->length = compressed ? 2 : 4;
    return (compressed || (instruction & ENCODING_MASK) == ENCODING_LW) && access->reg != 0;
}

/* False: the instruction at the vhart's pc is no store of a word. */
static inline bool decode_store(const struct vhart *vhart, struct word_access *access)
{
    uint32_t instruction = guest_fetch_native(vhart->world.registers[REGISTER_PC]);
    bool compressed = (instruction & COMPRESSED_MASK) == ENCODING_C_SW;

    access->reg = compressed ? compressed_register(instruction) : instruction >> 20 & 31;
    access->length = compressed ? 2 : 4;
    return compressed || (instruction & ENCODING_MASK) == ENCODING_SW;
}

/* Without a branch: x0 is not kept, and its place is another register's. */
static inline uint32_t stored_word(const struct vhart *vhart, const struct word_access *access)
{
    return (uint32_t)vhart->world.registers[access->reg] & -(uint32_t)(access->reg != 0);
}

/* Out of line: the accesses to the UART do not pay for its registers. */
static world_change __attribute__((noinline)) load_claim(struct hart *hart, struct vhart *vhart)
{
    struct tenant *tenant = vhart->tenant;
    struct word_access access;
    uint32_t value;

    if (!decode_load(vhart, &access)) {
        return NO_CHANGE;
    }
    if (hart_is_wanted() || !shared_try_enter(hart)) {
        return again(vhart);
    }
    value = vplic_claim(tenant->plic, vhart->world.vhart_id);
    routing_refresh(tenant);
    shared_leave(hart);
    vhart->world.registers[access.reg] = (uint64_t)(int32_t)value;
    return finish(hart, vhart, access.length);
}

/* The same for a register in a window. */
static world_change __attribute__((noinline))
load_word(struct hart *hart, struct vhart *vhart, uint64_t physical)
{
    const struct mmio_window *window = device_window(vhart, CSR_READ(mtval), physical);
    enum mmio_result result;
    struct word_access access;
    uint64_t value;

    if (window == NULL || !decode_load(vhart, &access)) {
        return NO_CHANGE;
    }
    if (hart_is_wanted() || !shared_try_enter(hart)) {
        return again(vhart);
    }
    result = window->access(vhart, physical, sizeof(uint32_t), false, &value);
    shared_leave(hart);
    if (result != MMIO_DONE) {
        return result == MMIO_FAULT ? NO_CHANGE : finish(hart, vhart, 0);
    }
    vhart->world.registers[access.reg] = (uint64_t)(int32_t)value;
    return finish(hart, vhart, access.length);
}

static world_change __attribute__((noinline)) store_claim(struct hart *hart, struct vhart *vhart)
{
    struct tenant *tenant = vhart->tenant;
    struct word_access access;
    uint32_t value;

    if (!decode_store(vhart, &access)) {
        return NO_CHANGE;
    }
    value = stored_word(vhart, &access);
    if (complete_directly(vhart, value)) {
        return finish(hart, vhart, access.length);
    }
    if (hart_is_wanted() || !shared_try_enter(hart)) {
        return again(vhart);
    }
    vplic_complete(tenant->plic, vhart->world.vhart_id, value);
    routing_refresh(tenant);
    shared_leave(hart);
    return finish(hart, vhart, access.length);
}

static world_change __attribute__((noinline))
store_word(struct hart *hart, struct vhart *vhart, uint64_t physical)
{
    const struct mmio_window *window = device_window(vhart, CSR_READ(mtval), physical);
    enum mmio_result result;
    struct word_access access;
    uint64_t value;

    if (window == NULL || !decode_store(vhart, &access)) {
        return NO_CHANGE;
    }
    if (hart_is_wanted() || !shared_try_enter(hart)) {
        return again(vhart);
    }
    value = stored_word(vhart, &access);
    result = window->access(vhart, physical, sizeof(uint32_t), true, &value);
    shared_leave(hart);
    if (result == MMIO_FAULT) {
        return NO_CHANGE;
    }
    return finish(hart, vhart, result == MMIO_AGAIN ? 0 : access.length);
}

world_change fast_load(struct hart *hart)
{
    struct vhart *vhart = hart->loaded;
    uint64_t physical = device_address(vhart);
    uint64_t offset = mmio_uart_offset(vhart->tenant, physical);
    uint32_t instruction;
    uint32_t reg;
    uint8_t value;
    bool plain;

    if (offset >= MMIO_UART_SIZE) {
        return physical == vhart->plic->claim_register ? load_claim(hart, vhart)
                                                       : load_word(hart, vhart, physical);
    }
    instruction = guest_fetch_native(vhart->world.registers[REGISTER_PC]);
    reg = instruction >> 7 & 31;
    if ((instruction & ENCODING_MASK & ~(ENCODING_LB ^ ENCODING_LBU)) != ENCODING_LB || reg == 0) {
        return NO_CHANGE;
    }
    if (!shared_try_enter(hart)) {
        return again(vhart);
    }
    plain = vuart_read_is_plain(&vhart->tenant->uart, (unsigned)offset);
    value = vuart_read(&vhart->tenant->uart, (unsigned)offset);
    if (!plain) {
        vuart_refresh(vhart->tenant);
    }
    shared_leave(hart);
    vhart->world.registers[reg] =
        (instruction & ENCODING_MASK) == ENCODING_LB ? (uint64_t)(int8_t)value : value;
    return finish(hart, vhart, 4);
}

world_change fast_store(struct hart *hart)
{
    struct vhart *vhart = hart->loaded;
    uint64_t physical = device_address(vhart);
    uint64_t offset = mmio_uart_offset(vhart->tenant, physical);
    uint32_t instruction;
    uint32_t reg;

    if (offset >= MMIO_UART_SIZE) {
        return physical == vhart->plic->claim_register ? store_claim(hart, vhart)
                                                       : store_word(hart, vhart, physical);
    }
    instruction = guest_fetch_native(vhart->world.registers[REGISTER_PC]);
    reg = instruction >> 20 & 31;
    if ((instruction & ENCODING_MASK) != ENCODING_SB) {
        return NO_CHANGE;
    }
    if (!shared_try_enter(hart)) {
        return again(vhart);
    }
    mmio_uart_store(vhart->tenant, (unsigned)offset,
                    reg == 0 ? 0 : (uint8_t)vhart->world.registers[reg]);
    shared_leave(hart);
    return finish(hart, vhart, 4);
}
