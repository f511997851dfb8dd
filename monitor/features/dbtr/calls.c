/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SBI section 19: debug triggers of the hart, for the calling vhart alone (triggers.h).
 * Trigger n of the tenant is trigger n of the hart.
 *
 * The specification refuses a count that reaches trig_max exactly, and with it the last trigger;
 * the shared memory has room for trig_max, and that many are accepted here. A call that fails
 * leaves all triggers as they were.
 */
#include "core/feature.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/wanted.h"
#include "features/dbtr/trigger.h"
#include "features/dbtr/triggers.h"
#include "sbi/sbi.h"

#define ALIGNMENT sizeof(uint64_t)

/* One entry of the shared memory. */
struct entry {
    uint64_t head; /* trig_state or trig_idx */
    uint64_t tdata1;
    uint64_t tdata2;
    uint64_t tdata3;
};

static uint32_t trigger_count(const struct vhart *vhart)
{
    return triggers_in(vhart->world.hart)->count;
}

static volatile struct entry *shared(const struct vhart *vhart)
{
    return (volatile struct entry *)triggers_of(vhart)->memory;
}

static struct sbi_result failed(long error, uint64_t index)
{
    return (struct sbi_result){.error = error, .value = index};
}

/* Not of the hart: what a tenant may ask for at all. An SBI error. */
static long check(const struct entry *entry)
{
    uint64_t type = entry->tdata1 >> TDATA1_TYPE_SHIFT;

    if ((entry->tdata1 & TDATA1_DMODE) != 0) {
        return SBI_ERR_INVALID_PARAM;
    }
    if (type != TDATA1_TYPE_MCONTROL && type != TDATA1_TYPE_MCONTROL6) {
        return SBI_ERR_NOT_SUPPORTED;
    }
    if ((entry->tdata1 & TDATA1_M) != 0) {
        return SBI_ERR_INVALID_PARAM;
    }
    /* Actions other than a breakpoint exception are for debuggers; tdata3 is for contexts. */
    return (entry->tdata1 & TDATA1_ACTION) != 0 || entry->tdata3 != 0 ? SBI_ERR_NOT_SUPPORTED
                                                                      : SBI_SUCCESS;
}

static bool can_be(const struct vhart *vhart, uint32_t number, uint64_t tdata1)
{
    return (triggers_in(vhart->world.hart)->types[number] >> (tdata1 >> TDATA1_TYPE_SHIFT) & 1) !=
           0;
}

static struct sbi_result num_triggers(const struct vhart *vhart, uint64_t tdata1)
{
    const struct entry entry = {.tdata1 = tdata1};
    uint64_t count = 0;

    if (tdata1 == 0) {
        return sbi_value(trigger_count(vhart));
    }
    for (uint32_t i = 0; i < trigger_count(vhart) && check(&entry) == SBI_SUCCESS; i++) {
        count += can_be(vhart, i, tdata1);
    }
    return sbi_value(count);
}

static struct sbi_result set_shmem(struct vhart *vhart, uint64_t low, uint64_t high, uint64_t flags)
{
    if (flags != 0) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    if (low == UINT64_MAX && high == UINT64_MAX) {
        triggers_of(vhart)->memory = 0;
        return sbi_value(0);
    }
    if (low % ALIGNMENT != 0) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    if (!sbi_owns_memory(vhart->tenant, low, high, trigger_count(vhart) * sizeof(struct entry))) {
        return sbi_error(SBI_ERR_INVALID_ADDRESS);
    }
    vhart->uses_features = true;
    triggers_of(vhart)->memory = low;
    return sbi_value(0);
}

/* Without have_hw_trig, which OpenSBI never sets although it gives the number, as this does. */
static uint64_t state_of(const struct trigger *trigger, uint32_t number)
{
    uint64_t modes = trigger->modes;

    return SBI_DBTR_STATE_MAPPED | (uint64_t)number << SBI_DBTR_STATE_HW_SHIFT |
           ((modes & TDATA1_U) != 0 ? SBI_DBTR_STATE_U : 0) |
           ((modes & TDATA1_S) != 0 ? SBI_DBTR_STATE_S : 0) |
           ((modes & TDATA1_VU) != 0 ? SBI_DBTR_STATE_VU : 0) |
           ((modes & TDATA1_VS) != 0 ? SBI_DBTR_STATE_VS : 0);
}

