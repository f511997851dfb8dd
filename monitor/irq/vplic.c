/* SPDX-License-Identifier: BSD-2-Clause */
#include "irq/vplic.h"

#include "irq/source_set.h"
#include "irq/vplic_registers.h"

#define WORDS COTENANT_SOURCE_WORDS
#define BITS SOURCE_SET_WORD_BITS

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

static void update_pending_word(struct vplic *vplic, uint32_t word)
{
    if (vplic->pending[word] != 0) {
        vplic->pending_words |= 1u << word;
    } else {
        vplic->pending_words &= ~(1u << word);
    }
}

static void set_pending(struct vplic *vplic, uint32_t source, bool on)
{
    source_set_assign(vplic->pending, source, on);
    update_pending_word(vplic, source_word(source));
}

static uint32_t priority_of(const struct vplic *vplic, uint32_t source)
{
    uint32_t priority = 0;

    for (uint32_t bit = 0; bit < VPLIC_PRIORITY_BITS; bit++) {
        priority |= (uint32_t)source_set_has(vplic->priority_plane[bit], source) << bit;
    }
    return priority;
}

/*
 * The sources of a word whose priority is above `threshold`: the comparison of two numbers, highest
 * bit first, for 32 of them at once.
 */
static uint32_t above_threshold(const struct vplic *vplic, uint32_t word, uint32_t threshold)
{
    uint32_t above = 0;
    uint32_t equal = UINT32_MAX; /* in the bits compared so far */

    for (uint32_t bit = VPLIC_PRIORITY_BITS; bit-- > 0;) {
        uint32_t plane = vplic->priority_plane[bit][word];

        if (threshold & (1u << bit)) {
            equal &= plane;
        } else {
            above |= equal & plane;
            equal &= ~plane;
        }
    }
    return above;
}

/* The sources of a word that a vhart would be interrupted by, as far as they are known here. */
static uint32_t due_sources(const struct vplic *vplic, const struct vplic_vhart *vhart,
                            uint32_t word)
{
    uint32_t due = vplic->pending[word] & vhart->enable[word];

    if (vhart->passthrough) {
        /* A raised physical source was claimed for an emulated vhart of this tenant. */
        due &= vplic->virtual_sources[word];
    }
    return due == 0 ? 0 : due & above_threshold(vplic, word, vhart->threshold);
}

static bool any_due(const struct vplic *vplic, const struct vplic_vhart *vhart)
{
    for (uint32_t word = 0; word < WORDS; word++) {
        if ((vplic->pending_words & (1u << word)) && due_sources(vplic, vhart, word) != 0) {
            return true;
        }
    }
    return false;
}

/*
 * The due source of the highest priority, the lowest number among equals; 0: none. Narrows the set
 * of due sources priority bit by priority bit: those with the bit stay if there are any.
 */
static uint32_t best_due(const struct vplic *vplic, const struct vplic_vhart *vhart)
{
    uint32_t due[WORDS];

    if (vplic->pending_words == 0) {
        return 0;
    }
    for (uint32_t word = 0; word < WORDS; word++) {
        due[word] = due_sources(vplic, vhart, word);
    }
    for (uint32_t bit = VPLIC_PRIORITY_BITS; bit-- > 0;) {
        const uint32_t *plane = vplic->priority_plane[bit];
        uint32_t any = 0;

        for (uint32_t word = 0; word < WORDS; word++) {
            any |= due[word] & plane[word];
        }
        for (uint32_t word = 0; any != 0 && word < WORDS; word++) {
            due[word] &= plane[word];
        }
    }
    for (uint32_t word = 0; word < WORDS; word++) {
        if (due[word] != 0) {
            return word * BITS + lowest_bit(due[word]);
        }
    }
    return 0;
}

static uint32_t claim(struct vplic *vplic, uint32_t index)
{
    struct vplic_vhart *vhart = &vplic->vharts[index];
    uint32_t source = best_due(vplic, vhart);

    if (source == 0) {
        return vhart->passthrough ? vplic->ops->claim_physical(vplic, index) : 0;
    }
    set_pending(vplic, source, false);
    source_set_assign(vplic->in_service, source, true);
    source_set_assign(vhart->claimed, source, true);
    vhart->claimed_count++;
    return source;
}

/* Ends the service of a source that a vhart claimed here. */
static void end_service(struct vplic *vplic, struct vplic_vhart *vhart, uint32_t source)
{
    source_set_assign(vhart->claimed, source, false);
    vhart->claimed_count--;
    source_set_assign(vplic->in_service, source, false);
    if (source_set_has(vplic->virtual_sources, source) && source_set_has(vplic->level, source)) {
        set_pending(vplic, source, true);
    }
}

/*
 * PLIC specification, "Interrupt Completion": ignored unless the source is enabled for the context.
 */
