/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sequences of what drivers do with the PLIC that they see, of what their devices do, and of world
 * switches, interrupts, messages and resets. In each episode some tenants are hostile. The others
 * keep to the rules: they must get each interrupt that is theirs, and none that is not. In half of
 * the episodes tenants share physical sources by twos, as members of a group.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/plic_map.h"
#include "episodes.h"
#include "fuzz.h"
#include "routing_machine.h"

/* Rounds in which the honest drivers are done with what waits. */
#define SETTLE_ROUNDS 64

/* An honest driver: a vhart that serves one source at a time. */
struct server {
    uint64_t enabled;
    uint32_t threshold;
    uint32_t serving; /* a source that it has claimed and will complete, or 0 */
};

/* What the drivers and devices of a tenant have come to. */
static struct {
    uint64_t asked; /* sources that may be claimed: a level was or is up since they last were */
    uint64_t level; /* of virtual sources */
    bool uart;
    uint8_t priority[PLIC_SOURCES];
} facts[DRIVEN];
static struct server servers[DRIVEN_VHARTS];
static uint8_t honest; /* tenants, a bit each */

static uint64_t total;
static uint64_t episodes;
static uint64_t claims;
static uint64_t resets;
static uint64_t now_seed;
static uint64_t now_episode;
static uint64_t now_operation;

void statistics_episode(uint64_t seed, uint64_t episode)
{
    now_seed = seed;
    now_episode = episode;
}

uint64_t statistics_operations(void)
{
    return total;
}

void statistics_place(void)
{
    printf("seed %llu, episode %llu, operation %llu\n", (unsigned long long)now_seed,
           (unsigned long long)now_episode, (unsigned long long)now_operation);
    fflush(stdout);
}

void statistics_print(void)
{
    printf("%llu operations in %llu episodes: %llu machine external interrupts, %llu claims of "
           "honest drivers, %llu resets\n",
           (unsigned long long)total, (unsigned long long)episodes,
           (unsigned long long)machine_interruptions, (unsigned long long)claims,
           (unsigned long long)resets);
}

void routing_fail(const char *condition, const char *file, int line)
{
    printf("%s:%d: %s\n", file, line, condition);
    statistics_place();
    abort();
}

static bool is_honest(uint32_t tenant)
{
    return tenant < DRIVEN && (honest >> tenant & 1) != 0;
}

static bool runs_honestly(uint32_t tenant)
{
    return is_honest(tenant) && tenants[tenant].state == TENANT_RUNNING;
}

static struct server *server_of(const struct vhart *vhart)
{
    return &servers[vhart - vharts];
}

/* The sources that some vhart of a tenant has enabled, or serves. */
static uint64_t enabled_by(uint32_t tenant)
{
    uint64_t set = 0;

    for (uint32_t i = 0; i < tenants[tenant].vhart_count; i++) {
        set |= server_of(&tenants[tenant].vharts[i])->enabled;
    }
    return set;
}

static uint64_t served_by(uint32_t tenant)
{
    uint64_t set = 0;

    for (uint32_t i = 0; i < tenants[tenant].vhart_count; i++) {
        set |= SOURCE_BIT(server_of(&tenants[tenant].vharts[i])->serving);
    }
    return set & ~UINT64_C(1);
}

/* The sources whose devices ask for service. */
static uint64_t levels_of(uint32_t tenant)
{
    uint64_t levels = facts[tenant].level | (physical.line & physical_set(tenant));

    if (facts[tenant].uart) {
        levels |= (enabled_by(tenant) & SOURCE_BIT(BOARD_UART)) != 0 ? SOURCE_BIT(BOARD_UART)
                                                                     : SOURCE_BIT(TENANT_UART);
    }
    return levels;
}

static void note_levels(uint32_t tenant)
{
    facts[tenant].asked |= levels_of(tenant);
}

static uint32_t pick_source(uint32_t tenant, uint8_t choice)
{
    uint32_t which = choice % (PHYSICAL_EACH + VIRTUAL_EACH + 1);

    if (which < PHYSICAL_EACH) {
        return physical_sources(tenant)[which];
    }
    return which < PHYSICAL_EACH + VIRTUAL_EACH ? virtual_sources[tenant][which - PHYSICAL_EACH]
                                                : BOARD_UART;
}

static void set_line(uint32_t tenant, uint32_t source, bool up, uint32_t hart)
{
    if (tenants[tenant].state != TENANT_RUNNING) {
        return;
    }
    if ((physical_set(tenant) >> source & 1) != 0) {
        physical_set_line(source, up);
    } else if (source == BOARD_UART || source == TENANT_UART) {
        machine_set_uart(tenant, up, hart);
        facts[tenant].uart = up;
    } else {
        machine_set_level(tenant, source, up, hart);
        facts[tenant].level &= ~SOURCE_BIT(source);
        facts[tenant].level |= (uint64_t)up << source;
    }
    note_levels(tenant);
}