static struct sbi_result read_triggers(struct vhart *vhart, uint64_t base, uint64_t count)
{
    if (base >= trigger_count(vhart) || count > trigger_count(vhart) - base) {
        return sbi_error(SBI_ERR_BAD_RANGE);
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = (uint32_t)base + i;
        const struct trigger *trigger = &triggers_of(vhart)->each[number];
        volatile struct entry *entry = &shared(vhart)[i];

        entry->head = trigger->mapped ? state_of(trigger, number) : 0;
        entry->tdata1 = trigger->tdata1;
        entry->tdata2 = trigger->tdata2;
        entry->tdata3 = 0;
    }
    return sbi_value(0);
}

/* The first `count` entries as they are now; what is checked is what is used. */
static void take_entries(const struct vhart *vhart, uint32_t count, struct entry *entries)
{
    for (uint32_t i = 0; i < count; i++) {
        volatile const struct entry *entry = &shared(vhart)[i];

        entries[i] = (struct entry){entry->head, entry->tdata1, entry->tdata2, entry->tdata3};
    }
}

static void map(struct trigger *trigger, const struct entry *entry)
{
    *trigger = (struct trigger){
        .mapped = true,
        .tdata1 = entry->tdata1,
        .tdata2 = entry->tdata2,
        .modes = entry->tdata1 & trigger_modes(entry->tdata1),
    };
}

/* Entries that belong together from `first` on: a chain, or one. 0: the chain has no end. */
static uint32_t chain_length(const struct entry *entries, uint32_t first, uint32_t count)
{
    uint32_t last = first;

    while (last < count && (entries[last].tdata1 & TDATA1_CHAIN) != 0) {
        last++;
    }
    return last < count ? last + 1 - first : 0;
}

static bool fits(const struct vhart *vhart, uint32_t at, const struct entry *chain, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) {
        if (triggers_of(vhart)->each[at + i].mapped || !can_be(vhart, at + i, chain[i].tdata1)) {
            return false;
        }
    }
    return true;
}

/* Maps the chain to triggers in a row and notes their numbers in it; false: there are none. */
static bool place(struct vhart *vhart, struct entry *chain, uint32_t length)
{
    for (uint32_t at = 0; at + length <= trigger_count(vhart); at++) {
        if (fits(vhart, at, chain, length)) {
            for (uint32_t i = 0; i < length; i++) {
                chain[i].head = at + i;
                map(&triggers_of(vhart)->each[at + i], &chain[i]);
            }
            return true;
        }
    }
    return false;
}

/* Puts what has been mapped into the hart; *number: the trigger that the hart refuses. */
static bool apply(struct vhart *vhart, uint32_t *number)
{
    *number = triggers_apply(vhart);
    return *number == MOST_TRIGGERS;
}

/* All triggers as they were, or are to be again. */
static void keep(const struct vhart *vhart, struct trigger *before)
{
    const struct trigger *each = triggers_of(vhart)->each;
    uint32_t count = trigger_count(vhart);

    for (uint32_t i = 0; i < count; i++) {
        before[i] = each[i];
    }
}

static void restore(struct vhart *vhart, const struct trigger *before)
{
    struct trigger *each = triggers_of(vhart)->each;
    uint32_t count = trigger_count(vhart);

    for (uint32_t i = 0; i < count; i++) {
        each[i] = before[i];
    }
}

/* The hart has refused one of them and has none now: the scheduler brings back those of before. */
static struct sbi_result go_back(struct vhart *vhart, const struct trigger *before, uint64_t index)
{
    restore(vhart, before);
    return failed(SBI_ERR_NOT_SUPPORTED, index);
}

