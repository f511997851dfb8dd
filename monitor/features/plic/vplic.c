/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/plic/vplic.h"

#include "features/plic/vplic_arbiter.h"
#include "features/plic/vplic_registers.h"
#include "irq/source_set.h"

#define WORDS COTENANT_SOURCE_WORDS

/* Sources that the tenant may configure, as bits of a word. */
static uint32_t known_sources(const struct vplic *vplic, uint32_t word)
{
    return vplic->physical_sources[word] | vplic->virtual_sources[word];
}

static bool is_known(const struct vplic *vplic, uint32_t source)
{
    return source < COTENANT_MAX_SOURCES &&
           (known_sources(vplic, source_word(source)) & source_bit(source)) != 0;
}

static uint32_t priority_of(const struct vplic *vplic, uint32_t source)
{
    uint32_t priority = 0;

    for (uint32_t bit = 0; bit < VPLIC_PRIORITY_BITS; bit++) {
        priority |= (uint32_t)source_set_has(vplic->priority_plane[bit], source) << bit;
    }
    return priority;
}

uint32_t vplic_claim(struct vplic *vplic, uint32_t index)
{
    struct vplic_vhart *vhart = &vplic->vharts[index];
    uint32_t source = vplic_best_due(vplic, vhart);
    uint32_t word;
    uint32_t bit;

    if (source == 0) {
        return vhart->passthrough ? vplic->ops->claim_physical(vplic, index) : 0;
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
        vplic->ops->complete_physical(vplic, source);
    }
}

/*
 * PLIC specification, "Interrupt Completion": ignored unless the source is enabled for the context.
 */
void vplic_complete(struct vplic *vplic, uint32_t index, uint32_t source)
{
    struct vplic_vhart *vhart = &vplic->vharts[index];

    if (!is_known(vplic, source) || !source_set_has(vhart->enable, source)) {
        return;
    }
    if (source_set_has(vhart->claimed, source)) {
        if (source_set_has(vplic->physical_sources, source)) {
            end_physical_service(vplic, vhart, source);
        } else {
            end_service(vplic, vhart, source);
        }
    } else if (vhart->passthrough && source_set_has(vplic->physical_sources, source)) {
        vplic->ops->complete_physical_direct(vplic, index, source);
    }
}

static uint32_t read_pending(struct vplic *vplic, uint32_t word)
{
    uint32_t physical = vplic->physical_sources[word];
    uint32_t pending = vplic->pending[word];

    if (physical != 0) {
        pending |= vplic->ops->read_physical_pending(vplic, word) & physical;
    }
    return pending;
}

static void write_priority(struct vplic *vplic, uint32_t source, uint32_t value)
{
    uint32_t priority = value & VPLIC_PRIORITY_MAX;

    if (!is_known(vplic, source)) {
        return;
    }
    for (uint32_t bit = 0; bit < VPLIC_PRIORITY_BITS; bit++) {
        source_set_assign(vplic->priority_plane[bit], source, (priority & (1u << bit)) != 0);
    }
    if (source_set_has(vplic->physical_sources, source)) {
        vplic->ops->set_physical_priority(vplic, source, priority);
    }
}

/* The physical sources of a word that some emulated vhart has enabled. */
static uint32_t emulated_enables(const struct vplic *vplic, uint32_t word)
{
    uint32_t enabled = 0;

    for (uint32_t index = 0; index < vplic->vhart_count; index++) {
        if (!vplic->vharts[index].passthrough) {
            enabled |= vplic->vharts[index].enable[word];
        }
    }
    return enabled & vplic->physical_sources[word];
}

static void write_enable(struct vplic *vplic, uint32_t index, uint32_t word, uint32_t value)
{
    struct vplic_vhart *vhart = &vplic->vharts[index];
    uint32_t before = emulated_enables(vplic, word);
    uint32_t after;

    value &= known_sources(vplic, word);
    vhart->enable[word] = value;
    if (vhart->passthrough) {
        vplic->ops->write_physical_enable_word(vplic, index, word, value);
        return;
    }
    after = emulated_enables(vplic, word);
    if (after != before) {
        vplic->ops->enable_physical(vplic, word, after);
    }
}

static void write_threshold(struct vplic *vplic, uint32_t index, uint32_t value)
{
    vplic->vharts[index].threshold = (uint8_t)(value & VPLIC_PRIORITY_MAX);
}

bool vplic_read(struct vplic *vplic, uint64_t offset, uint32_t size, uint32_t *value)
{
    struct vplic_register found;

    *value = 0;
    if (!vplic_locate(vplic, offset, size, &found)) {
        return false;
    }
    switch (found.kind) {
    case VPLIC_REGISTER_PRIORITY:
        *value = priority_of(vplic, found.source);
        break;
    case VPLIC_REGISTER_PENDING:
        *value = read_pending(vplic, found.word);
        break;
    case VPLIC_REGISTER_ENABLE:
        *value = vplic->vharts[found.vhart].enable[found.word];
        break;
    case VPLIC_REGISTER_THRESHOLD:
        *value = vplic->vharts[found.vhart].threshold;
        break;
    case VPLIC_REGISTER_CLAIM:
        *value = vplic_claim(vplic, found.vhart);
        break;
    case VPLIC_REGISTER_NONE:
        break;
    }
    return true;
}

bool vplic_write(struct vplic *vplic, uint64_t offset, uint32_t size, uint32_t value)
{
    struct vplic_register found;

    if (!vplic_locate(vplic, offset, size, &found)) {
        return false;
    }
    switch (found.kind) {
    case VPLIC_REGISTER_PRIORITY:
        write_priority(vplic, found.source, value);
        break;
    case VPLIC_REGISTER_ENABLE:
        write_enable(vplic, found.vhart, found.word, value);
        break;
    case VPLIC_REGISTER_THRESHOLD:
        write_threshold(vplic, found.vhart, value);
        break;
    case VPLIC_REGISTER_CLAIM:
        vplic_complete(vplic, found.vhart, value);
        break;
    case VPLIC_REGISTER_PENDING: /* read-only */
    case VPLIC_REGISTER_NONE:
        break;
    }
    return true;
}

void vplic_init(struct vplic *vplic, const struct vplic_ops *ops, uint32_t tenant,
                const uint32_t sources[COTENANT_SOURCE_WORDS])
{
    *vplic = (struct vplic){0};
    vplic->ops = ops;
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

bool vplic_add_virtual(struct vplic *vplic, uint32_t source)
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

int vplic_add_vhart(struct vplic *vplic, uint32_t context, bool passthrough)
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

    if (vplic->vhart_count != 1 || !vhart->passthrough || !source_set_has(vhart->claimed, source)) {
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
    for (uint32_t index = 0; index < vplic->vhart_count; index++) {
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

bool vplic_output(const struct vplic *vplic, uint32_t vhart)
{
    return vhart < vplic->vhart_count && vplic_any_due(vplic, &vplic->vharts[vhart]);
}

bool vplic_claim_trapped(const struct vplic *vplic, uint32_t vhart)
{
    if (vhart >= vplic->vhart_count || !vplic->vharts[vhart].passthrough) {
        return true;
    }
    return vplic->vharts[vhart].claimed_count != 0 || vplic_any_due(vplic, &vplic->vharts[vhart]);
}
