/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attacks the monitor and its neighbours with random and structured actions, on all of its harts.
 * Action number i of a hart depends on the seed, the hart and i alone: leaving some actions out
 * changes none of the others. What no tenant may get is tried as well, and ends it with
 * "FAIL torture: escape: ...". `cotenant torture` runs it, beside honest neighbours.
 *
 * Arguments: seed=N   actions=N: on each hart (10000)
 *            keep=A-B,C-D,...: of these only the ones with these numbers, last ones included
 *            weights=N,N,...: how often each kind of `kinds` is chosen, in its order
 *            touch=0x...,0x...: pages of others
 *            tell=1: prints each action before it is done   after=N: milliseconds before it begins
 *            life=N: reboots after N actions, and goes on with others   member=1: of a group
 *
 * It prints, from time to time and at its end, the sums of all harts since it began:
 *
 *     torture: at=N KIND=done/refused/faulted KIND=...
 */
#include <stddef.h>

#include "hostile/acts.h"
#include "rt/arguments.h"
#include "rt/check.h"
#include "rt/console.h"
#include "rt/harts.h"
#include "rt/platform.h"
#include "rt/sbi.h"

/* Kept for the device tree, at the end of a tenant's memory. */
#define DEVICETREE_ROOM 0x4000
#define UNTOUCHED 0x1234
#define MARK 0x746f727475726521
#define TELL_EVERY 0x10000
#define MOST_RANGES 128
/* A life begins with other actions if it begins in another one of these, in microseconds. */
#define ERA_US 5000
#define ERA_ACTIONS 1000000

const char payload_name[] = "torture";

struct range {
    uint64_t first;
    uint64_t last;
};

static bool always(void)
{
    return true;
}

static bool is_member(void)
{
    return platform_number("member", 0) != 0;
}

