/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A load or store of an emulated register. The trap entry calls the fast paths first, in the state
 * that entry/trap.h tells of: bytes of the virtual UART, words of all else, in pages that are
 * remembered. What they leave alone comes to the plain path, as all does of a vhart that is
 * attended to. tests/system/test_instruction_counts.py holds the counts of the whole paths.
 */
#include "core/access.h"

#include "arch/csr.h"
#include "arch/guest_memory.h"
#include "core/feature.h"
#include "core/hart.h"
#include "core/shared_lock.h"
#include "core/wanted.h"
#include "entry/fast_switch.h"
#include "features/decode/decode.h"
#include "features/plic/claim.h"
#include "features/plic/device_pages.h"
#include "features/plic/mmio.h"
#include "features/plic/uart.h"
#include "features/plic/word_access.h"

/* Opcode and funct3 of the loads and stores of a byte. */
#define ENCODING_LB 0x0003
#define ENCODING_LBU 0x4003
#define ENCODING_SB 0x0023

/* Another vhart may have become due meanwhile: there is something for the scheduler, or a timer
 * interrupt is pending. */
static world_change __attribute__((noinline)) look(struct hart *hart, struct vhart *vhart)
{
    if (!hart->reschedule) {
        hart_poll_interrupts(hart);
    }
    return hart->reschedule ? hart_schedule(hart) : fast_resume_late(hart, vhart);
}

/* The next instruction, `length` bytes on, or the same one again. */
static inline world_change go_on(struct hart *hart, struct vhart *vhart, uint64_t length)
{
    vhart->world.registers[REGISTER_PC] += length;
    if (hart->reschedule || (CSR_READ(mip) & INTERRUPT_MTI) != 0) {
        return look(hart, vhart);
    }
    return change_world(&vhart->world, &vhart->world);
}

static inline uint32_t fetch(const struct vhart *vhart)
{
    return guest_fetch_native(vhart->world.registers[REGISTER_PC]);
}

/* Of a byte of the virtual UART, as console drivers make them. */
static world_change __attribute__((noinline))
load_uart(struct hart *hart, struct vhart *vhart, uint64_t offset)
{
    uint32_t instruction = fetch(vhart);
    uint32_t reg = instruction >> 7 & 31;
    uint8_t value;

    if ((instruction & ENCODING_MASK & ~(ENCODING_LB ^ ENCODING_LBU)) != ENCODING_LB || reg == 0) {
        return NO_CHANGE;
    }
    if (!shared_try_enter(hart)) {
        return go_on(hart, vhart, 0);
    }
    value = uart_load(vhart->tenant, (unsigned)offset);
    shared_leave(hart);
    vhart->world.registers[reg] =
        (instruction & ENCODING_MASK) == ENCODING_LB ? (uint64_t)(int8_t)value : value;
    return go_on(hart, vhart, 4);
}

static world_change __attribute__((noinline))
store_uart(struct hart *hart, struct vhart *vhart, uint64_t offset)
{
    uint32_t instruction = fetch(vhart);
    uint8_t value;

    if ((instruction & ENCODING_MASK) != ENCODING_SB) {
        return NO_CHANGE;
    }
    if (HAS(fast_uart) && offset == 0 && hart_is_alone(hart)) {
        transmit_learn(vhart, CSR_READ(mtval), instruction);
    }
    if (!shared_try_enter(hart)) {
        return go_on(hart, vhart, 0);
    }
    value = (uint8_t)stored_value(vhart, instruction >> 20 & 31);
    if (offset != 0 || !vuart_put(&vhart->tenant->uart, value)) {
        uart_store(vhart->tenant, (unsigned)offset, value);
    }
    shared_leave(hart);
    return go_on(hart, vhart, 4);
}

/* `window`: NULL for the claim register. */
static inline __attribute__((always_inline)) world_change
access_word(struct hart *hart, struct vhart *vhart, uint64_t physical,
            const struct mmio_window *window, bool store)
{
    enum mmio_result result = MMIO_DONE;
    struct word_access access;
    uint64_t value = 0;

    if (!decode_word(fetch(vhart), store, &access)) {
        return NO_CHANGE;
    }
    if (store) {
        value = stored_value(vhart, access.reg);
    }
    if (store && window == NULL && claim_complete_directly(vhart, (uint32_t)value)) {
        return go_on(hart, vhart, access.length);
    }
    if (hart_is_wanted() || !shared_try_enter(hart)) {
        return go_on(hart, vhart, 0);
    }
    if (window == NULL) {
        value = claim_access(vhart, store, (uint32_t)value);
    } else {
        result = window->access(vhart, physical, sizeof(uint32_t), store, &value);
    }
    shared_leave(hart);
    if (result != MMIO_DONE) {
        return result == MMIO_FAULT ? NO_CHANGE : go_on(hart, vhart, 0);
    }
    if (!store) {
        vhart->world.registers[access.reg] = (uint64_t)(int32_t)value;
    }
    return go_on(hart, vhart, access.length);
}

