/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/plic/vplic.h"

#include "features/plic/physical.h"
#include "features/plic/vplic_arbiter.h"
#include "irq/source_set.h"

#define WORDS COTENANT_SOURCE_WORDS

uint32_t vplic_claim(struct vplic *vplic, uint32_t index)
{
    struct vplic_vhart *vhart = &vplic->vharts[index];
    uint32_t source = vplic_best_due(vplic, vhart);
    uint32_t word;
    uint32_t bit;

    if (source == 0) {
        return vhart->passthrough ? claim_physical(vplic, index) : 0;
    }
    word = source_word(source);
    bit = source_bit(source);
    vplic->pending[word] &= ~bit;
    vplic_update_pending_word(vplic, word);
    vplic->in_service[word] |= bit;
    vhart->claimed_count++;
    vhart->claimed[word] |= bit;
    return source;
}

/* Ends the service of a source that a vhart claimed here. Returns whether it is pending again. */
static bool end_service(struct vplic *vplic, struct vplic_vhart *vhart, uint32_t source)
{
    bool again = source_set_has(vplic->level, source);

    source_set_assign(vhart->claimed, source, false);
    vhart->claimed_count--;
    source_set_assign(vplic->in_service, source, false);
    if (again) {
        vplic_set_pending(vplic, source, true);
    }
    return again;
}

/* The same for a physical source, which stays claimed in the machine context if it is pending. */
static void end_physical_service(struct vplic *vplic, struct vplic_vhart *vhart, uint32_t source)
{
    if (end_service(vplic, vhart, source)) {
        source_set_assign(vplic->level, source, false);
    } else {
        complete_physical(vplic, source);
    }
}

/*
 * PLIC specification, "Interrupt Completion": ignored unless the source is enabled for the context.
 */
void vplic_complete(struct vplic *vplic, uint32_t index, uint32_t source)
{
    struct vplic_vhart *vhart = &vplic->vharts[index];

    if (!vplic_is_known(vplic, source) || !source_set_has(vhart->enable, source)) {
        return;
    }
    if (source_set_has(vhart->claimed, source)) {
        if (source_set_has(vplic->physical_sources, source)) {
            end_physical_service(vplic, vhart, source);
        } else {
            end_service(vplic, vhart, source);
        }
    } else if (vhart->passthrough && source_set_has(vplic->physical_sources, source)) {
        complete_physical_direct(vplic, index, source);
    }
}

/* At boot, as the next two: compiled for size. */
__attribute__((cold)) void vplic_init(struct vplic *vplic, uint32_t tenant,
                                      const uint32_t sources[COTENANT_SOURCE_WORDS])
{
    *vplic = (struct vplic){0};
    vplic->tenant = tenant;
    vplic->words = 1;
    for (uint32_t word = 0; word < WORDS; word++) {
        vplic->physical_sources[word] = sources[word];
        if (sources[word] != 0) {
            vplic->words = word + 1;
        }
    }
    vplic->physical_sources[0] &= ~1u; /* source 0 means "none" */
}

__attribute__((cold)) bool vplic_add_virtual(struct vplic *vplic, uint32_t source)
{
    if (source == 0 || source >= COTENANT_MAX_SOURCES ||
        source_set_has(vplic->physical_sources, source)) {
        return false;
    }
    source_set_assign(vplic->virtual_sources, source, true);
    if (source_word(source) >= vplic->words) {
        vplic->words = source_word(source) + 1;
    }
    return true;
}

__attribute__((cold)) int vplic_add_vhart(struct vplic *vplic, uint32_t context, bool passthrough)
{
    struct vplic_vhart *vhart = &vplic->vharts[vplic->vhart_count];

    if (vplic->vhart_count >= VPLIC_MAX_VHARTS) {
        return -1;
    }
    vhart->context = context;
    vhart->passthrough = passthrough;
    return (int)vplic->vhart_count++;
}

/*
 * The request that is being served is withdrawn: its driver has seen to the device. Of a tenant
 * whose only context is passed through nothing is lost by ending the service now, and its
 * completion need not be trapped: the physical PLIC, where nothing of this source is in flight,
 * ignores it. With another context a new request could be claimed there while this one's handler
 * still runs, which no PLIC does.
 */
static bool end_early(struct vplic *vplic, uint32_t source)
{
    struct vplic_vhart *vhart = &vplic->vharts[0];

    if (vplic_vhart_count(vplic) != 1 || !vhart->passthrough ||
        !source_set_has(vhart->claimed, source)) {
        return false;
    }
    end_service(vplic, vhart, source);
    return true;
}

bool vplic_set_level(struct vplic *vplic, uint32_t source, bool level)
{
    bool pending;

    if (source >= COTENANT_MAX_SOURCES || !source_set_has(vplic->virtual_sources, source)) {
        return false;
    }
    source_set_assign(vplic->level, source, level);
    if (!level && end_early(vplic, source)) {
        return true;
    }
    pending = level && !source_set_has(vplic->in_service, source);
    if (pending == source_set_has(vplic->pending, source)) {
        return false;
    }
    vplic_set_pending(vplic, source, pending);
    return true;
}

static bool has_emulated_vhart(const struct vplic *vplic)
{
    for (uint32_t index = 0; index < vplic_vhart_count(vplic); index++) {
        if (!vplic->vharts[index].passthrough) {
            return true;
        }
    }
    return false;
}

bool vplic_raise(struct vplic *vplic, uint32_t source)
{
    if (source >= COTENANT_MAX_SOURCES || !source_set_has(vplic->physical_sources, source) ||
        !has_emulated_vhart(vplic)) {
        return false;
    }
    if (source_set_has(vplic->in_service, source)) {
        source_set_assign(vplic->level, source, true);
    } else {
        vplic_set_pending(vplic, source, true);
    }
    return true;
}
