/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random operations on a virtual PLIC beside a model that is as plain as can be: an array element
 * for each source, and a loop over all of them for each question. What the two sides return, and
 * the state that was left in a physical PLIC, must be the same after every step.
 */
#include <string.h>

#include "cmocka_tests.h"
#include "features/plic/physical.h"
#include "features/plic/vplic.h"
#include "features/plic/vplic_arbiter.h"
#include "plic_words.h"
#include "random.h"
#include "release_by_parts.h"

#define STEPS 200000
#define SOURCES COTENANT_MAX_SOURCES
#define VHARTS 3
#define NOBODY (-1)

static const uint32_t contexts[VHARTS] = {1, 3, 6};
static const bool passed[VHARTS] = {false, true, false};

/* The effects that the vplic had on the board, or that the model says it should have. */
struct board {
    uint32_t priority[SOURCES];
    bool emulated_enable[SOURCES];
    uint32_t enable_word[VHARTS][COTENANT_SOURCE_WORDS];
    uint32_t completed[SOURCES];
    uint32_t completed_directly[VHARTS][SOURCES];
    uint32_t claims[VHARTS];
};

static struct board seen;
static struct board expected;
static uint32_t physical_pending[COTENANT_SOURCE_WORDS];
static uint32_t physical_claim;
static struct vplic vplic;

static struct {
    enum { FOREIGN, PHYSICAL, VIRTUAL } kind[SOURCES];
    uint32_t priority[SOURCES];
    bool level[SOURCES];
    bool pending[SOURCES];
    bool again[SOURCES]; /* physical, raised while in service */
    int claimer[SOURCES];
    bool enabled[VHARTS][SOURCES];
    uint32_t threshold[VHARTS];
} model;

void set_physical_priority(struct vplic *v, uint32_t source, uint32_t priority)
{
    (void)v;
    seen.priority[source] = priority;
}

uint32_t read_physical_pending(struct vplic *v, uint32_t word)
{
    (void)v;
    return physical_pending[word];
}

void enable_physical(struct vplic *v, uint32_t word, uint32_t sources)
{
    (void)v;
    for (uint32_t bit = 0; bit < 32; bit++) {
        seen.emulated_enable[word * 32 + bit] = sources >> bit & 1;
    }
}

void complete_physical(struct vplic *v, uint32_t source)
{
    (void)v;
    assert_true(seen.emulated_enable[source]); /* else the PLIC would ignore it */
    seen.completed[source]++;
}

void write_physical_enable_word(struct vplic *v, uint32_t vhart, uint32_t word, uint32_t value)
{
    (void)v;
    seen.enable_word[vhart][word] = value;
}

uint32_t claim_physical(struct vplic *v, uint32_t vhart)
{
    (void)v;
    seen.claims[vhart]++;
    return physical_claim;
}

void complete_physical_direct(struct vplic *v, uint32_t vhart, uint32_t source)
{
    (void)v;
    seen.completed_directly[vhart][source]++;
}

static void make_both(struct random *random)
{
    uint32_t sources[COTENANT_SOURCE_WORDS] = {0};

    memset(&seen, 0, sizeof(seen));
    memset(&expected, 0, sizeof(expected));
    memset(&model, 0, sizeof(model));
    for (uint32_t source = 0; source < SOURCES; source++) {
        model.claimer[source] = NOBODY;
        model.kind[source] = source == 0 ? FOREIGN : random_below(random, 3);
        if (model.kind[source] == PHYSICAL) {
            sources[source / 32] |= 1u << source % 32;
        }
    }
    vplic_init(&vplic, 0, sources);
    for (uint32_t source = 0; source < SOURCES; source++) {
        if (model.kind[source] == VIRTUAL) {
            assert_true(vplic_add_virtual(&vplic, source));
        }
    }
    for (uint32_t vhart = 0; vhart < VHARTS; vhart++) {
        assert_int_equal(vplic_add_vhart(&vplic, contexts[vhart], passed[vhart]), vhart);
    }
}

/* The model's answers. */

static bool model_is_due(uint32_t vhart, uint32_t source)
{
    return model.pending[source] && model.enabled[vhart][source] &&
           model.priority[source] > model.threshold[vhart] &&
           (!passed[vhart] || model.kind[source] == VIRTUAL);
}

