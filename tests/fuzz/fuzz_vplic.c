/* SPDX-License-Identifier: BSD-2-Clause */
#include <assert.h>
#include <string.h>

#include "features/plic/physical.h"
#include "features/plic/vplic.h"
#include "features/plic/vplic_arbiter.h"
#include "fuzz.h"
#include "plic_words.h"
#include "release_by_parts.h"

#define VHARTS 3

/* Sources 8..15 and 40 are physical and owned, 4 and 255 virtual, all others foreign. */
static const uint32_t owned[COTENANT_SOURCE_WORDS] = {0xff00, 0x100};
static const uint32_t virtual_words[COTENANT_SOURCE_WORDS] = {0x10, [7] = 0x80000000};

static const bool passed[VHARTS] = {false, true, false};
static bool enabled[COTENANT_MAX_SOURCES]; /* in the machine context */
static bool raised[COTENANT_MAX_SOURCES];  /* claimed there, not completed */
static uint32_t next_physical_claim;

static void check_owned(uint32_t source)
{
    assert(source < COTENANT_MAX_SOURCES && (owned[source / 32] >> source % 32 & 1) != 0);
}

void set_physical_priority(struct vplic *vplic, uint32_t source, uint32_t priority)
{
    (void)vplic;
    check_owned(source);
    assert(priority <= VPLIC_PRIORITY_MAX);
}

uint32_t read_physical_pending(struct vplic *vplic, uint32_t word)
{
    (void)vplic;
    assert(word < COTENANT_SOURCE_WORDS);
    return 0xffffffff;
}

void enable_physical(struct vplic *vplic, uint32_t word, uint32_t sources)
{
    (void)vplic;
    assert(word < COTENANT_SOURCE_WORDS && (sources & ~owned[word]) == 0);
    for (uint32_t bit = 0; bit < 32; bit++) {
        enabled[word * 32 + bit] = sources >> bit & 1;
    }
}

void complete_physical(struct vplic *vplic, uint32_t source)
{
    (void)vplic;
    check_owned(source);
    assert(enabled[source] && raised[source]);
    raised[source] = false;
}

void write_physical_enable_word(struct vplic *vplic, uint32_t vhart, uint32_t word, uint32_t value)
{
    (void)vplic;
    assert(vhart < VHARTS && passed[vhart] && word < COTENANT_SOURCE_WORDS);
    assert((value & ~(owned[word] | virtual_words[word])) == 0);
}

uint32_t claim_physical(struct vplic *vplic, uint32_t vhart)
{
    (void)vplic;
    assert(vhart < VHARTS && passed[vhart]);
    return next_physical_claim;
}

void complete_physical_direct(struct vplic *vplic, uint32_t vhart, uint32_t source)
{
    (void)vplic;
    check_owned(source);
    assert(vhart < VHARTS && passed[vhart]);
}

/* Mostly registers that are there, sometimes anything. */
static uint64_t any_offset(struct fuzz_input *input)
{
    uint8_t choice = fuzz_byte(input);
    uint8_t byte = fuzz_byte(input);

    switch (choice % 8) {
    case 0:
    case 1:
        return 4 * (uint64_t)byte;
    case 2:
        return 0x1000 + 4 * (uint64_t)(byte % 16);
    case 3:
    case 4:
        return 0x2000 + 0x80 * (uint64_t)(byte % 4) + 4 * (uint64_t)(byte / 4 % 16);
    case 5:
    case 6:
        return 0x200000 + 0x1000 * (uint64_t)(byte % 4) + 4 * (uint64_t)(byte / 4 % 3);
    default:
        return fuzz_word(input);
    }
}

static void check(const struct vplic *vplic)
{
    for (uint32_t word = 0; word < COTENANT_SOURCE_WORDS; word++) {
        uint32_t known = owned[word] | virtual_words[word];
        uint32_t in_service = 0;

        assert((vplic->pending[word] != 0) == (vplic->pending_words >> word & 1));
        assert((vplic->pending[word] & (~known | vplic->in_service[word])) == 0);
        for (uint32_t vhart = 0; vhart < VHARTS; vhart++) {
            assert((vplic->vharts[vhart].enable[word] & ~known) == 0);
            assert((vplic->vharts[vhart].claimed[word] & in_service) == 0);
            in_service |= vplic->vharts[vhart].claimed[word];
        }
        assert(in_service == vplic->in_service[word]);
    }
}

static void reset(struct vplic *vplic)
{
    uint32_t step = 0;

    do {
        step = vplic_reset_step(vplic, step);
    } while (step != 0);
}

static void operate(struct vplic *vplic, struct fuzz_input *input)
{
    uint8_t operation = fuzz_byte(input);
    uint8_t byte = fuzz_byte(input);
    uint32_t size = byte % 32 == 0 ? byte / 32 : 4;
    uint64_t offset;
    uint32_t value;

    switch (operation % 8) {
    case 0:
    case 1:
        next_physical_claim = byte;
        offset = any_offset(input);
        vplic_access(vplic, offset, size, false, &value);
        break;
    case 2:
    case 3:
    case 4:
        offset = any_offset(input);
        value = fuzz_byte(input);
        value = value % 16 == 0 ? fuzz_word(input) : value;
        vplic_access(vplic, offset, size, true, &value);
        break;
    case 5:
        vplic_set_level(vplic, byte % 2 ? byte / 2 : 255, fuzz_byte(input) & 1);
        break;
    case 6:
        raised[byte % 64] |= vplic_raise(vplic, byte % 64);
        break;
    default:
        if (byte == 0) {
            reset(vplic);
        }
        (void)vplic_output(vplic, &vplic->vharts[byte % VHARTS]);
        break;
    }
}

int fuzz_vplic(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    struct vplic vplic;

    memset(enabled, 0, sizeof(enabled));
    memset(raised, 0, sizeof(raised));
    vplic_init(&vplic, 0, owned);
    vplic_add_virtual(&vplic, 4);
    vplic_add_virtual(&vplic, 255);
    for (uint32_t vhart = 0; vhart < VHARTS; vhart++) {
        vplic_add_vhart(&vplic, vhart, passed[vhart]);
    }
    while (input.size > 0) {
        operate(&vplic, &input);
        check(&vplic);
    }
    reset(&vplic);
    for (uint32_t source = 0; source < COTENANT_MAX_SOURCES; source++) {
        assert(!raised[source] && !enabled[source]);
    }
    return 0;
}
