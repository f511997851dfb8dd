/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The check of a bundle's fields, in parts that register themselves:
 *
 *   BUNDLE_CHECK(CHECK_BOARD, check_board);
 *   BUNDLE_CHECK_EACH(CHECK_TENANTS, check_tenant);
 *
 * Each part takes a bundle whose header is good (boot/check.c) and returns the first problem that
 * it finds. A part may rely on what the phases before its own have established; within a phase the
 * order is that of the files. A monitor without the feature `check` has none of the parts: they are
 * run when its bundle is built, from the files features/.../check_*.c (tool/check_bundle/main.c).
 *
 * Runs before the monitor has moved itself: no variable outside of .data, and little stack.
 */
#ifndef COTENANT_CORE_BUNDLE_CHECK_H
#define COTENANT_CORE_BUNDLE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/bundle.h"
#include "core/table.h"

/* Physical addresses have 56 bits (privileged ISA 4.4: the widest that page tables reach). */
#define CHECK_ADDRESS_LIMIT (1ul << 56)
#define CHECK_PAGE_SIZE 4096

struct check_result {
    const char *problem; /* NULL: the bundle is good; else "field: what is wrong with it" */
    int32_t index;       /* of the tenant, vhart or hart concerned, -1, or CHECK_NO_FEATURE */
    uint32_t rule; /* not 0: `problem` is the field alone, and what is wrong so far behind it */
};

/* check_result.index: `problem` is the name of a feature that this monitor is built without. */
#define CHECK_NO_FEATURE (-2)

/* In the order in which they run. */
enum check_phase {
    CHECK_BOARD,       /* its RAM, timer, devices and harts, and the monitor's place */
    CHECK_SYSTEM,      /* what belongs to no tenant */
    CHECK_TENANTS,     /* each: name, vharts, memory, image parts, interrupts */
    CHECK_ADDED,       /* each tenant: what a feature gives it */
    CHECK_CONNECTIONS, /* what joins tenants, */
    CHECK_SERVED,      /* and what that means for them */
    CHECK_VHARTS,      /* each: place, priority, budget and interrupt contexts */
    CHECK_PROTECTION,  /* each: who shares its hart; that its PMP entries open its tenant's only */
    CHECK_PHASES,      /* how many there are */
};

/* `monitor_size`: the memory that the monitor itself takes, bytes. */
typedef struct check_result check_whole(const struct bundle *bundle, uint64_t monitor_size);

/* `index`: of the tenant or vhart. */
typedef struct check_result check_one(const struct bundle *bundle, uint32_t index);

/* One of the two, as the phase is. */
struct bundle_check {
    enum check_phase phase;
    check_whole *whole;
    check_one *one;
};

TABLE(const struct bundle_check, bundle_checks);

/* In a phase of the whole bundle. */
#define BUNDLE_CHECK(phase, function)                                                              \
    static const struct bundle_check function##_entry TABLE_ENTRY(bundle_checks) = {               \
        phase, (function), NULL}

/* In a phase of each tenant or vhart. */
#define BUNDLE_CHECK_EACH(phase, function)                                                         \
    static const struct bundle_check function##_entry TABLE_ENTRY(bundle_checks) = {phase, NULL,   \
                                                                                    (function)}

/*
 * Memory that a feature opens to a tenant beside its own. Returns where that which `address` is in
 * ends; `address` itself if it is in none. For the phase CHECK_PROTECTION.
 */
typedef uint64_t check_opened(const struct bundle *bundle, uint32_t tenant, uint64_t address);

TABLE(check_opened *const, opened_memories);

/* Registers such memory at link time. */
#define OPENED_MEMORY(function)                                                                    \
    static check_opened *const function##_entry TABLE_ENTRY(opened_memories) = (function)

/* Refuses the bundle from inside of a part. `number`: of the tenant, vhart or hart, or -1. */
#define REQUIRE(condition, text, number)                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            return (struct check_result){text, (int32_t)(number), 0};                              \
        }                                                                                          \
    } while (0)

static inline struct check_result check_good(void)
{
    return (struct check_result){NULL, -1, 0};
}

/*
 * Of features/check, called behind HAS(check): the first problem that a part finds in a bundle
 * whose header is good.
 */
struct check_result check_fields(const struct bundle *bundle, uint64_t monitor_size);

/* [base, base + size) lies in [outer, outer + outer_size), without overflow. */
static inline bool check_contains(uint64_t outer, uint64_t outer_size, uint64_t base, uint64_t size)
{
    return base >= outer && base - outer <= outer_size && size <= outer_size - (base - outer);
}

static inline bool check_overlaps(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a_size != 0 && b_size != 0 && (a < b ? b - a < a_size : a - b < b_size);
}

/* Where the range that `address` is in ends; `address` itself if it is not in it. */
static inline uint64_t check_end_within(struct bundle_range range, uint64_t address)
{
    return address - range.base < range.size ? range.base + range.size : address;
}

/* `alignment`: a power of two. */
static inline bool check_aligned(uint64_t value, uint64_t alignment)
{
    return (value & (alignment - 1)) == 0;
}

/* Two tenants that never run at the same time: what they have, they may have in common. */
static inline bool check_share_a_group(const struct bundle_tenant *a, const struct bundle_tenant *b)
{
    return a->group < COTENANT_MAX_TENANTS && a->group == b->group;
}

/* A name is printed in lines whose words are separated by spaces: it must not forge any. */
static inline bool check_is_name(const char name[COTENANT_NAME_SIZE])
{
    unsigned length = 0;

    while (length < COTENANT_NAME_SIZE && name[length] > ' ' && name[length] < 0x7f) {
        length++;
    }
    return length > 0 && length < COTENANT_NAME_SIZE && name[length] == '\0';
}

/* Registers that are the monitor's alone. */
enum check_device {
    CHECK_MTIME,
    CHECK_MTIMECMP,
    CHECK_MSIP,
    CHECK_PLIC,
    CHECK_UART,
    CHECK_RESET,
    CHECK_BUS,
    CHECK_DEVICES, /* how many there are */
};

/* The addresses of a device; size 0 where the board has none. Of features/check, for parts only. */
struct bundle_range check_device_range(const struct bundle_board *board, enum check_device device);

#endif
