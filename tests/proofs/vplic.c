/* SPDX-License-Identifier: BSD-2-Clause */
/* Any sequence of accesses and calls to a virtual PLIC with any sources, vharts and contexts. */
#include "features/plic/vplic.h"
#include "features/plic/physical.h"
#include "features/plic/vplic_arbiter.h"
#include "proof.h"

static struct vplic vplic;

/* What physical.h does of the board's PLIC: only that the numbers are of what there is. */
static void is_source(uint32_t source)
{
    //@ assert source <= 255;
}

static void is_word(uint32_t word)
{
    //@ assert word <= 7;
}

static void is_vhart(uint32_t index)
{
    //@ assert index < 8;
}

void silence_physical_word(struct vplic *vplic_, uint32_t word, uint32_t sources)
{
    is_word(word);
}

uint32_t read_physical_pending(struct vplic *vplic_, uint32_t word)
{
    is_word(word);
    return any32();
}

void enable_physical(struct vplic *vplic_, uint32_t word, uint32_t sources)
{
    is_word(word);
}

void complete_physical(struct vplic *vplic_, uint32_t source)
{
    is_source(source);
}

void release_emulated_word(struct vplic *vplic_, uint32_t word, uint32_t raised)
{
    is_word(word);
}

void write_physical_enable_word(struct vplic *vplic_, uint32_t vhart, uint32_t word, uint32_t value)
{
    is_vhart(vhart);
    is_word(word);
}

uint32_t claim_physical(struct vplic *vplic_, uint32_t vhart)
{
    is_vhart(vhart);
    return any32();
}

void complete_physical_direct(struct vplic *vplic_, uint32_t vhart, uint32_t source)
{
    is_vhart(vhart);
    is_source(source);
}

void release_physical_word(struct vplic *vplic_, uint32_t vhart, uint32_t word, uint32_t sources)
{
    is_vhart(vhart);
    is_word(word);
}

void set_physical_priority(struct vplic *vplic_, uint32_t source, uint32_t priority)
{
    is_source(source);
    //@ assert priority <= 7;
}

/* vplic_arbiter.c, which is not analysed. */
uint32_t vplic_best_due(const struct vplic *vplic_, const struct vplic_vhart *vhart)
{
    return any_up_to(COTENANT_MAX_SOURCES - 1);
}

bool vplic_any_due(const struct vplic *vplic_, const struct vplic_vhart *vhart)
{
    return any_bool();
}

/* Any number; that of a source on its own. */
static uint32_t any_source(void)
{
    return any_bool() ? any_up_to(COTENANT_MAX_SOURCES - 1)
                      : COTENANT_MAX_SOURCES + any_up_to(UINT32_MAX - COTENANT_MAX_SOURCES);
}

static void call(void)
{
    uint32_t value = any_source();
    uint32_t index = any32();

    switch (any_up_to(8)) {
    case 0:
        vplic_access(&vplic, any64(), any32(), any_bool(), &value);
        break;
    case 1:
        if (index < vplic.vhart_count) {
            vplic_claim(&vplic, index);
        }
        break;
    case 2:
        if (index < vplic.vhart_count) {
            vplic_complete(&vplic, index, any_source());
        }
        break;
    case 3:
        vplic_set_level(&vplic, any32(), any_bool());
        break;
    case 4:
        vplic_raise(&vplic, any32());
        break;
    case 5:
        if (index < vplic.vhart_count) {
            vplic_output(&vplic, &vplic.vharts[index]);
        }
        break;
    case 6:
        vplic_add_virtual(&vplic, any32());
        break;
    case 7:
        vplic_lower_lines(&vplic);
        break;
    default:
        vplic_reset_step(&vplic, any32());
        break;
    }
}

int main(void)
{
    uint32_t sources[COTENANT_SOURCE_WORDS];
    int count;

    MAKE_ANY(sources);
    vplic_init(&vplic, any_up_to(COTENANT_MAX_TENANTS - 1), sources);
    count = Frama_C_interval_split(1, VPLIC_MAX_VHARTS);
    //@ loop unroll 8;
    for (int i = 0; i < count; i++) {
        vplic_add_vhart(&vplic, any32(), any_bool());
    }
    if (count == VPLIC_MAX_VHARTS) {
        vplic_add_vhart(&vplic, any32(), any_bool()); /* one too many */
    }
    //@ split vplic.vhart_count;
    while (any_bool()) {
        call();
    }
    return 0;
}
