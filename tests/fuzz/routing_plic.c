/* SPDX-License-Identifier: BSD-2-Clause */
#include "routing_plic.h"

#include <string.h>

#include "arch/mmio.h"
#include "device/plic_map.h"

#define PAGE 4096
#define BYTES (PLIC_THRESHOLD_BASE + CONTEXTS * PLIC_CONTEXT_STRIDE)

/* The thresholds are here: the monitor writes them through pointers, too. */
static uint8_t registers[BYTES] __attribute__((aligned(PAGE)));
struct physical_plic physical;
struct plic_actor actor;

static uint32_t *threshold_of(uint32_t context)
{
    return (uint32_t *)(void *)&registers[PLIC_THRESHOLD_BASE + PLIC_CONTEXT_STRIDE * context];
}

uint64_t physical_base(void)
{
    return (uintptr_t)registers;
}

uint32_t physical_threshold(uint32_t context)
{
    return *threshold_of(context);
}

void physical_reset(void)
{
    memset(&physical, 0, sizeof(physical));
    for (uint32_t context = 0; context < CONTEXTS; context++) {
        *threshold_of(context) = 0;
    }
}

static void sample(void)
{
    uint64_t asked = physical.line & ~physical.claimed;

    physical.pending = physical.latches ? physical.pending | asked : asked;
}

void physical_set_line(uint32_t source, bool up)
{
    physical.line &= ~SOURCE_BIT(source);
    physical.line |= (uint64_t)up << source;
    sample();
}

void physical_glitch(uint32_t source)
{
    physical.claimed &= ~SOURCE_BIT(source);
    sample();
}

static uint32_t best_above(uint32_t context, uint32_t threshold)
{
    uint32_t best = 0;

    for (uint64_t left = physical.pending & physical.enable[context]; left != 0; left &= left - 1) {
        uint32_t source = (uint32_t)__builtin_ctzll(left);

        if (physical.priority[source] > threshold) {
            threshold = physical.priority[source];
            best = source;
        }
    }
    return best;
}

uint32_t physical_due(uint32_t context)
{
    return best_above(context, physical_threshold(context));
}

static bool is_machine(uint32_t context)
{
    return context % 2 == 0;
}

/*
 * The actor drops what is pending: all of its sources have been given back before, but the one that
 * it raises to claim it.
 */
static bool drops_now(void)
{
    uint32_t raised = 0;

    if (actor.drops == 0 || (physical.claimed & actor.drops) != 0) {
        return false;
    }
    for (uint32_t context = 0; context < CONTEXTS; context++) {
        if (!is_machine(context) && (physical.enable[context] & actor.drops) != 0) {
            return false;
        }
    }
    for (uint64_t left = actor.drops; left != 0; left &= left - 1) {
        raised += physical.priority[__builtin_ctzll(left)] != 0;
    }
    return raised <= 1;
}

/* The actor may do something with these sources in a context. */
static bool may_reach(uint32_t context, uint64_t sources)
{
    if (actor.who == ACTOR_BOOT) {
        return true;
    }
    if (is_machine(context) && (actor.who == ACTOR_INTERRUPT || drops_now())) {
        return true;
    }
    return (sources & ~actor.sources) == 0 &&
           (is_machine(context) || (actor.contexts >> context & 1) != 0);
}

static uint32_t claim(uint32_t context)
{
    /* QEMU's looks at the threshold, too; by the specification a claim does not. */
    uint32_t source = physical.any_context ? physical_due(context) : best_above(context, 0);

    CHECK(!is_machine(context) || actor.who == ACTOR_INTERRUPT || drops_now());
    if (source != 0) {
        CHECK(may_reach(context, SOURCE_BIT(source)));
        physical.claimed |= SOURCE_BIT(source);
        physical.pending &= ~SOURCE_BIT(source);
    }
    return source;
}

static void complete(uint32_t context, uint32_t source)
{
    CHECK(source < PLIC_SOURCES && may_reach(context, SOURCE_BIT(source)));
    if (physical.any_context || (physical.enable[context] >> source & 1) != 0) {
        physical.claimed &= ~SOURCE_BIT(source);
        sample();
    }
}

static void write_enable(uint32_t context, uint32_t word, uint32_t value)
{
    uint64_t before = physical.enable[context];
    uint64_t after =
        word == 0 ? before >> 32 << 32 | value : (uint64_t)value << 32 | (uint32_t)before;

    if (word < PLIC_SOURCES / 32) {
        /* A virtual source is no source here: nothing is wired to it. */
        CHECK(may_reach(context, before ^ after));
        physical.enable[context] = after;
    }
}

static void write_priority(uint64_t source, uint32_t value)
{
    CHECK(source < PLIC_SOURCES);
    CHECK(actor.who == ACTOR_BOOT || (actor.sources >> source & 1) != 0);
    physical.priority[source] = value;
}

uint32_t mmio_read32(uint64_t address)
{
    uint64_t offset = address - physical_base();
    uint32_t context;

    CHECK(offset < BYTES && offset % 4 == 0);
    if (offset >= PLIC_THRESHOLD_BASE) {
        context = (uint32_t)((offset - PLIC_THRESHOLD_BASE) / PLIC_CONTEXT_STRIDE);
        return offset % PLIC_CONTEXT_STRIDE == 4 ? claim(context) : physical_threshold(context);
    }
    if (offset >= PLIC_ENABLE_BASE) {
        context = (uint32_t)((offset - PLIC_ENABLE_BASE) / PLIC_ENABLE_STRIDE);
        CHECK(context < CONTEXTS);
        offset %= PLIC_ENABLE_STRIDE;
        return offset < 8 ? (uint32_t)(physical.enable[context] >> 8 * offset) : 0;
    }
    offset -= PLIC_PENDING_BASE;
    return offset < 8 ? (uint32_t)(physical.pending >> 8 * offset) : 0;
}

void mmio_write32(uint64_t address, uint32_t value)
{
    uint64_t offset = address - physical_base();
    uint32_t context;

    CHECK(offset < BYTES && offset % 4 == 0);
    if (offset >= PLIC_THRESHOLD_BASE) {
        context = (uint32_t)((offset - PLIC_THRESHOLD_BASE) / PLIC_CONTEXT_STRIDE);
        if (offset % PLIC_CONTEXT_STRIDE == 4) {
            complete(context, value);
        } else {
            *threshold_of(context) = value;
        }
    } else if (offset >= PLIC_ENABLE_BASE) {
        context = (uint32_t)((offset - PLIC_ENABLE_BASE) / PLIC_ENABLE_STRIDE);
        CHECK(context < CONTEXTS);
        write_enable(context, (uint32_t)(offset % PLIC_ENABLE_STRIDE / 4), value);
    } else {
        write_priority(offset / 4, value);
    }
}