static uint32_t model_best(uint32_t vhart)
{
    uint32_t best = 0;

    for (uint32_t source = 1; source < SOURCES; source++) {
        if (model_is_due(vhart, source) &&
            (best == 0 || model.priority[source] > model.priority[best])) {
            best = source;
        }
    }
    return best;
}

static bool model_trapped(uint32_t vhart)
{
    if (!passed[vhart]) {
        return false;
    }
    if (model_best(vhart) != 0) {
        return true;
    }
    for (uint32_t source = 1; source < SOURCES; source++) {
        if (model.claimer[source] == (int)vhart) {
            return true;
        }
    }
    return false;
}

static uint32_t model_claim(uint32_t vhart)
{
    uint32_t source = model_best(vhart);

    if (source != 0) {
        model.pending[source] = false;
        model.claimer[source] = (int)vhart;
        return source;
    }
    if (passed[vhart]) {
        expected.claims[vhart]++;
        return physical_claim;
    }
    return 0;
}

static void model_complete(uint32_t vhart, uint32_t source)
{
    if (source >= SOURCES || !model.enabled[vhart][source]) {
        return;
    }
    if (model.claimer[source] == (int)vhart) {
        model.claimer[source] = NOBODY;
        model.pending[source] = model.level[source] || model.again[source];
        expected.completed[source] += model.kind[source] == PHYSICAL && !model.again[source];
        model.again[source] = false;
    } else if (passed[vhart] && model.kind[source] == PHYSICAL) {
        expected.completed_directly[vhart][source]++;
    }
}

static void model_write_priority(uint32_t source, uint32_t value)
{
    if (model.kind[source] != FOREIGN) {
        model.priority[source] = value & 7;
    }
    if (model.kind[source] == PHYSICAL) {
        expected.priority[source] = value & 7;
    }
}

static void model_write_enable(uint32_t vhart, uint32_t word, uint32_t value)
{
    for (uint32_t bit = 0; bit < 32; bit++) {
        uint32_t source = word * 32 + bit;
        bool on = (value >> bit & 1) && model.kind[source] != FOREIGN;

        model.enabled[vhart][source] = on;
        if (passed[vhart]) {
            expected.enable_word[vhart][word] &= ~(1u << bit);
            expected.enable_word[vhart][word] |= (uint32_t)on << bit;
        } else if (model.kind[source] == PHYSICAL) {
            expected.emulated_enable[source] = model.enabled[0][source] || model.enabled[2][source];
        }
    }
}

static void model_reset(void)
{
    for (uint32_t source = 0; source < SOURCES; source++) {
        model.priority[source] = 0;
        model.claimer[source] = NOBODY;
        model.pending[source] = model.level[source];
        model.again[source] = false;
    }
    memset(model.enabled, 0, sizeof(model.enabled));
    memset(model.threshold, 0, sizeof(model.threshold));
    /* Completions of the reset: test_vplic.c says which; here only that all is off. */
    memcpy(expected.completed, seen.completed, sizeof(seen.completed));
    memcpy(expected.completed_directly, seen.completed_directly, sizeof(seen.completed_directly));
    memset(expected.priority, 0, sizeof(expected.priority));
    memset(expected.emulated_enable, 0, sizeof(expected.emulated_enable));
    memset(expected.enable_word, 0, sizeof(expected.enable_word));
}

/* The same operation on both sides. */

/* SEIP of a vhart, and whether its claim register is to trap. */
static bool output(uint32_t vhart)
{
    return vplic_output(&vplic, &vplic.vharts[vhart]);
}

static bool claim_trapped(uint32_t vhart)
{
    return vplic_claim_trapped(&vplic.vharts[vhart], output(vhart));
}

static uint32_t rd(uint64_t offset)
{
    uint32_t value;

    assert_true(vplic_access(&vplic, offset, 4, false, &value));
    return value;
}

static void wr(uint64_t offset, uint32_t value)
{
    assert_true(vplic_access(&vplic, offset, 4, true, &value));
}