static void complete(struct vplic *vplic, uint32_t index, uint32_t source)
{
    struct vplic_vhart *vhart = &vplic->vharts[index];

    if (!is_known(vplic, source) || !source_set_has(vhart->enable, source)) {
        return;
    }
    if (source_set_has(vhart->claimed, source)) {
        end_service(vplic, vhart, source);
        if (source_set_has(vplic->physical_sources, source)) {
            vplic->ops->complete_physical(vplic, index, source);
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

static void write_enable(struct vplic *vplic, uint32_t index, uint32_t word, uint32_t value)
{
    struct vplic_vhart *vhart = &vplic->vharts[index];
    uint32_t changed;

    value &= known_sources(vplic, word);
    changed = (value ^ vhart->enable[word]) & vplic->physical_sources[word];
    vhart->enable[word] = value;
    if (vhart->passthrough) {
        vplic->ops->write_physical_enable_word(vplic, index, word, value);
        return;
    }
    for (; changed != 0; changed &= changed - 1) {
        uint32_t bit = lowest_bit(changed);

        vplic->ops->set_physical_enable(vplic, index, word * BITS + bit, (value >> bit) & 1);
    }
}

static void write_threshold(struct vplic *vplic, uint32_t index, uint32_t value)
{
    struct vplic_vhart *vhart = &vplic->vharts[index];

    vhart->threshold = (uint8_t)(value & VPLIC_PRIORITY_MAX);
    if (vhart->passthrough) {
        vplic->ops->set_threshold(vplic, index, vhart->threshold);
    }
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
        *value = claim(vplic, found.vhart);
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
        complete(vplic, found.vhart, value);
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
    for (uint32_t word = 0; word < WORDS; word++) {
        vplic->physical_sources[word] = sources[word];
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

void vplic_set_level(struct vplic *vplic, uint32_t source, bool level)
{
    if (source >= COTENANT_MAX_SOURCES || !source_set_has(vplic->virtual_sources, source)) {
        return;
    }
    source_set_assign(vplic->level, source, level);
    set_pending(vplic, source, level && !source_set_has(vplic->in_service, source));
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
        source_set_has(vplic->pending, source) || source_set_has(vplic->in_service, source) ||
        !has_emulated_vhart(vplic)) {
        return false;
    }
    set_pending(vplic, source, true);
    return true;
}

bool vplic_output(const struct vplic *vplic, uint32_t vhart)
{
    return vhart < vplic->vhart_count && any_due(vplic, &vplic->vharts[vhart]);
}

bool vplic_claim_trapped(const struct vplic *vplic, uint32_t vhart)
{
    if (vhart >= vplic->vhart_count || !vplic->vharts[vhart].passthrough) {
        return true;
    }
    return vplic->vharts[vhart].claimed_count != 0 || any_due(vplic, &vplic->vharts[vhart]);
}

/* Completes the raised sources of a word through an emulated vhart, then turns its sources off. */
static void release_emulated(struct vplic *vplic, uint32_t index, uint32_t word, uint32_t *raised)
{
    uint32_t enabled = vplic->vharts[index].enable[word] & vplic->physical_sources[word];

    for (uint32_t left = enabled | *raised; left != 0; left &= left - 1) {
        uint32_t bit = left & -left;
        uint32_t source = word * BITS + lowest_bit(left);

        if (*raised & bit) {
            if ((enabled & bit) == 0) {
                vplic->ops->set_physical_enable(vplic, index, source, true);
            }
            vplic->ops->complete_physical(vplic, index, source);
        }
        vplic->ops->set_physical_enable(vplic, index, source, false);
    }
    *raised = 0;
}

/*
 * The tenant may have claimed sources in its physical context without our knowledge. A completion
 * counts only while the source is enabled, and is ignored if there is nothing to complete.
 */
static void release_passthrough(struct vplic *vplic, uint32_t index, uint32_t word)
{
    uint32_t sources = vplic->physical_sources[word];

    if (sources != 0) {
        vplic->ops->write_physical_enable_word(vplic, index, word, sources);
    }
    for (uint32_t left = sources; left != 0; left &= left - 1) {
        vplic->ops->complete_physical_direct(vplic, index, word * BITS + lowest_bit(left));
    }
    vplic->ops->write_physical_enable_word(vplic, index, word, 0);
}

/* The state of the sources of a word is as after vplic_init(), except for the levels. */
static void clear_word(struct vplic *vplic, uint32_t word)
{
    for (uint32_t bit = 0; bit < VPLIC_PRIORITY_BITS; bit++) {
        vplic->priority_plane[bit][word] = 0;
    }
    for (uint32_t index = 0; index < vplic->vhart_count; index++) {
        struct vplic_vhart *vhart = &vplic->vharts[index];

        vhart->enable[word] = 0;
        vhart->claimed_count -= count_bits(vhart->claimed[word]);
        vhart->claimed[word] = 0;
    }
    vplic->in_service[word] = 0;
    vplic->pending[word] = vplic->level[word];
    update_pending_word(vplic, word);
}

void vplic_reset_step(struct vplic *vplic, uint32_t word)
{
    uint32_t physical = vplic->physical_sources[word];
    uint32_t raised = (vplic->pending[word] | vplic->in_service[word]) & physical;

    for (uint32_t left = physical; left != 0; left &= left - 1) {
        vplic->ops->set_physical_priority(vplic, word * BITS + lowest_bit(left), 0);
    }
    for (uint32_t index = 0; index < vplic->vhart_count; index++) {
        if (vplic->vharts[index].passthrough) {
            release_passthrough(vplic, index, word);
        } else {
            release_emulated(vplic, index, word, &raised);
        }
        if (word == 0) {
            write_threshold(vplic, index, 0);
        }
    }
    clear_word(vplic, word);
}

void vplic_reset(struct vplic *vplic)
{
    for (uint32_t word = 0; word < WORDS; word++) {
        vplic_reset_step(vplic, word);
    }
}
