/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A load or store of an emulated register. The trap entry calls the fast paths first, in the state
 * that entry/trap.h tells of: bytes of the virtual UART, words of all else, in pages that are
 * remembered. What they leave alone comes to the plain path, as all does of a vhart that is
 * attended to. tests/system/test_instruction_counts.py holds the counts of the whole paths.
 */
#include "core/access.h"

#include "arch/csr.h"
#include "arch/guest_fetch.h"
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

/* gp and s0 to s11, bits by number: see world_unchanged(). */
#define PRESERVED_REGISTERS 0x0ffc0308u

/*
 * The next instruction, `length` bytes on, or the same one again. `reg` is the register that the
 * instruction has changed, or 0.
 */
static inline world_change go_on(struct vhart *vhart, uint64_t length, uint32_t reg)
{
    struct world *world = &vhart->world;
    struct hart *hart = world->hart;

    world->registers[REGISTER_PC] += length;
    if (hart->reschedule || (CSR_READ(mip) & INTERRUPT_MTI) != 0) {
        return look(hart, vhart);
    }
    return (PRESERVED_REGISTERS >> reg & 1) != 0 ? change_world(world, world)
                                                 : world_unchanged(world);
}

static inline world_change put(struct vhart *vhart, uint32_t reg, uint64_t value, uint64_t length)
{
    vhart->world.registers[reg] = value;
    return go_on(vhart, length, reg);
}

/* Out of line: one copy for all but the usual claim, as the next one. */
static world_change __attribute__((noinline))
put_loaded(struct vhart *vhart, uint32_t reg, uint64_t value, uint64_t length)
{
    return put(vhart, reg, value, length);
}

static world_change __attribute__((noinline)) again(struct vhart *vhart)
{
    return go_on(vhart, 0, 0);
}

static inline uint32_t fetch(const struct vhart *vhart)
{
    return guest_fetch_in_line(vhart->world.registers[REGISTER_PC]);
}

/* Of a byte of the virtual UART, as console drivers make them. */
static world_change __attribute__((noinline)) load_uart(struct vhart *vhart, uint64_t offset)
{
    uint32_t instruction = fetch(vhart);
    uint32_t reg = instruction >> 7 & 31;
    uint8_t value;

    if ((instruction & ENCODING_MASK & ~(ENCODING_LB ^ ENCODING_LBU)) != ENCODING_LB || reg == 0) {
        return NO_CHANGE;
    }
    if (!shared_try_enter(vhart->world.hart)) {
        return again(vhart);
    }
    value = uart_load(vhart->tenant, (unsigned)offset);
    shared_leave(vhart->world.hart);
    return put_loaded(
        vhart, reg, (instruction & ENCODING_MASK) == ENCODING_LB ? (uint64_t)(int8_t)value : value,
        4);
}

static world_change __attribute__((noinline)) store_uart(struct vhart *vhart, uint64_t offset)
{
    uint32_t instruction = fetch(vhart);
    struct hart *hart = vhart->world.hart;
    uint8_t value;

    if ((instruction & ENCODING_MASK) != ENCODING_SB) {
        return NO_CHANGE;
    }
    if (HAS(fast_uart) && offset == 0) {
        if (hart_is_alone(hart)) {
            transmit_learn(vhart, CSR_READ(mtval), instruction);
        }
        /* The way here, through what is shorter for most bytes, is as long as what follows. */
        if (hart_is_wanted()) {
            return again(vhart);
        }
    }
    if (!shared_try_enter(hart)) {
        return again(vhart);
    }
    value = (uint8_t)stored_value(vhart, instruction >> 20 & 31);
    if (offset != 0 || !vuart_put(&vhart->tenant->uart, value)) {
        uart_store(vhart->tenant, (unsigned)offset, value);
    }
    shared_leave(hart);
    return go_on(vhart, 4, 0);
}

/* Of a register other than THR where no other hart comes in between: keeps less. */
static world_change __attribute__((noinline))
store_uart_register(struct vhart *vhart, uint64_t offset)
{
    uint32_t instruction = fetch(vhart);

    if ((instruction & ENCODING_MASK) != ENCODING_SB || offset == 0 ||
        !hart_is_alone(vhart->world.hart)) {
        return store_uart(vhart, offset);
    }
    uart_store(vhart->tenant, (unsigned)offset,
               (uint8_t)stored_value(vhart, instruction >> 20 & 31));
    return go_on(vhart, 4, 0);
}

