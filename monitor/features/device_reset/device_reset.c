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

/* `reset` is behind the devices that the tenant reaches itself, which come first of all. */
static inline __attribute__((always_inline)) bool is_end(const struct bundle_tenant *description,
                                                         const struct bundle_reset *reset)
{
    return reset == &description->resets[COTENANT_MAX_RESETS] ||
           reset->kind == COTENANT_DEVICE_RESET_NONE || is_guarded(description, reset);
}

/* From device `*next` on, step by step, with a look at interrupts between devices. */
static bool __attribute__((noinline))
give_back_from(const struct bundle_tenant *description, uint16_t *next, unsigned *room)
{
    const struct bundle_reset *reset = &description->resets[*next & DEVICE_MASK];
    uint32_t step = *next >> STEP_SHIFT;

    do {
        if (*room == 0) {
            return false;
        }
        (*room)--;
        step = device_reset(reset, step);
        if (step != 0) {
            *next = (uint16_t)((*next & DEVICE_MASK) | step << STEP_SHIFT);
            return false;
        }
        *next = (*next & DEVICE_MASK) + 1;
        reset++;
        if (is_end(description, reset)) {
            return true;
        }
    } while (!step_is_over());
    return false;
}

/*
 * Those that the tenant reaches itself. Clocks, which most have and which take a few stores, save
 * no registers for the others. Nothing depends on what else becomes of a device that does not obey.
 */
static bool give_back(struct tenant *tenant, uint16_t *next, unsigned *room)
{
    const struct bundle_tenant *description = tenant->description;
    const struct bundle_reset *reset = &description->resets[*next & DEVICE_MASK];

    for (; !is_end(description, reset); reset++) {
        if (reset->kind != COTENANT_DEVICE_RESET_GOLDFISH_RTC || *room == 0) {
            return give_back_from(description, next, room);
        }
        (*room)--;
        (*next)++;
        goldfish_rtc_reset(reset->base);
    }
    return true;
}

GIVE_BACK(give_back);
FEATURE(device_reset);