static uint64_t context_offset(const struct vhart *vhart, uint64_t base, uint64_t stride)
{
    return base + stride * S_CONTEXT(vhart->world.hart->index);
}

static void store(struct vhart *vhart, uint64_t offset, uint32_t value)
{
    CHECK(machine_store(vhart, offset, 4, value));
    note_levels(vhart->tenant->index);
}

static void honest_enable(struct vhart *vhart, uint64_t enabled)
{
    uint64_t offset = context_offset(vhart, PLIC_ENABLE_BASE, PLIC_ENABLE_STRIDE);
    uint32_t value;

    note_levels(vhart->tenant->index);
    server_of(vhart)->enabled = enabled;
    store(vhart, offset, (uint32_t)enabled);
    store(vhart, offset + 4, (uint32_t)(enabled >> 32));
    CHECK(machine_load(vhart, offset, 4, &value) && value == (uint32_t)enabled);
    CHECK(machine_load(vhart, offset + 4, 4, &value) && value == enabled >> 32);
}

static void honest_priority(struct vhart *vhart, uint32_t source, uint8_t priority)
{
    uint32_t value;

    facts[vhart->tenant->index].priority[source] = priority;
    store(vhart, 4 * (uint64_t)source, priority);
    CHECK(machine_load(vhart, 4 * (uint64_t)source, 4, &value) && value == priority);
}

static void honest_threshold(struct vhart *vhart, uint32_t threshold)
{
    server_of(vhart)->threshold = threshold;
    store(vhart, context_offset(vhart, PLIC_THRESHOLD_BASE, PLIC_CONTEXT_STRIDE), threshold);
}

/* All sources are for the vhart. */
static void honest_enable_all(struct vhart *vhart, uint8_t priority)
{
    uint64_t known = known_set(vhart->tenant->index);

    honest_enable(vhart, known);
    honest_threshold(vhart, 0);
    for (uint64_t left = known; left != 0; left &= left - 1) {
        honest_priority(vhart, (uint32_t)__builtin_ctzll(left), priority);
    }
}

/* Nothing is masked while it is served. */
static void honest_configure(struct vhart *vhart, struct fuzz_input *input)
{
    uint32_t tenant = vhart->tenant->index;
    uint8_t choice = fuzz_byte(input);
    uint32_t source = pick_source(tenant, fuzz_byte(input));

    if (source == BOARD_UART && choice % 2 != 0) {
        source = TENANT_UART;
    }
    if (served_by(tenant) != 0) {
        return;
    }
    if (choice < 64) {
        honest_enable_all(vhart, 1 + choice % 7);
    } else if (choice < 128) {
        honest_enable(vhart, server_of(vhart)->enabled | SOURCE_BIT(source));
    } else if (choice < 160) {
        honest_enable(vhart, server_of(vhart)->enabled & ~SOURCE_BIT(source));
    } else if (choice < 240) {
        honest_priority(vhart, source, choice % 8);
    } else {
        honest_threshold(vhart, choice % 4);
    }
}

static void honest_claim(struct vhart *vhart, bool must)
{
    uint32_t tenant = vhart->tenant->index;
    struct server *server = server_of(vhart);
    uint64_t bit;
    uint32_t source;

    if (server->serving != 0 || !machine_output(vhart)) {
        return;
    }
    CHECK(machine_load(vhart, context_offset(vhart, PLIC_CLAIM_BASE, PLIC_CONTEXT_STRIDE), 4,
                       &source));
    if (source == 0) {
        CHECK(!must);
        return;
    }
    CHECK(source < PLIC_SOURCES);
    bit = SOURCE_BIT(source);
    CHECK((known_set(tenant) & bit) != 0 && (server->enabled & bit) != 0);
    CHECK(facts[tenant].priority[source] != 0);
    CHECK((served_by(tenant) & bit) == 0);
    CHECK((facts[tenant].asked & bit) != 0);
    /* After a glitch the next request can wait in the physical PLIC already. */
    facts[tenant].asked &= ~bit | physical.pending;
    server->serving = source;
    claims++;
}

static void honest_complete(struct vhart *vhart)
{
    struct server *server = server_of(vhart);
    uint32_t source = server->serving;

    if (source != 0) {
        server->serving = 0;
        store(vhart, context_offset(vhart, PLIC_CLAIM_BASE, PLIC_CONTEXT_STRIDE), source);
    }
}

static void honest_handle(struct vhart *vhart)
{
    uint32_t source = server_of(vhart)->serving;

    if (source != 0) {
        set_line(vhart->tenant->index, source, false, vhart->world.hart->index);
    }
}