/* The entry that was about trigger `number`. */
static uint64_t entry_of(const struct entry *entries, uint32_t count, uint32_t number)
{
    for (uint32_t i = 0; i < count; i++) {
        if (entries[i].head == number) {
            return i;
        }
    }
    return 0;
}

/* Maps all entries to triggers; an SBI error, and *index is the entry that finds no place. */
static long place_all(struct vhart *vhart, struct entry *entries, uint32_t count, uint64_t *index)
{
    uint32_t length;

    for (uint32_t i = 0; i < count; i += length) {
        length = chain_length(entries, i, count);
        if (length == 0) {
            *index = count - 1;
            return SBI_ERR_INVALID_PARAM;
        }
        if (!place(vhart, &entries[i], length)) {
            *index = i;
            return SBI_ERR_FAILED;
        }
    }
    return SBI_SUCCESS;
}

static struct sbi_result install(struct vhart *vhart, uint32_t count)
{
    struct trigger before[MOST_TRIGGERS];
    struct entry entries[MOST_TRIGGERS];
    uint64_t index = 0;
    uint32_t number;
    long error;

    take_entries(vhart, count, entries);
    for (uint32_t i = 0; i < count; i++) {
        error = check(&entries[i]);
        if (error != SBI_SUCCESS) {
            return failed(error, i);
        }
    }
    keep(vhart, before);
    if (hart_is_wanted()) {
        return sbi_repeat(); /* nothing has changed yet */
    }
    error = place_all(vhart, entries, count, &index);
    if (error != SBI_SUCCESS) {
        restore(vhart, before);
        return failed(error, index);
    }
    if (hart_is_wanted()) {
        restore(vhart, before);
        return sbi_repeat();
    }
    if (!apply(vhart, &number)) {
        return go_back(vhart, before, entry_of(entries, count, number));
    }
    for (uint32_t i = 0; i < count; i++) {
        shared(vhart)[i].head = entries[i].head;
    }
    return sbi_value(0);
}

/* Whether `entry` may take the place of the trigger that it names: an SBI error. */
static long check_update(const struct vhart *vhart, const struct entry *entry)
{
    const struct trigger *trigger;
    uint64_t other;

    if (entry->head >= trigger_count(vhart)) {
        return SBI_ERR_INVALID_PARAM;
    }
    trigger = &triggers_of(vhart)->each[entry->head];
    if (!trigger->mapped) {
        return SBI_ERR_FAILED;
    }
    other = trigger->tdata1 ^ entry->tdata1;
    if (other >> TDATA1_TYPE_SHIFT != 0 || (other & TDATA1_CHAIN) != 0) {
        return SBI_ERR_INVALID_PARAM;
    }
    return check(entry);
}

static struct sbi_result update(struct vhart *vhart, uint32_t count)
{
    struct trigger before[MOST_TRIGGERS];
    struct entry entries[MOST_TRIGGERS];
    uint32_t refused;

    take_entries(vhart, count, entries);
    for (uint32_t i = 0; i < count; i++) {
        long error = check_update(vhart, &entries[i]);

        if (error != SBI_SUCCESS) {
            return failed(error, i);
        }
    }
    if (hart_is_wanted()) {
        return sbi_repeat(); /* nothing has changed yet */
    }
    keep(vhart, before);
    for (uint32_t i = 0; i < count; i++) {
        map(&triggers_of(vhart)->each[entries[i].head], &entries[i]);
    }
    if (hart_is_wanted()) {
        restore(vhart, before);
        return sbi_repeat();
    }
    if (!apply(vhart, &refused)) {
        return go_back(vhart, before, entry_of(entries, count, refused));
    }
    return sbi_value(0);
}

/* The triggers that (base, mask) name, as bits; false: one of them does not exist. */
static bool named(const struct vhart *vhart, uint64_t base, uint64_t mask, uint32_t *triggers)
{
    uint32_t count = trigger_count(vhart);

    *triggers = 0;
    if (mask == 0) {
        return true;
    }
    if (base >= count || mask >> (count - base) != 0) {
        return false;
    }
    *triggers = (uint32_t)(mask << base);
    return true;
}

