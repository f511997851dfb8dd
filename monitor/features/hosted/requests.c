/* SPDX-License-Identifier: BSD-2-Clause */
/* What a program of the host asks for: guests, memory and starts. */
#include "arch/memory.h"
#include "arch/owned_memory.h"
#include "arch/vhart_setup.h"
#include "core/bundle_check.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/wanted.h"
#include "features/hosted/guests.h"
#include "features/plic/routing.h"
#include "sbi/sbi.h"

/* Refuses a request from inside of its function. */
#define REFUSE_IF(condition, result)                                                               \
    do {                                                                                           \
        if (condition) {                                                                           \
            return COTENANT_HOSTED_##result;                                                       \
        }                                                                                          \
    } while (0)

static uint32_t create(struct guest *guest, uint32_t vhart_count)
{
    static uint32_t latest_token;
    struct tenant *tenant = guest->tenant;

    REFUSE_IF(vhart_count - 1 >= guest->host->description->guest_vharts, INVALID);
    latest_token += latest_token == UINT32_MAX ? 2 : 1;
    guest->token = latest_token;
    tenant->vhart_count = vhart_count;
    tenant->state = TENANT_RUNNING;
    tenant->lives++;
    return COTENANT_HOSTED_OK;
}

/* A part of it is lent already. *sum: bytes that are lent to all guests of the host. */
static bool is_lent(const struct tenant *host, uint64_t base, uint64_t size, uint64_t *sum)
{
    bool lent = false;

    *sum = 0;
    for (uint32_t slot = 0; slot < host->description->guest_count; slot++) {
        const struct guest *guest = guest_in_slot(host, slot);

        for (uint32_t i = 0; i < COTENANT_HOSTED_MAX_RANGES; i++) {
            lent |= check_overlaps(guest->description.memory[i].base,
                                   guest->description.memory[i].size, base, size);
        }
        *sum += guest->size;
    }
    return lent;
}

/* Or takes a range back, which needs no more entries than before. */
static uint32_t lend(struct guest *guest, uint32_t number, uint64_t base, uint64_t size)
{
    const struct tenant *host = guest->host;
    struct bundle_range *range;
    uint64_t lent;

    REFUSE_IF(number >= COTENANT_HOSTED_MAX_RANGES, INVALID);
    REFUSE_IF(((base | size) & (COTENANT_HOSTED_GRAIN - 1)) != 0, INVALID);
    range = &guest->description.memory[number];
    if (size != 0) {
        REFUSE_IF(range->size != 0 || !tenant_owns_memory(host, base, size), RANGE);
        /* From here on the range does not wrap around. */
        REFUSE_IF(is_lent(host, base, size, &lent), RANGE);
        REFUSE_IF(size > host->description->guest_memory - lent, LIMIT);
    }
    for (uint32_t id = 0; id < guest->tenant->vhart_count; id++) {
        REFUSE_IF(!guest_bind(&guest->tenant->vharts[id]), BUSY);
    }
    *range = (struct bundle_range){base, size};
    if (guest_protect(guest)) {
        return COTENANT_HOSTED_OK;
    }
    *range = (struct bundle_range){0, 0};
    (void)guest_protect(guest);
    return COTENANT_HOSTED_LIMIT;
}

static uint32_t start(const struct guest *guest, const struct hosted_request *request)
{
    struct tenant *tenant = guest->tenant;
    struct guest_vhart *own;
    struct vhart *vhart;
    bool shares_fp;

    REFUSE_IF(request->vhart >= tenant->vhart_count, INVALID);
    REFUSE_IF((request->run & (COTENANT_HOSTED_PAGE - 1)) != 0, INVALID);
    REFUSE_IF(!sbi_may_start_at(tenant, request->address), INVALID);
    REFUSE_IF(!tenant_owns_memory(guest->host, request->run, COTENANT_HOSTED_PAGE), RANGE);
    vhart = &tenant->vharts[request->vhart];
    REFUSE_IF(!guest_bind(vhart), BUSY);
    own = guest_vhart_of(vhart);
    own->run = (volatile struct hosted_run *)request->run;
    own->owes = GUEST_OWES_NOTHING;
    own->called = 0;
    own->view = NO_VIEW;
    own->token = guest->token;
    shares_fp = (request->size & COTENANT_HOSTED_START_SHARES_FP) != 0 && !vhart->has_vectors;
    own->fp_status = !tenant_uses_fp(tenant) ? 0 : shares_fp ? MSTATUS_FS : UINT64_MAX;
    if (HAS(fp)) {
        fp_drop(vhart);
    }
    vhart_setup_world(vhart, request->address, request->argument);
    vhart_begins(vhart);
    vhart->state = VHART_STARTED;
    return COTENANT_HOSTED_OK;
}

/* PENDING, which is nobody's answer: the hart is wanted before, and the store is made again. */
static uint32_t carry_out(struct guest *guest, struct hosted_request *request)
{
    struct tenant *tenant = guest->tenant;
    bool creates = request->operation == COTENANT_HOSTED_CREATE;

    REFUSE_IF(tenant->state != TENANT_RUNNING && !tenant_is_at_rest(tenant), BUSY);
    REFUSE_IF((tenant->state == TENANT_RUNNING) == creates, STATE);
    REFUSE_IF(!creates && request->token != 0 && request->token != guest->token, STATE);
    REFUSE_IF(hart_is_wanted(), PENDING); /* nothing has been changed yet */
    switch (request->operation) {
    case COTENANT_HOSTED_CREATE:
        return create(guest, request->vhart);
    case COTENANT_HOSTED_DESTROY:
        tenant_halt(tenant, TENANT_STOPPED);
        return COTENANT_HOSTED_BUSY;
    case COTENANT_HOSTED_LEND:
        return lend(guest, request->range, request->address, request->size);
    default:
        return start(guest, request);
    }
}

enum mmio_result guest_request(struct tenant *host, uint64_t address)
{
    struct hosted_request *theirs = (struct hosted_request *)address;
    struct hosted_request request;
    uint32_t result = COTENANT_HOSTED_INVALID;
    struct guest *guest;

    if ((address & (sizeof(request) - 1)) != 0 ||
        !tenant_owns_memory(host, address, sizeof(request))) {
        return MMIO_DONE;
    }
    memcpy(&request, theirs, sizeof(request));
    guest = guest_in_slot(host, request.slot);
    if (guest != NULL && request.operation - 1 < COTENANT_HOSTED_START) {
        result = carry_out(guest, &request);
        request.token = guest->token;
    }
    if (result == COTENANT_HOSTED_PENDING) {
        return MMIO_AGAIN;
    }
    memcpy(theirs, &request, offsetof(struct hosted_request, result));
    __atomic_store_n(&theirs->result, result, __ATOMIC_RELEASE);
    return MMIO_DONE;
}

void guest_line(const struct tenant *host, uint64_t value)
{
    struct guest *guest = guest_in_slot(host, value & 0xff);
    uint32_t source = value >> COTENANT_HOSTED_LINE_SOURCE_SHIFT & 0xff;

    if (guest != NULL && source < COTENANT_HOSTED_SOURCES &&
        guest->tenant->state == TENANT_RUNNING) {
        vplic_set_level(guest->tenant->plic, source, (value & COTENANT_HOSTED_LINE_HIGH) != 0);
        routing_refresh(guest->tenant);
    }
}