static void honest_operate(struct vhart *vhart, struct fuzz_input *input)
{
    uint8_t choice = fuzz_byte(input);

    if (choice < 16) {
        honest_configure(vhart, input);
    } else if (choice < 128) {
        honest_claim(vhart, false);
    } else if (choice < 160) {
        honest_handle(vhart);
    } else {
        if (choice < 240) {
            honest_handle(vhart);
        }
        honest_complete(vhart);
    }
}

/* Mostly registers and sources that there are, of any context and tenant. */
static uint64_t any_offset(struct fuzz_input *input)
{
    uint8_t choice = fuzz_byte(input);
    uint8_t byte = fuzz_byte(input);

    switch (choice % 8) {
    case 0:
    case 1:
        return 4 * (uint64_t)(byte % (PLIC_SOURCES + 2));
    case 2:
        return PLIC_PENDING_BASE + byte % 16;
    case 3:
    case 4:
        return PLIC_ENABLE_BASE + PLIC_ENABLE_STRIDE * (uint64_t)(byte % 8) + 4 * (byte / 8 % 3);
    case 5:
    case 6:
        return PLIC_THRESHOLD_BASE + PLIC_CONTEXT_STRIDE * (uint64_t)(byte % 8) +
               4 * (uint64_t)(byte % 16 < 14);
    default:
        return choice < 64 ? fuzz_word(input) : (uint64_t)PLIC_CLAIM_BASE + byte;
    }
}

static uint32_t any_value(struct fuzz_input *input)
{
    uint8_t choice = fuzz_byte(input);

    if (choice < 128) {
        return choice % PLIC_SOURCES;
    }
    return choice < 192 ? UINT32_MAX : fuzz_word(input);
}

/* What it has to do so that anything comes. */
static void hostile_enable_all(struct vhart *vhart, uint8_t priority)
{
    uint64_t enable = context_offset(vhart, PLIC_ENABLE_BASE, PLIC_ENABLE_STRIDE);

    (void)machine_store(vhart, enable, 4, UINT32_MAX);
    (void)machine_store(vhart, enable + 4, 4, UINT32_MAX);
    for (uint32_t source = 1; source < PLIC_SOURCES; source++) {
        (void)machine_store(vhart, 4 * (uint64_t)source, 4, priority);
    }
}

static void hostile_operate(struct vhart *vhart, struct fuzz_input *input)
{
    uint64_t claim = context_offset(vhart, PLIC_CLAIM_BASE, PLIC_CONTEXT_STRIDE);
    uint8_t choice = fuzz_byte(input);
    uint32_t size = choice % 16 == 0 ? 1u << choice / 16 % 4 : 4;
    uint32_t value;

    if (choice < 48) {
        (void)machine_load(vhart, claim, size, &value);
    } else if (choice < 96) {
        (void)machine_store(vhart, claim, size, any_value(input));
    } else if (choice < 104) {
        hostile_enable_all(vhart, choice);
    } else if (choice < 144) {
        (void)machine_load(vhart, any_offset(input), size, &value);
    } else {
        uint64_t offset = any_offset(input);

        (void)machine_store(vhart, offset, size, any_value(input));
    }
}

static void stop(uint32_t tenant)
{
    machine_stop(tenant);
    memset(&facts[tenant], 0, sizeof(facts[tenant]));
    for (uint32_t i = 0; i < tenants[tenant].vhart_count; i++) {
        memset(server_of(&tenants[tenant].vharts[i]), 0, sizeof(struct server));
    }
    resets++;
}

/* Something that happens to a tenant: its devices, a PLIC that loses a claim, a reset. */
static void happen(uint32_t tenant, struct fuzz_input *input)
{
    uint8_t choice = fuzz_byte(input);
    uint32_t hart = choice % HARTS;
    uint32_t source = pick_source(tenant, fuzz_byte(input));

    if (tenants[tenant].state == TENANT_DORMANT) {
        return;
    }
    if (tenants[tenant].state != TENANT_RUNNING) {
        if (machine_reset_step(tenant, hart, choice >= 32)) {
            facts[tenant].asked = 0;
        }
    } else if (choice < 160) {
        set_line(tenant, source, true, hart);
    } else if (choice < 208) {
        set_line(tenant, source, false, hart);
    } else if (choice < 240) {
        if ((physical_set(tenant) >> source & 1) != 0) {
            facts[tenant].asked |= SOURCE_BIT(source);
            machine_flicker(source);
        }
    } else if (choice < 244) {
        facts[tenant].asked |= levels_of(tenant);
        machine_glitch(tenant, source);
    } else if (choice == 252) {
        stop(tenant);
    }
}

static void switch_hart(uint32_t hart, uint8_t choice)
{
    struct vhart *next = machine_bystander(hart);

    for (uint32_t i = 0; i < DRIVEN_VHARTS; i++) {
        if (vharts[i].world.hart == next->world.hart && (choice >> i & 1) != 0) {
            next = &vharts[i];
        }
    }
    machine_switch(next);
}