/* `window`: NULL for the claim register. */
static inline __attribute__((always_inline)) world_change
access_word(struct vhart *vhart, uint64_t physical, const struct mmio_window *window, bool store)
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
    if (!HAS(fast_uart) && store && window == NULL &&
        claim_complete_directly(vhart, (uint32_t)value)) {
        return go_on(vhart, access.length, 0);
    }
    if (hart_is_wanted() || !shared_try_enter(vhart->world.hart)) {
        return again(vhart);
    }
    if (window == NULL) {
        value = claim_access(vhart, store, (uint32_t)value);
    } else {
        result = window->access(vhart, physical, sizeof(uint32_t), store, &value);
    }
    shared_leave(vhart->world.hart);
    if (result != MMIO_DONE) {
        return result == MMIO_FAULT ? NO_CHANGE : again(vhart);
    }
    return store ? go_on(vhart, access.length, 0)
                 : put(vhart, access.reg, (uint64_t)(int32_t)value, access.length);
}

static world_change __attribute__((noinline))
load_word(struct vhart *vhart, uint64_t physical, const struct mmio_window *window)
{
    return access_word(vhart, physical, window, false);
}

static world_change __attribute__((noinline))
store_word(struct vhart *vhart, uint64_t physical, const struct mmio_window *window)
{
    return access_word(vhart, physical, window, true);
}

/* The usual claim, without a call; another one is left to load_word(). */
static world_change __attribute__((noinline)) load_claim(struct vhart *vhart, uint64_t physical)
{
    struct word_access access;
    uint32_t source = 0;

    if (hart_is_alone(vhart->world.hart) && (CSR_READ(mip) & INTERRUPTS_MACHINE) == 0 &&
        decode_word(fetch(vhart), false, &access)) {
        source = claim_only(vhart);
    }
    return source != 0 ? put(vhart, access.reg, source, access.length)
                       : load_word(vhart, physical, NULL);
}

/* The usual completion, likewise. */
static world_change __attribute__((noinline)) store_claim(struct vhart *vhart, uint64_t physical)
{
    struct word_access access;

    if (decode_word(fetch(vhart), true, &access) &&
        claim_complete_directly(vhart, (uint32_t)stored_value(vhart, access.reg))) {
        return go_on(vhart, access.length, 0);
    }
    return store_word(vhart, physical, NULL);
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
    uint64_t offset = physical - vhart->plic->uart_base;
    const struct mmio_window *window = NULL;

    if (offset < vhart->plic->uart_size) {
        if (HAS(fast_uart) && store) {
            return store_uart_register(vhart, offset);
        }
        return store ? store_uart(vhart, offset) : load_uart(vhart, offset);
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
    if (HAS(fast_uart) && window == NULL) {
        return store ? store_claim(vhart, physical) : load_claim(vhart, physical);
    }
    return store ? store_word(vhart, physical, window) : load_word(vhart, physical, window);
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

/* Of a lean monitor, which has one copy. */
static world_change __attribute__((noinline, noclone)) fast_of_lean(struct hart *hart, bool store)
{
    return fast(hart, store);
}

world_change fast_load(struct hart *hart)
{
    return HAS(fast_uart) ? fast(hart, false) : fast_of_lean(hart, false);
}

world_change fast_store(struct hart *hart)
{
    return HAS(fast_uart) ? fast(hart, true) : fast_of_lean(hart, true);
}

/* An access of any size to a window, or to none (NULL), the instruction's end included. */
static __attribute__((cold)) enum mmio_result
access_any(struct vhart *vhart, uint64_t physical, bool store, const struct mmio_window *window)
{
    struct world *world = &vhart->world;
    struct memory_access access;
    enum mmio_result result;
    uint64_t value;

    if (window == NULL ||
        !instruction_decode(guest_fetch_native(world->registers[REGISTER_PC]), store, &access)) {
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