static bool all_mapped(const struct vhart *vhart, uint32_t triggers)
{
    for (uint32_t i = 0; i < trigger_count(vhart); i++) {
        if ((triggers >> i & 1) != 0 && !triggers_of(vhart)->each[i].mapped) {
            return false;
        }
    }
    return true;
}

static void change(struct trigger *trigger, uint64_t function)
{
    switch (function) {
    case SBI_DBTR_UNINSTALL_TRIGGERS:
        *trigger = (struct trigger){0};
        break;
    case SBI_DBTR_ENABLE_TRIGGERS:
        trigger->tdata1 |= trigger->modes;
        break;
    default:
        trigger->tdata1 &= ~trigger_modes(trigger->tdata1);
        break;
    }
}

/*
 * To enable or disable one that is not installed does nothing and succeeds, as with OpenSBI, which
 * programs are tested with. Sections 19.7 and 19.8 say INVALID_PARAM.
 */
static struct sbi_result change_all(struct vhart *vhart, uint64_t function, uint64_t base,
                                    uint64_t mask)
{
    struct trigger *each = triggers_of(vhart)->each;
    uint32_t count = trigger_count(vhart);
    uint32_t triggers;

    if (!named(vhart, base, mask, &triggers) ||
        (function == SBI_DBTR_UNINSTALL_TRIGGERS && !all_mapped(vhart, triggers))) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    if (hart_is_wanted()) {
        return sbi_repeat(); /* nothing has changed yet */
    }
    for (uint32_t i = 0; i < count; i++) {
        if ((triggers >> i & 1) != 0 && each[i].mapped) {
            change(&each[i], function);
        }
    }
    (void)triggers_apply(vhart);
    return sbi_value(0);
}

/* The functions that use the shared memory. */
static struct sbi_result exchange(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    if (triggers_of(vhart)->memory == 0) {
        return sbi_error(SBI_ERR_NO_SHMEM);
    }
    if (function == SBI_DBTR_READ_TRIGGERS) {
        return read_triggers(vhart, arguments[0], arguments[1]);
    }
    if (arguments[0] > trigger_count(vhart)) {
        return sbi_error(SBI_ERR_BAD_RANGE);
    }
    return function == SBI_DBTR_INSTALL_TRIGGERS ? install(vhart, (uint32_t)arguments[0])
                                                 : update(vhart, (uint32_t)arguments[0]);
}

static struct sbi_result sbi_dbtr(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    triggers_refresh(vhart);
    if (hart_is_wanted()) {
        return sbi_repeat(); /* what the hart's triggers are was noted, which can be done again */
    }
    switch (function) {
    case SBI_DBTR_NUM_TRIGGERS:
        return num_triggers(vhart, arguments[0]);
    case SBI_DBTR_SET_SHMEM:
        return set_shmem(vhart, arguments[0], arguments[1], arguments[2]);
    case SBI_DBTR_READ_TRIGGERS:
    case SBI_DBTR_INSTALL_TRIGGERS:
    case SBI_DBTR_UPDATE_TRIGGERS:
        return exchange(vhart, function, arguments);
    case SBI_DBTR_UNINSTALL_TRIGGERS:
    case SBI_DBTR_ENABLE_TRIGGERS:
    case SBI_DBTR_DISABLE_TRIGGERS:
        return change_all(vhart, function, arguments[0], arguments[1]);
    default:
        return sbi_error(SBI_ERR_NOT_SUPPORTED);
    }
}

/* Where only other harts have some, a call on the boot hart would be told that it has 0. */
static void withdraw(void)
{
    if (triggers_in(hart_self())->count == 0) {
        sbi_withdraw(SBI_EXT_DBTR);
    }
}

FEATURE(dbtr);
HOOK(machine_begins, withdraw);
SBI_EXTENSION(SBI_EXT_DBTR, sbi_dbtr, SBI_GIVES_WAY);