/* Half of the time one of a few, so that things happen to the same source. */
static uint32_t any_source(struct random *random)
{
    return random_below(random, 2) ? random_below(random, SOURCES) : 29 + random_below(random, 8);
}

static uint32_t model_pending_word(uint32_t word)
{
    uint32_t bits = 0;

    for (uint32_t bit = 0; bit < 32; bit++) {
        uint32_t source = word * 32 + bit;
        bool physical = model.kind[source] == PHYSICAL && (physical_pending[word] >> bit & 1);

        bits |= (uint32_t)(model.pending[source] || physical) << bit;
    }
    return bits;
}

static void step_register(struct random *random)
{
    uint32_t vhart = random_below(random, VHARTS);
    uint32_t source = any_source(random);
    uint32_t word = source / 32;
    uint32_t value = random_next(random);

    switch (random_below(random, 4)) {
    case 0:
        wr(4 * source, value);
        model_write_priority(source, value);
        assert_int_equal(rd(4 * source), model.priority[source]);
        break;
    case 1:
        value |= random_next(random); /* most are enabled */
        wr(0x2000 + 0x80 * contexts[vhart] + 4 * word, value);
        model_write_enable(vhart, word, value);
        break;
    case 2:
        value = random_below(random, 4) ? 0 : value;
        wr(0x200000 + 0x1000 * contexts[vhart], value);
        model.threshold[vhart] = value & 7;
        break;
    default:
        physical_pending[word] = value;
        assert_int_equal(rd(0x1000 + 4 * word), model_pending_word(word));
        break;
    }
}

static void step_service(struct random *random)
{
    uint32_t vhart = random_below(random, VHARTS);
    uint32_t source = any_source(random);
    uint64_t claim = 0x200004 + 0x1000 * contexts[vhart];

    if (random_below(random, 2)) {
        physical_claim = source;
        assert_int_equal(rd(claim), model_claim(vhart));
    } else {
        source = random_below(random, 50) ? source : random_next(random);
        wr(claim, source);
        model_complete(vhart, source);
    }
}

static void step_device(struct random *random)
{
    uint32_t source = any_source(random);

    if (random_below(random, 2)) {
        bool level = random_below(random, 2);

        vplic_set_level(&vplic, source, level);
        if (model.kind[source] == VIRTUAL) {
            model.level[source] = level;
            model.pending[source] = level && model.claimer[source] == NOBODY;
        }
    } else {
        bool taken = model.kind[source] == PHYSICAL;

        assert_int_equal(vplic_raise(&vplic, source), taken);
        if (taken && model.claimer[source] == NOBODY) {
            model.pending[source] = true;
        } else if (taken) {
            model.again[source] = true;
        }
    }
}

static void assert_same(uint32_t step)
{
    for (uint32_t vhart = 0; vhart < VHARTS; vhart++) {
        uint32_t word = step % COTENANT_SOURCE_WORDS;
        uint32_t enabled = rd(0x2000 + 0x80 * contexts[vhart] + 4 * word);

        assert_int_equal(output(vhart), model_best(vhart) != 0);
        assert_int_equal(passed[vhart] && claim_trapped(vhart), model_trapped(vhart));
        assert_int_equal(rd(0x200000 + 0x1000 * contexts[vhart]), model.threshold[vhart]);
        for (uint32_t bit = 0; bit < 32; bit++) {
            assert_int_equal(enabled >> bit & 1, model.enabled[vhart][word * 32 + bit]);
        }
    }
    assert_memory_equal(&seen, &expected, sizeof(seen));
}

static void test_random_operations(void **state)
{
    struct random random = {.state = 0x636f74656e616e74};

    (void)state;
    make_both(&random);
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t choice = random_below(&random, 10000);

        if (choice < 3) {
            uint32_t part = 0;

            do {
                part = vplic_reset_step(&vplic, part);
            } while (part != 0);
            model_reset();
        } else if (choice < 3000) {
            step_register(&random);
        } else if (choice < 7000) {
            step_service(&random);
        } else {
            step_device(&random);
        }
        assert_same(step);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_operations),
    };

    return cmocka_run_group_tests_name("vplic_model", tests, NULL, NULL);
}
