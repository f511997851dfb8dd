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
 * then real ones, of which several are a part. False: there is more to do, or the hart is wanted.
 */
static inline bool reset_devices(struct tenant *tenant, give_back_part *const *part)
{
    struct given_back *place = &tenant->given_back;
    unsigned room = GIVE_BACK_ROOM;
    bool more;

    do {
        more = !part[-1](tenant, &place->next, &room);
        if (!more) {
            part--;
            place->next = 0;
            more = hart_is_wanted();
        }
    } while (!more && part != __start_gives_back);
    place->giver = (uint32_t)(__stop_gives_back - part);
    return !more;
}

/* A part at least is done, however much the hart is wanted: a tenant could see to it that it is. */
bool give_back_step(struct tenant *tenant)
{
    struct given_back *place = &tenant->given_back;
    give_back_part *const *part = __stop_gives_back - place->giver;

    if (part != __start_gives_back && !reset_devices(tenant, part)) {
        return true;
    }
    place->next = (uint16_t)give_back_interrupts(tenant, place->next);
    return place->next != 0;
}
