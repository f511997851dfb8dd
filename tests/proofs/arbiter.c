/* SPDX-License-Identifier: BSD-2-Clause */
/* The choice of the next interrupt, in any state of a virtual PLIC and of one of its contexts. */
#include "features/plic/vplic_arbiter.h"

#include "proof.h"

#define ALL_WORDS ((1 << COTENANT_SOURCE_WORDS) - 1)

static struct vplic vplic;

/* All but what says which words to look at: those are told apart. */
static void set_up(void)
{
    struct vplic_vhart *vhart = &vplic.vharts[0];

    MAKE_ANY(vplic.virtual_sources);
    MAKE_ANY(vplic.priority_plane);
    MAKE_ANY(vplic.pending);
    MAKE_ANY(vhart->enable);
    vhart->passthrough = any_bool();
    vhart->threshold = (uint8_t)any_up_to(VPLIC_PRIORITY_MAX);
    vplic.words = any_up_to(COTENANT_SOURCE_WORDS);
    vplic.latest = any_up_to(COTENANT_MAX_SOURCES - 1);
    vplic.pending_words = (uint32_t)Frama_C_interval_split(0, ALL_WORDS);
}

int main(void)
{
    uint32_t source;

    set_up();
    (void)vplic_output(&vplic, &vplic.vharts[0]);
    source = vplic_best_due(&vplic, &vplic.vharts[0]);
    //@ assert source < COTENANT_MAX_SOURCES;
    (void)source;
    return 0;
}
