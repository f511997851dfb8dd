/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/device_reset/device_reset.h"

#include "core/feature.h"
#include "core/give_back.h"
#include "core/guarded.h"
#include "core/wanted.h"
#include "features/device_reset/goldfish_rtc.h"
#include "features/device_reset/ns16550_reset.h"
#include "features/device_reset/pci_reset.h"
#include "features/device_reset/virtio_reset.h"

/* Steps that a virtio device has to come to its end. */
#define MOST_STEPS 16

/* Of a place in `*next` of give_back(): the device, and from this bit on the step. */
#define STEP_SHIFT 5
#define DEVICE_MASK ((1u << STEP_SHIFT) - 1)

_Static_assert(COTENANT_MAX_RESETS <= DEVICE_MASK, "a place has room for a device");
_Static_assert(PCI_FUNCTIONS << STEP_SHIFT <= UINT16_MAX, "a place has room for a step");

static uint32_t reset_virtio(uint64_t base, uint32_t step)
{
    bool done = step == 0 ? virtio_reset(base) || !virtio_is_there(base) : virtio_is_reset(base);

    return done || step == MOST_STEPS ? 0 : step + 1;
}

uint32_t device_reset(const struct bundle_reset *reset, uint32_t step)
{
    switch (reset->kind) {
    case COTENANT_DEVICE_RESET_VIRTIO_MMIO:
        return reset_virtio(reset->base, step);
    case COTENANT_DEVICE_RESET_GOLDFISH_RTC:
        goldfish_rtc_reset(reset->base);
        break;
    case COTENANT_DEVICE_RESET_PCI:
        return pci_reset(reset->base, step);
    case COTENANT_DEVICE_RESET_NS16550:
        ns16550_reset(reset->base, reset->register_shift, reset->divisor);
        break;
    default:
        break;
    }
    return 0;
}

static bool has(const struct bundle_tenant *description, unsigned index)
{
    return index < COTENANT_MAX_RESETS &&
           description->resets[index].kind != COTENANT_DEVICE_RESET_NONE;
}

/* The first device from `index` on that the tenant reaches itself, or behind the last one. */
static uint32_t skip_guarded(const struct bundle_tenant *description, uint32_t index)
{
    const struct bundle_reset *reset = &description->resets[index];

    for (; index < COTENANT_MAX_RESETS && is_guarded(description, reset); index++) {
        reset++;
    }
    return index;
}

/*
 * Those that the tenant reaches itself, step by step; with a look at interrupts behind each device.
 * Nothing depends on what else becomes of a device that does not obey.
 */
static bool give_back(struct tenant *tenant, uint16_t *next, unsigned *room)
{
    const struct bundle_tenant *description = tenant->description;
    uint32_t device;
    uint32_t step;

    do {
        device = skip_guarded(description, *next & DEVICE_MASK);
        if (!has(description, device)) {
            return true;
        }
        if (*room == 0) {
            return false;
        }
        (*room)--;
        step = device_reset(&description->resets[device], *next >> STEP_SHIFT);
        *next = (uint16_t)((step == 0 ? device + 1 : device) | step << STEP_SHIFT);
    } while (step == 0 && !step_is_over());
    *room = 0;
    return step == 0 && !has(description, device + 1);
}

GIVE_BACK(give_back);
FEATURE(device_reset);
