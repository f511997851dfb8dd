/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the parts of the check share. Each part takes a bundle whose header has been checked and
 * returns the first problem that it finds. A part may rely on what the parts before it have
 * established; check_bundle() calls them in the order of this file.
 *
 * Runs before the monitor has moved itself: no variable outside of .data, and little stack.
 */
#ifndef COTENANT_BOOT_CHECK_RULES_H
#define COTENANT_BOOT_CHECK_RULES_H

#include <stdbool.h>

#include "boot/check.h"

/* Physical addresses have 56 bits (privileged ISA 4.4: the widest that page tables reach). */
#define CHECK_ADDRESS_LIMIT (1ul << 56)
#define CHECK_PAGE_SIZE 4096

/* Refuses the bundle from inside of a part. `number`: of the tenant, vhart or hart, or -1. */
#define REQUIRE(condition, text, number)                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            return (struct check_result){text, (long)(number)};                                    \
        }                                                                                          \
    } while (0)

static inline struct check_result check_good(void)
{
    return (struct check_result){NULL, -1};
}

/* [base, base + size) lies in [outer, outer + outer_size), without overflow. */
static inline bool check_contains(uint64_t outer, uint64_t outer_size, uint64_t base, uint64_t size)
{
    return base >= outer && base - outer <= outer_size && size <= outer_size - (base - outer);
}

static inline bool check_overlaps(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
    return a_size != 0 && b_size != 0 && (a < b ? b - a < a_size : a - b < b_size);
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

/* The board's RAM, timer, devices and harts, and the monitor's place. In check_board.c. */
struct check_result check_board(const struct bundle *bundle, uint64_t monitor_size);

/* Registers that are the monitor's alone. */
enum check_device {
    CHECK_MTIME,
    CHECK_MTIMECMP,
    CHECK_MSIP,
    CHECK_PLIC,
    CHECK_UART,
    CHECK_RESET,
    CHECK_DEVICES, /* how many there are */
};

/* The addresses of a device; size 0 where the board has none. In check_board.c. */
struct bundle_range check_device_range(const struct bundle_board *board, enum check_device device);

/* Name, vharts, memory, image parts and virtual devices of a tenant. In check_tenant.c. */
struct check_result check_tenant(const struct bundle *bundle, uint32_t index);

/* A name is printed in lines whose words are separated by spaces: it must not forge any. */
static inline bool check_is_name(const char name[COTENANT_NAME_SIZE])
{
    unsigned length = 0;

    while (length < COTENANT_NAME_SIZE && name[length] > ' ' && name[length] < 0x7f) {
        length++;
    }
    return length > 0 && length < COTENANT_NAME_SIZE && name[length] == '\0';
}

/* Where the virtual devices of a tenant are. In check_channels.c, as the next one. */
struct check_result check_virtual(const struct bundle *bundle, uint32_t index);

/* The virtual devices, and the channels that join them; after check_virtual() of all tenants. */
struct check_result check_channels(const struct bundle *bundle);

/* Place, priority, budget and interrupt contexts of a vhart. In check_vhart.c. */
struct check_result check_vhart(const struct bundle *bundle, uint32_t index);

/* The PMP entries of a vhart open what is its tenant's and nothing else. In check_protection.c. */
struct check_result check_protection(const struct bundle *bundle, uint32_t index);

#endif