static world_change __attribute__((noinline))
load_word(struct hart *hart, struct vhart *vhart, uint64_t physical,
          const struct mmio_window *window)
{
    return access_word(hart, vhart, physical, window, false);
}

static world_change __attribute__((noinline))
store_word(struct hart *hart, struct vhart *vhart, uint64_t physical,
           const struct mmio_window *window)
{
    return access_word(hart, vhart, physical, window, true);
}

/* Where other harts may come in between. */
static world_change __attribute__((noinline))
switch_with_lock(struct hart *hart, struct vhart *vhart, uint64_t physical,
                 const struct mmio_window *window, bool store)
{
    world_change change = NO_CHANGE;

    if (shared_try_enter(hart)) {
        change = window->switches(hart, vhart, physical, store);
        shared_leave(hart);
    }
    return change;
}

/*
 * An access to what is at a physical address. The usual registers come first. `known`: the page
 * that is remembered, by which it was translated; or NULL.
 */
static inline __attribute__((always_inline)) world_change
access_at(struct vhart *vhart, uint64_t physical, const struct device_page *known, bool store)
{
    struct hart *hart = vhart->world.hart; /* again: else it is moved to another register first */
    uint64_t offset = uart_offset(vhart->tenant, physical);
    const struct mmio_window *window = NULL;

    if (offset < UART_SIZE) {
        return store ? store_uart(hart, vhart, offset) : load_uart(hart, vhart, offset);
    }
    if (physical != vhart->plic->claim_register) {
        window = known != NULL ? known->window : device_window(vhart, physical, physical);
        if (window == NULL) {
            return NO_CHANGE;
        }
        if (window->switches != NULL) {
            return hart_is_alone(hart) ? window->switches(hart, vhart, physical, store)
                                       : switch_with_lock(hart, vhart, physical, window, store);
        }
    }
    return store ? store_word(hart, vhart, physical, window)
                 : load_word(hart, vhart, physical, window);
}

/* If it needs no search. */
static inline __attribute__((always_inline)) world_change fast(struct hart *hart, bool store)
{
    struct vhart *vhart = hart->loaded;
    uint64_t address = CSR_READ(mtval);
    uint64_t satp = CSR_READ(satp);
    const struct device_page *known;
    uint64_t physical;

    if (satp >> SATP_MODE_SHIFT == 0) {
        return access_at(vhart, address, NULL, store);
    }
    known = device_page_of(vhart, address);
    if (!device_recall(known, satp, address, &physical)) {
        return NO_CHANGE;
    }
    return access_at(vhart, physical, known, store);
}

world_change fast_load(struct hart *hart)
{
    return fast(hart, false);
}

world_change fast_store(struct hart *hart)
{
    return fast(hart, true);
}

/* An access of any size to a window, or to none (NULL), the instruction's end included. */
static __attribute__((cold)) enum mmio_result
access_any(struct vhart *vhart, uint64_t physical, bool store, const struct mmio_window *window)
{
    struct world *world = &vhart->world;
    struct memory_access access;
    enum mmio_result result;
    uint64_t value;

    if (window == NULL || !instruction_decode(fetch(vhart), store, &access)) {
        return MMIO_FAULT;
    }
    /* Up to here nothing has changed: a vhart that is due now goes first. */
    if (hart_is_wanted() || !shared_try_enter(world->hart)) {
        return MMIO_AGAIN;
    }
    value = stored_value(vhart, access.reg);
    result = window->access(vhart, physical, access.size, store, &value);
    shared_leave(world->hart);
    if (result == MMIO_DONE) {
        if (!store && access.reg != 0) {
            world->registers[access.reg] = instruction_load_result(&access, value);
        }
        world->registers[REGISTER_PC] += access.length;
    }
    return result;
}

/* The plain path. */
static __attribute__((cold)) bool emulate(struct vhart *vhart, uint64_t cause, uint64_t address)
{
    uint64_t satp = CSR_READ(satp);
    const struct mmio_window *window;
    enum mmio_result result;
    uint64_t physical;
    bool found;

    if (hart_is_wanted()) {
        return true; /* the access is made again: to find what it reaches takes long */
    }
    if (device_recall(device_page_of(vhart, address), satp, address, &physical)) {
        window = mmio_window_at(vhart->tenant, physical);
    } else {
        found = device_translate(vhart, satp, address, &physical);
        if (hart_is_wanted()) {
            return true; /* so does what follows */
        }
        if (!found) {
            return false;
        }
        window = device_window(vhart, address, physical); /* found by this very address */
    }
    result = access_any(vhart, physical, cause != CAUSE_LOAD_ACCESS, window);
    return result != MMIO_FAULT;
}

ACCESS_EMULATOR(emulate);
FEATURE(plic);
