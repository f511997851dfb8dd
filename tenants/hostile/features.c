/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>

#include "hostile/acts.h"
#include "hostile/limits.h"
#include "rt/check.h"
#include "rt/harts.h"
#include "rt/sbi.h"
#include "rt/software_event.h"

/* What the monitor reads and writes, of each hart. */
static struct shared {
    uint64_t steal_time[8] __attribute__((aligned(64)));
    uint64_t attributes[SBI_SSE_ATTR_COUNT];
    struct {
        uint64_t words[4];
    } triggers[MOST_TRIGGERS] __attribute__((aligned(64)));
    struct {
        uint32_t event;
        uint32_t supported;
        uint64_t data;
    } infos[MOST_TRIGGERS] __attribute__((aligned(64)));
    struct software_event_handler handlers[2];
    uint8_t stacks[2][EVENT_STACK] __attribute__((aligned(16)));
} shared[HARTS_MAX];

static enum outcome judge(struct sbi_result result, const char *what, uint64_t function)
{
    check(result.error <= SBI_SUCCESS && result.error >= SBI_ERR_LOWEST,
          "%s, function %lu: error %ld", what, function, result.error);
    return result.error == SBI_SUCCESS ? OUTCOME_DONE : OUTCOME_REFUSED;
}

/* Counters, flags and events that may exist. */
static enum outcome act_pmu(struct random *random, struct shared *mine)
{
    uint64_t function = random_below(random, SBI_PMU_EVENT_GET_INFO + 1);
    uint64_t base =
        random_below(random, 2) == 0 ? choose_any(random) : random_below(random, MOST_COUNTERS);
    uint64_t mask =
        random_below(random, 2) == 0 ? choose_any(random) : random_next(random) & 0x3ffffff;
    uint64_t flags = random_below(random, 4) == 0 ? choose_any(random) : random_below(random, 8);
    uint64_t event = random_below(random, EVENT_TYPES) << 16 | random_below(random, 16);

    if (function == SBI_PMU_EVENT_GET_INFO) {
        for (unsigned i = 0; i < MOST_TRIGGERS; i++) {
            mine->infos[i].event = (uint32_t)event + i;
            mine->infos[i].data = choose_any(random);
        }
        base = choose_memory(random, mine->infos);
        mask = 0;
        flags = random_below(random, MOST_TRIGGERS + 1);
    } else if (function == SBI_PMU_SNAPSHOT_SET_SHMEM && choose_is_own(base, 1)) {
        return OUTCOME_REFUSED;
    }
    return judge(sbi_call6(SBI_EXT_PMU, function, base, mask, flags, event, choose_any(random), 0),
                 "counters", function);
}

static void handle_event(uint64_t hart, struct software_event_handler *handler)
{
    check(hart == hart_self()->id && handler != NULL, "an event of hart %lu", hart);
}

/* Both software events, registered and injected in any order. */
static enum outcome act_sse(struct random *random, struct shared *mine)
{
    static const uint64_t ids[] = {SBI_SSE_EVENT_LOCAL_SOFTWARE, SBI_SSE_EVENT_GLOBAL_SOFTWARE};
    /* The global one would come to any hart: it is the first one's. */
    uint64_t which = mine == shared ? random_below(random, 2) : 0;
    uint64_t function = random_below(random, SBI_SSE_HART_MASK + 1);
    uint64_t memory = choose_memory(random, mine->attributes);

    if (function == SBI_SSE_REGISTER) {
        mine->handlers[which].stack_top = mine->stacks[which] + EVENT_STACK;
        mine->handlers[which].handle = handle_event;
        return judge(sbi_call(SBI_EXT_SSE, function, ids[which], (uintptr_t)software_event_entry,
                              (uintptr_t)&mine->handlers[which]),
                     "events", function);
    }
    if (function == SBI_SSE_WRITE_ATTRS) {
        for (unsigned i = 0; i < SBI_SSE_ATTR_COUNT; i++) {
            mine->attributes[i] = choose_any(random);
        }
    }
    if (function == SBI_SSE_INJECT) {
        return judge(sbi_call(SBI_EXT_SSE, function, ids[which], hart_self()->id, 0), "events",
                     function);
    }
    return judge(sbi_call6(SBI_EXT_SSE, function, ids[which], random_below(random, 12),
                           random_below(random, 12), memory, 0, 0),
                 "events", function);
}

/* Triggers of U-mode, which this tenant does not have. */
static enum outcome act_dbtr(struct random *random, struct shared *mine)
{
    uint64_t function = random_below(random, SBI_DBTR_DISABLE_TRIGGERS + 1);

    for (unsigned i = 0; i < MOST_TRIGGERS; i++) {
        uint64_t odd = random_below(random, 4) == 0 ? 1ul << random_below(random, 60) : 0;

        mine->triggers[i].words[0] = random_below(random, 4);
        mine->triggers[i].words[1] =
            (random_below(random, 2) == 0 ? TRIGGER_TYPE_2 : TRIGGER_TYPE_6) | TRIGGER_U |
            random_below(random, 8) | (odd & ~TRIGGER_S);
        mine->triggers[i].words[2] = choose_any(random);
        mine->triggers[i].words[3] = 0;
    }
    return judge(
        function == SBI_DBTR_SET_SHMEM
            ? sbi_call(SBI_EXT_DBTR, function, choose_memory(random, mine->triggers), 0, 0)
            : sbi_call(SBI_EXT_DBTR, function, random_below(random, 4),
                       random_below(random, 2) == 0 ? random_below(random, 4) : choose_any(random),
                       0),
        "triggers", function);
}

static enum outcome act_sta(struct random *random, struct shared *mine)
{
    uint64_t none = UINT64_MAX;
    bool off = random_below(random, 4) == 0;

    return judge(sbi_call(SBI_EXT_STA, SBI_STA_SET_SHMEM,
                          off ? none : choose_memory(random, mine->steal_time), off ? none : 0,
                          random_below(random, 16) == 0 ? choose_any(random) : 0),
                 "steal time", 0);
}

static enum outcome act_fwft(struct random *random)
{
    uint64_t feature = random_below(random, 4) == 0 ? choose_any(random) : random_below(random, 8);
    uint64_t flags = random_below(random, 16) == 0 ? choose_any(random) & ~1ul : 0;

    return judge(
        sbi_call(SBI_EXT_FWFT, random_below(random, 3), feature, random_below(random, 3), flags),
        "firmware features", feature);
}

enum outcome act_feature(struct random *random)
{
    struct shared *mine = &shared[hart_self()->id % HARTS_MAX];

    switch (random_below(random, 16)) {
    case 0:
    case 1:
    case 2:
    case 3:
        return act_pmu(random, mine);
    case 4: /* rarely: they cost QEMU a lot */
        return act_dbtr(random, mine);
    case 5:
    case 6:
        return act_sta(random, mine);
    case 7:
    case 8:
        return act_fwft(random);
    default:
        return act_sse(random, mine);
    }
}