static const struct kind {
    const char *name;
    enum outcome (*act)(struct random *random);
    bool (*begin)(void); /* whether the tenant has what it takes */
    bool any_hart;
} kinds[] = {
    {"call", act_call, always, true},
    {"hot", act_hot_call, always, true},
    {"feature", act_feature, always, true},
    {"foreign", act_foreign, always, true},
    {"register", act_register, always, true},
    {"instruction", act_instruction, always, false},
    {"pages", act_pages, always, false},
    {"peek", act_peek, always, true},
    {"nap", act_nap, always, true},
    {"rings", act_rings, act_rings_begin, false},
    {"guests", act_guests, act_guests_begin, true},
    {"suspend", act_suspend, is_member, false},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static volatile uint64_t initialised = UNTOUCHED;
/* Behind .bss, so that start.S does not clear it: the loader has to. */
extern volatile uint64_t image_end[];

static uint64_t seed;
static uint64_t actions;
static uint64_t first; /* number of this life's first action */
static bool tells;
static uint64_t weights[KINDS];
static struct range ranges[MOST_RANGES];
static uint32_t range_count;
/* Each hart writes its own. */
static volatile uint64_t counts[HARTS_MAX][KINDS][OUTCOMES];

/* A life finds nothing of the one before: not its memory, and no interrupt. */
static void look(void)
{
    volatile uint64_t *end =
        (volatile uint64_t *)(platform.memory_base + platform.memory_size - DEVICETREE_ROOM);

    check(initialised == UNTOUCHED, "escape: initialised data kept 0x%lx", initialised);
    initialised = MARK;
    check(csr_read(sip) == 0, "escape: interrupts are pending: 0x%lx", csr_read(sip));
    for (volatile uint64_t *word = image_end; word < end && word < image_end + 0x8000; word++) {
        check(*word == 0, "escape: memory at 0x%lx kept 0x%lx", (uint64_t)word, *word);
        *word = MARK;
    }
}

static void read_ranges(void)
{
    const char *text = platform_argument("keep");
    struct range range;

    while (text != NULL && range_count < MOST_RANGES && argument_number(&text, &range.first)) {
        text += *text == '-';
        range.last = range.first;
        (void)argument_number(&text, &range.last);
        ranges[range_count++] = range;
        text += *text == ',';
    }
    if (platform_argument("keep") == NULL) {
        ranges[range_count++] = (struct range){0, UINT64_MAX};
    }
}

static void read_weights(void)
{
    const char *text = platform_argument("weights");

    for (unsigned i = 0; i < KINDS; i++) {
        weights[i] = 1;
        if (text != NULL && argument_number(&text, &weights[i])) {
            text += *text == ',';
        }
        if (!kinds[i].begin()) {
            weights[i] = 0;
        }
    }
}

/* Spreads what differs in few bits over all of them (Steele, Lea and Flood's SplitMix, 2014). */
static uint64_t mix(uint64_t value)
{
    value += 0x9e3779b97f4a7c15;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
}

/* What the hart's actions are chosen by: its own seed, and the sums of the weights of its kinds. */
static struct chooser {
    uint64_t seed;
    uint64_t sums[KINDS];
} choosers[HARTS_MAX];

static void begin_to_choose(uint64_t hart)
{
    struct chooser *mine = &choosers[hart];
    uint64_t sum = 0;

    mine->seed = mix(seed + hart);
    for (unsigned i = 0; i < KINDS; i++) {
        sum += hart == 0 || kinds[i].any_hart ? weights[i] : 0;
        mine->sums[i] = sum;
    }
}

static unsigned choose_kind(struct random *random, const struct chooser *mine)
{
    uint64_t sum = mine->sums[KINDS - 1];
    uint64_t place = sum == 0 ? 0 : random_below(random, sum);

    for (unsigned i = 0; i < KINDS; i++) {
        if (place < mine->sums[i]) {
            return i;
        }
    }
    return 0;
}

static void do_action(uint64_t hart, uint64_t number)
{
    struct random random = random_from(mix(choosers[hart].seed + number));
    unsigned kind = choose_kind(&random, &choosers[hart]);

    if (tells) {
        print("torture: hart %lu action %lu: %s\n", hart, number, kinds[kind].name);
    }
    counts[hart][kind][kinds[kind].act(&random)]++;
}

static void report(void)
{
    print("\ntorture: at=%lu", first);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        uint64_t sums[OUTCOMES] = {0};

        for (unsigned hart = 0; hart < HARTS_MAX; hart++) {
            for (unsigned i = 0; i < OUTCOMES; i++) {
                sums[i] += counts[hart][kind][i];
            }
        }
        print(" %s=%lu/%lu/%lu", kinds[kind].name, sums[OUTCOME_DONE], sums[OUTCOME_REFUSED],
              sums[OUTCOME_FAULT]);
    }
    print("\n");
}

static void attack(uint64_t hart)
{
    uint64_t done = 0;

    begin_to_choose(hart);
    for (uint32_t i = 0; i < range_count; i++) {
        uint64_t number = ranges[i].first < first ? first : ranges[i].first;

        for (; number - first < actions && number <= ranges[i].last; number++) {
            do_action(hart, number);
            if (hart == 0 && ++done % TELL_EVERY == 0) {
                report();
            }
        }
    }
    sbi_set_timer(UINT64_MAX);
}

/* For ever; a member of a group lets the others have their turns. */
static __attribute__((noreturn)) void rest(void)
{
    struct random random = random_from(seed);

    for (;;) {
        if (is_member() && act_suspend(&random) == OUTCOME_DONE) {
            continue;
        }
        csr_write(sie, 0);
        if (is_member()) {
            clock_sleep(1000); /* there is no other one at the moment */
        } else {
            wait_for_interrupt();
        }
    }
}

void main(void)
{
    uint64_t life = platform_number("life", 0);

    look();
    interrupts_disable();
    seed = mix(platform_number("seed", 1));
    actions = life != 0 ? life : platform_number("actions", 10000);
    tells = platform_number("tell", 0) != 0;
    choose_begin();
    read_ranges();
    read_weights();
    if (life != 0) {
        first = clock_now() / clock_ticks(ERA_US) * ERA_ACTIONS;
    }
    clock_sleep(platform_number("after", 0) * 1000);
    print("torture: begins at=%lu\n", first);
    harts_run(attack);
    report();
    if (life != 0) {
        sbi_reboot();
    }
    print("torture: done\n");
    rest();
}
