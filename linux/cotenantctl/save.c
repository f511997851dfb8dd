/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs save and restore. */
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "link.h"
#include "memory.h"
#include "save.h"
#include "savefile.h"
#include "say.h"
#include "verbs.h"

/* A request with so many bytes fills a page, which is what Linux takes at once. */
#define PIECE (COTENANT_CONTROL_MOST_DATA - (uint32_t)sizeof(struct control_request))
/* Fewer zeros than this are written with the bytes around them. */
#define MANY_ZEROS PIECE
/* After so many answers a save looks whether it is in vain. */
#define LOOK_EVERY 64

static void save_state(const struct tenant *tenant)
{
    uint16_t status = link_ask(COTENANT_CONTROL_STATE_GET, tenant->index, 0, 0, NULL, 0,
                               sizeof(struct dormant_state));

    if (status != COTENANT_CONTROL_OK) {
        refused(tenant, "save", status);
    }
    save_put(&link_data.dormant, sizeof(struct dormant_state));
}

/* Whatever was saved is one moment of the tenant, if it neither ran nor was loaded meanwhile. */
static void check_it_rested(const struct tenant *before)
{
    struct tenant now = *before;

    tenant_update(&now);
    if (now.about.state != before->about.state ||
        tenant_switches(&now) != tenant_switches(before)) {
        fail(EXIT_REFUSED, "save %s: it did not stay %s (now it is %s); nothing was written",
             before->about.name, tenant_state(before->about.state), tenant_state(now.about.state));
    }
}

/* Zeros are told as numbers, and do not travel. */
static void save_memory(const struct tenant *tenant)
{
    uint64_t total = tenant_memory(tenant), done = 0;
    unsigned answers = 0;

    for (uint32_t i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        const struct control_range *range = &tenant->about.memory[i];

        for (uint64_t offset = 0; offset < range->size;) {
            uint64_t zeros;
            uint32_t count;

            if (answers++ % LOOK_EVERY == 0) {
                check_it_rested(tenant);
            }
            count = memory_find(tenant, "save", range->base + offset, range->size - offset, &zeros);
            save_put_zeros(zeros);
            save_put(link_data.found.bytes, count);
            offset += zeros + count;
            done += zeros + count;
            say_progress("saving", done, total);
        }
    }
}

void verb_save(const struct request *request)
{
    struct tenant tenant;
    struct save_header header;

    tenant_find(request->name, &tenant);
    if (!tenant_rests(&tenant)) {
        refused(&tenant, "save", COTENANT_CONTROL_REFUSED);
    }
    if (tenant.about.state == COTENANT_STATE_STOPPED ||
        tenant.about.state == COTENANT_STATE_EMPTY) {
        fail(EXIT_REFUSED, "save %s: refused, it is %s and could not go on from there",
             request->name, tenant_state(tenant.about.state));
    }
    save_describe(&tenant,
                  tenant.about.state == COTENANT_STATE_DORMANT ? sizeof(struct dormant_state) : 0,
                  &header);
    save_begin(request->file, &header);
    if (header.state_size != 0) {
        save_state(&tenant);
    }
    save_memory(&tenant);
    check_it_rested(&tenant);
    save_end();
    say_done("save %s: %" PRIu64 " bytes of memory are in %s", request->name,
             tenant_memory(&tenant), request->file);
}

static void check_it_fits(const struct tenant *tenant, const struct save_header *header,
                          const char *path)
{
    if (memcmp(header->memory, tenant->about.memory, sizeof(header->memory)) != 0 ||
        header->vharts != tenant->about.vharts || header->entry != tenant->about.entry) {
        fail(EXIT_REFUSED,
             "restore %s: %s holds %s of a system with another layout (memory, harts or entry)",
             tenant->about.name, path, header->name);
    }
}

/* Only who was loaded or dormant can go on. */
static void check_it_can_go_on(const struct tenant *tenant, const struct save_header *header,
                               const char *path)
{
    bool dormant = header->state == COTENANT_STATE_DORMANT;

    if (!dormant && header->state != COTENANT_STATE_LOADED) {
        fail(EXIT_REFUSED, "restore %s: %s was %s when %s was written, and cannot go on from there",
             tenant->about.name, header->name, tenant_state(header->state), path);
    }
    if (header->state_size != (dormant ? sizeof(struct dormant_state) : 0)) {
        fail(EXIT_REFUSED, "restore %s: the state in %s has another length", tenant->about.name,
             path);
    }
    if (!tenant_rests(tenant) || tenant->about.state == COTENANT_STATE_DORMANT) {
        refused(tenant, "restore", COTENANT_CONTROL_REFUSED);
    }
}

static void get_state(const struct tenant *tenant, struct dormant_state *state, const char *path)
{
    save_get(state, sizeof(*state));
    if (state->version != COTENANT_DORMANT_VERSION) {
        fail(EXIT_REFUSED, "restore %s: the state in %s is of version %u, not %u",
             tenant->about.name, path, state->version, COTENANT_DORMANT_VERSION);
    }
}

static void restore_state(const struct tenant *tenant, const struct dormant_state *state)
{
    uint16_t status =
        link_ask(COTENANT_CONTROL_STATE_SET, tenant->index, 0, 0, state, sizeof(*state), 0);
    struct tenant now = *tenant;

    if (status == COTENANT_CONTROL_REFUSED) {
        tenant_update(&now);
        fail(EXIT_REFUSED,
             "restore %s: refused, it is %s; only a tenant at rest, in a group, can become dormant",
             now.about.name, tenant_state(now.about.state));
    }
    if (status != COTENANT_CONTROL_OK) {
        refused(tenant, "restore", status);
    }
}

/* Returns how many bytes it has moved, at most `left`. */
static uint64_t restore_some(const struct tenant *tenant, uint64_t address, uint64_t left)
{
    uint64_t words[PIECE / sizeof(uint64_t)];
    uint64_t zeros = save_zeros();
    uint32_t count;

    zeros = zeros < left ? zeros : left;
    if (zeros >= MANY_ZEROS) {
        memory_clear(tenant, "restore", address, zeros);
        save_skip_zeros(zeros);
        return zeros;
    }
    count = left < PIECE ? (uint32_t)left : PIECE;
    save_get(words, count);
    memory_write(tenant, "restore", address, words, count);
    return count;
}

static void restore_memory(const struct tenant *tenant)
{
    uint64_t total = tenant_memory(tenant), done = 0;

    for (uint32_t i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        const struct control_range *range = &tenant->about.memory[i];

        for (uint64_t offset = 0; offset < range->size;) {
            uint64_t count = restore_some(tenant, range->base + offset, range->size - offset);

            offset += count;
            done += count;
            say_progress("restoring", done, total);
        }
    }
}

void verb_restore(const struct request *request)
{
    struct tenant tenant;
    struct save_header header;
    struct dormant_state state;

    tenant_find(request->name, &tenant);
    save_open(request->file, &header);
    check_it_fits(&tenant, &header, request->file);
    check_it_can_go_on(&tenant, &header, request->file);
    save_check(&header);
    if (header.state == COTENANT_STATE_DORMANT) {
        get_state(&tenant, &state, request->file);
    } else {
        load_from_bundle(&tenant, "restore");
    }
    restore_memory(&tenant);
    if (header.state == COTENANT_STATE_DORMANT) {
        restore_state(&tenant, &state);
    }
    say_done("restore %s: ok, it is %s", request->name, tenant_state(header.state));
}
