/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/give_back.h"

#include "core/wanted.h"

/* Without devices there are none. */
__attribute__((weak)) uint32_t give_back_interrupts(struct tenant *tenant, uint32_t step)
{
    (void)tenant;
    (void)step;
    return 0;
}

/*
 * The last giver in the table comes first: virtual devices, of which each is a part of its own, and
 * then real ones, of which several are a part.
 *
 * Out of line: the interrupts, which are most of the parts, do not pay for its registers.
 */
static void __attribute__((noinline)) devices_step(struct tenant *tenant)
{
    struct given_back *place = &tenant->given_back;
    unsigned room = GIVE_BACK_ROOM;
    give_back_part *const *part = __stop_gives_back - place->giver;

    while (part != __start_gives_back) {
        part--;
        if (room == 0 || !(*part)(tenant, &place->next, &room)) {
            return;
        }
        place->giver++;
        place->next = 0;
        room = hart_is_wanted() ? 0 : room;
    }
    place->devices_done = true;
}

bool give_back_step(struct tenant *tenant)
{
    struct given_back *place = &tenant->given_back;

    if (!place->devices_done) {
        devices_step(tenant);
        return true;
    }
    place->next = (uint16_t)give_back_interrupts(tenant, place->next);
    return place->next != 0;
}
