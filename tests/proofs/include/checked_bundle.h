/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The check of a bundle for the entries of its proofs: its files, as one, and bundles of which all
 * is any value but what the check of the header and the phases before a part have established. The
 * functions *_are_good() say what that is.
 */
#ifndef COTENANT_TESTS_PROOFS_CHECKED_BUNDLE_H
#define COTENANT_TESTS_PROOFS_CHECKED_BUNDLE_H

#include "core/bundle_check.h"
#include "core/guarded.h"
#include "features/bus_protection/bus_protection.h"
#include "features/virtio/type.h"
#include "proof.h"

#include "features/bus_protection/check_masters.c"
#include "features/check/check_board.c"
#include "features/check/check_fields.c"
#include "features/check/check_protection.c"
#include "features/check/check_system.c"
#include "features/check/check_tenant.c"
#include "features/check/check_vhart.c"
#include "features/device_reset/check_resets.c"
#include "features/hosted/check_guests.c"
#include "features/machine/check_machine.c"
#include "features/next_stage/check_store.c"
#include "features/vector/check_vectors.c"
#include "features/virtio/check_channels.c"

#define check_device(...) check_served_device(__VA_ARGS__)
#include "features/served/check_served.c"

static const struct virtio_type console = {.kind = COTENANT_VIRTUAL_CONSOLE};
static const struct virtio_type *const types[] = {&console};

HAS_ENTRIES(virtio_types, &types[0]);
HAS_ENTRIES(opened_memories, &end_of_client_entry, &end_of_window_entry);
HAS_NO_ENTRIES(features);

/* The check's own table: the entries of one phase, so that each starts from what is known then. */
HAS_NO_ENTRIES(bundle_checks);

static struct bundle bundle;

/* The lengths of its texts would be part of an alarm, and change with each rule. */
struct check_result check_in_words(uint32_t refusal, long index)
{
    return refusal == CHECK_IS_GOOD ? check_good()
                                    : (struct check_result){"field: rule", (int32_t)index, 7};
}

static void header_is_good(void)
{
    MAKE_ANY(bundle);
    bundle.tenant_count = Frama_C_unsigned_int_interval(1, COTENANT_MAX_TENANTS);
    bundle.vhart_count = Frama_C_unsigned_int_interval(1, COTENANT_MAX_VHARTS);
    bundle.device_count = any_up_to(COTENANT_MAX_VIRTUAL_DEVICES);
    bundle.channel_count = any_up_to(COTENANT_MAX_CHANNELS);
}

static void board_is_good(void)
{
    struct bundle_board *board = &bundle.board;

    header_is_good();
    board->plic_sources = any_up_to(COTENANT_MAX_SOURCES);
    board->uart_register_shift = any_up_to(8);
    board->uart_source = any_up_to(COTENANT_MAX_SOURCES - 1);
    board->hart_count = Frama_C_unsigned_int_interval(1, COTENANT_MAX_HARTS);
    board->boot_hart = any_up_to(COTENANT_MAX_HARTS - 1);
    board->pmp_entries = Frama_C_unsigned_int_interval(1, COTENANT_PMP_ENTRIES);
    board->pmp_grain = 1u << Frama_C_unsigned_int_interval(2, 31);
}

static void tenants_are_good(void)
{
    board_is_good();
    //@ loop unroll COTENANT_MAX_TENANTS;
    for (unsigned i = 0; i < COTENANT_MAX_TENANTS; i++) {
        bundle.tenants[i].vhart_first = any_up_to(COTENANT_MAX_VHARTS - 1);
        bundle.tenants[i].vhart_count = Frama_C_unsigned_int_interval(1, COTENANT_MAX_VHARTS);
        bundle.tenants[i].uart_source = any_up_to(COTENANT_MAX_SOURCES - 1);
    }
}

/* What features add to a tenant. */
static void added_is_good(void)
{
    tenants_are_good();
    //@ loop unroll COTENANT_MAX_TENANTS;
    for (unsigned i = 0; i < COTENANT_MAX_TENANTS; i++) {
        bundle.tenants[i].device_first = any_up_to(COTENANT_MAX_VIRTUAL_DEVICES);
        bundle.tenants[i].device_count = any_up_to(COTENANT_MAX_VIRTUAL_DEVICES);
    }
}

static void connections_are_good(void)
{
    added_is_good();
    //@ loop unroll COTENANT_MAX_VIRTUAL_DEVICES;
    for (unsigned i = 0; i < COTENANT_MAX_VIRTUAL_DEVICES; i++) {
        bundle.devices[i].tenant = any_up_to(COTENANT_MAX_TENANTS - 1);
    }
    //@ loop unroll COTENANT_MAX_CHANNELS;
    for (unsigned i = 0; i < COTENANT_MAX_CHANNELS; i++) {
        bundle.channels[i].end_count = any_up_to(COTENANT_MAX_CHANNEL_ENDS);
        //@ loop unroll COTENANT_MAX_CHANNEL_ENDS;
        for (unsigned j = 0; j < COTENANT_MAX_CHANNEL_ENDS; j++) {
            bundle.channels[i].ends[j].device = any_up_to(COTENANT_MAX_VIRTUAL_DEVICES - 1);
        }
    }
}

static void vharts_are_good(void)
{
    connections_are_good();
    //@ loop unroll COTENANT_MAX_VHARTS;
    for (unsigned i = 0; i < COTENANT_MAX_VHARTS; i++) {
        bundle.vharts[i].tenant = any_up_to(COTENANT_MAX_TENANTS - 1);
        bundle.vharts[i].hart = any_up_to(COTENANT_MAX_HARTS - 1);
    }
}

/* A tenant or vhart that there is. */
static uint32_t one_of(uint32_t count)
{
    return any_up_to(count - 1);
}

#endif
