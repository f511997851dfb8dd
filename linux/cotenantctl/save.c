/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs save and restore. */
#include <inttypes.h>
#include <string.h>

#include "link.h"
#include "memory.h"
#include "save.h"
#include "savefile.h"
#include "say.h"
#include "verbs.h"

#define PIECE COTENANT_CONTROL_MOST_DATA

static uint32_t piece_of(uint64_t left)
{
    return left < PIECE ? (uint32_t)left : PIECE;
}

static void save_memory(const struct tenant *tenant)
{
    uint64_t total = tenant_memory(tenant), done = 0;

    for (uint32_t i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        const struct control_range *range = &tenant->about.memory[i];

        for (uint64_t offset = 0; offset < range->size; offset += PIECE) {
            uint32_t count = piece_of(range->size - offset);

            memory_read(tenant, "save", range->base + offset, count);
            save_put(link_data.bytes, count);
            done += count;
            say_progress("saving", done, total);
        }
    }
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

void verb_save(const struct request *request)
{
    struct tenant tenant;
    struct save_header header;

    tenant_find(request->name, &tenant);
    if (!tenant_rests(&tenant)) {
        refused(&tenant, "save", COTENANT_CONTROL_REFUSED);
    }
    save_describe(&tenant, 0, &header);
    save_begin(request->file, &header);
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
    if (header->state != COTENANT_STATE_LOADED) {
        fail(EXIT_REFUSED, "restore %s: %s was %s when %s was written, and cannot go on from there",
             tenant->about.name, header->name, tenant_state(header->state), path);
    }
}

static void restore_memory(const struct tenant *tenant)
{
    uint64_t total = tenant_memory(tenant), done = 0;
    uint8_t bytes[PIECE];

    for (uint32_t i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        const struct control_range *range = &tenant->about.memory[i];

        for (uint64_t offset = 0; offset < range->size; offset += PIECE) {
            uint32_t count = piece_of(range->size - offset);

            save_get(bytes, count);
            memory_write(tenant, "restore", range->base + offset, bytes, count);
            done += count;
            say_progress("restoring", done, total);
        }
    }
}

void verb_restore(const struct request *request)
{
    struct tenant tenant;
    struct save_header header;

    tenant_find(request->name, &tenant);
    save_open(request->file, &header);
    check_it_fits(&tenant, &header, request->file);
    check_it_can_go_on(&tenant, &header, request->file);
    load_from_bundle(&tenant, "restore");
    restore_memory(&tenant);
    say_done("restore %s: ok", request->name);
}