static void operate(struct fuzz_input *input)
{
    uint8_t choice = fuzz_byte(input);
    uint32_t hart = choice % HARTS;
    struct vhart *vhart = machine_loaded(hart);
    uint32_t tenant = vhart->tenant->index;

    if (choice < 32) {
        switch_hart(hart, fuzz_byte(input));
    } else if (choice < 96) {
        happen(fuzz_byte(input) % DRIVEN, input);
    } else if (choice < 112) {
        machine_messages(hart);
    } else if (choice < 116) {
        physical_set_line(BOARD_UART, true);
    } else if (tenant == BYSTANDER) {
        switch_hart(hart, fuzz_byte(input));
    } else if (is_honest(tenant)) {
        honest_operate(vhart, input);
    } else {
        hostile_operate(vhart, input);
    }
    if (fuzz_byte(input) % 4 != 0) {
        machine_standstill();
    }
    machine_check();
    now_operation++;
    total++;
}

/* Of an honest tenant: asked for, enabled by a vhart, and above its threshold. */
static uint64_t due(uint32_t tenant)
{
    uint64_t set = 0;

    for (uint32_t i = 0; i < tenants[tenant].vhart_count; i++) {
        const struct server *server = server_of(&tenants[tenant].vharts[i]);

        for (uint64_t left = levels_of(tenant) & server->enabled; left != 0; left &= left - 1) {
            uint32_t source = (uint32_t)__builtin_ctzll(left);

            if (facts[tenant].priority[source] > server->threshold) {
                set |= SOURCE_BIT(source);
            }
        }
    }
    return set;
}

static void come_to_rest(void)
{
    machine_standstill();
    for (uint32_t hart = 0; hart < HARTS; hart++) {
        machine_messages(hart);
    }
    machine_standstill();
}

/* Each honest vhart runs in turn and serves what there is. */
static void settle(void)
{
    bool again = true;

    for (unsigned round = 0; again; round++) {
        CHECK(round < SETTLE_ROUNDS);
        again = false;
        for (uint32_t i = 0; i < DRIVEN_VHARTS; i++) {
            if (!runs_honestly(vharts[i].tenant->index)) {
                continue;
            }
            machine_switch(&vharts[i]);
            come_to_rest();
            honest_claim(&vharts[i], true);
            again |= servers[i].serving != 0;
            honest_handle(&vharts[i]);
            honest_complete(&vharts[i]);
            come_to_rest();
        }
    }
    for (uint32_t tenant = 0; tenant < DRIVEN; tenant++) {
        CHECK(!runs_honestly(tenant) || due(tenant) == 0);
    }
}

/* All sources are for all vharts of an honest tenant, and all devices ask for service. */
static void settle_all(uint32_t tenant)
{
    for (uint32_t i = 0; i < tenants[tenant].vhart_count; i++) {
        machine_switch(&tenants[tenant].vharts[i]);
        honest_enable_all(&tenants[tenant].vharts[i], 1);
    }
    for (uint32_t i = 0; i <= PHYSICAL_EACH + VIRTUAL_EACH; i++) {
        set_line(tenant, pick_source(tenant, (uint8_t)i), true, i % HARTS);
    }
}

static void finish_resets(void)
{
    for (uint32_t tenant = 0; tenant < DRIVEN; tenant++) {
        while (tenants[tenant].state == TENANT_STOPPING) {
            if (machine_reset_step(tenant, tenant % HARTS, false)) {
                facts[tenant].asked = 0;
            }
        }
    }
}

/* The tenants that have their turn get all that their devices ask for. */
static void serve_all(void)
{
    for (uint32_t tenant = 0; tenant < DRIVEN; tenant++) {
        if (runs_honestly(tenant)) {
            settle_all(tenant);
        }
    }
    settle();
    machine_check();
}

int fuzz_routing(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    uint8_t behaviour = fuzz_byte(&input);
    bool groups = (behaviour & 4) != 0;
    unsigned turns[GROUPS] = {0};

    honest = fuzz_byte(&input);
    memset(facts, 0, sizeof(facts));
    memset(servers, 0, sizeof(servers));
    now_operation = 0;
    episodes++;
    machine_reset((behaviour & 1) != 0, (behaviour & 2) != 0, groups);
    while (input.size > 0) {
        operate(&input);
    }
    finish_resets();
    settle();
    serve_all();
    for (uint32_t tenant = 0; groups && tenant < DRIVEN; tenant++) {
        if (tenants[tenant].state == TENANT_RUNNING && turns[tenant % GROUPS]++ == 0) {
            stop(tenant);
            finish_resets();
        }
    }
    serve_all(); /* those whose turn it was not, with the sources of the others */
    return 0;
}
