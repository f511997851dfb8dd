/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/bundle_check.h"
#include "core/guarded.h"
#include "features/device_reset/pci_reset.h"

static uint64_t reset_size(const struct bundle_reset *reset)
{
    return reset->kind == COTENANT_DEVICE_RESET_PCI ? PCI_BUS_SIZE : CHECK_PAGE_SIZE;
}

/* The monitor writes to a device that is reset: it must be the tenant's own. */
static bool is_own_device(const struct bundle *bundle, uint32_t index,
                          const struct bundle_reset *reset)
{
    const struct bundle_board *board = &bundle->board;
    uint64_t base = reset->base;
    uint64_t size = reset_size(reset);

    if (!check_contains(0, CHECK_ADDRESS_LIMIT, base, size) ||
        check_overlaps(base, size, board->ram_base, board->ram_size)) {
        return false;
    }
    for (unsigned device = 0; device < CHECK_DEVICES; device++) {
        struct bundle_range closed = check_device_range(board, (enum check_device)device);

        if (check_overlaps(base, size, closed.base, closed.size)) {
            return false;
        }
    }
    for (uint32_t other = 0; other < index; other++) {
        for (unsigned i = 0; i < COTENANT_MAX_RESETS; i++) {
            const struct bundle_reset *theirs = &bundle->tenants[other].resets[i];

            if (theirs->kind != COTENANT_DEVICE_RESET_NONE &&
                check_overlaps(theirs->base, reset_size(theirs), base, size) &&
                !check_share_a_group(&bundle->tenants[index], &bundle->tenants[other])) {
                return false;
            }
        }
    }
    return true;
}

/* A tenant of a group before this one has the device as well. */
static bool is_guarded_before(const struct bundle *bundle, uint32_t index, uint64_t base)
{
    for (uint32_t i = 0; i < index; i++) {
        const struct bundle_tenant *tenant = &bundle->tenants[i];

        for (unsigned j = 0; j < COTENANT_MAX_RESETS; j++) {
            if (is_guarded(tenant, &tenant->resets[j]) && tenant->resets[j].base == base) {
                return true;
            }
        }
    }
    return false;
}

/* The guarded devices of the tenants up to this one. */
static uint32_t count_guarded(const struct bundle *bundle, uint32_t index)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i <= index; i++) {
        const struct bundle_tenant *tenant = &bundle->tenants[i];

        for (unsigned j = 0; j < COTENANT_MAX_RESETS; j++) {
            count += is_guarded(tenant, &tenant->resets[j]) &&
                     !is_guarded_before(bundle, i, tenant->resets[j].base);
        }
    }
    return count;
}

static struct check_result check_resets(const struct bundle *bundle, uint32_t index)
{
    for (unsigned i = 0; i < COTENANT_MAX_RESETS; i++) {
        const struct bundle_reset *reset = &bundle->tenants[index].resets[i];

        REQUIRE(reset->kind <= COTENANT_DEVICE_RESET_NS16550,
                "tenant.resets.kind: no driver for it", index);
        REQUIRE(reset->kind == COTENANT_DEVICE_RESET_NONE || i == 0 ||
                    reset[-1].kind != COTENANT_DEVICE_RESET_NONE,
                "tenant.resets.kind: behind an unused one", index);
        REQUIRE(reset->kind == COTENANT_DEVICE_RESET_NONE ||
                    reset->kind == COTENANT_DEVICE_RESET_VIRTIO_MMIO || i == 0 ||
                    reset[-1].kind != COTENANT_DEVICE_RESET_VIRTIO_MMIO,
                "tenant.resets.kind: behind a virtio device", index);
        REQUIRE(reset->register_shift <= 8, "tenant.resets.register_shift: above 8", index);
        REQUIRE(reset->kind == COTENANT_DEVICE_RESET_NONE ||
                    (reset->base != 0 && check_aligned(reset->base, CHECK_PAGE_SIZE) &&
                     is_own_device(bundle, index, reset)),
                "tenant.resets.base: not a device of the tenant's own", index);
    }
    REQUIRE(count_guarded(bundle, index) <= COTENANT_MAX_GUARDED,
            "tenant.resets: more guarded devices than there can be", index);
    return check_good();
}

BUNDLE_CHECK_EACH(CHECK_ADDED, check_resets);
