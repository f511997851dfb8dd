/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Supervisor Binary Interface v3.0 as the monitor offers it to tenants; one file per extension.
 * Those that every kernel needs are in this folder, the others in features/. Each registers itself.
 *
 * A handler is called by the hart of the calling vhart, interrupts off, with the arguments a0-a5 as
 * the tenant passed them: all hostile. It returns error and value, or asks that a0 and a1 stay as
 * they are because the call does not return to where it was made.
 */
#ifndef COTENANT_SBI_SBI_H
#define COTENANT_SBI_SBI_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/sbi.h"
#include "arch/owned_memory.h"
#include "core/table.h"
#include "core/tenant.h"

/* Two words, so that the compiler returns them in registers. */
struct sbi_result {
    long error; /* SBI_SUCCESS, SBI_ERR_*, or SBI_NO_RETURN or SBI_REPEAT */
    uint64_t value;
};

/* Above all errors of SBI: the tenant is told nothing. */
#define SBI_NO_RETURN 1
#define SBI_REPEAT 2 /* nothing has been done: the tenant makes the call again */

typedef struct sbi_result sbi_handler(struct vhart *vhart, uint64_t function,
                                      const uint64_t *arguments);

/* How a call begins. */
enum sbi_beginning {
    SBI_AT_ONCE,
    SBI_GIVES_WAY, /* after an interrupt that is pending */
    SBI_SHARED,    /* so, and with the shared lock */
};

struct sbi_extension {
    uint64_t id;
    sbi_handler *handler;
    enum sbi_beginning beginning;
};

TABLE(const struct sbi_extension, sbi_extensions);

/* Registers an extension at link time: see core/table.h. */
#define SBI_EXTENSION(id, handler, beginning)                                                      \
    static const struct sbi_extension handler##_extension TABLE_ENTRY(sbi_extensions) = {          \
        id, handler, beginning}

/* Each extension has a place here, where a call finds it at one look: vhart.calls. */
#define SBI_SLOTS 32
extern const struct sbi_extension *sbi_slots[SBI_SLOTS];

/* Handlers that other ones pass calls on to. */
sbi_handler sbi_base;

/*
 * Puts it there. False: another one has the place.
 * At boot, before a tenant runs, as the next one.
 */
bool sbi_offer(const struct sbi_extension *extension);

/* Offers all that have registered. Returns NULL, or one that could not be. */
const struct sbi_extension *sbi_init(void);

/*
 * Carries out the call in a6 and a7 of the vhart's registers and moves its pc on; or leaves it
 * where it is, to be made again, if the hart is needed for something more urgent first.
 */
void sbi_dispatch(struct vhart *vhart);

/* The extension is offered. */
bool sbi_is_offered(uint64_t extension);

/* This machine lacks what the extension needs. At boot, before a tenant runs. */
void sbi_withdraw(uint64_t extension);

/*
 * The vharts that a (mask, base) pair of section 3.1 names, as bits by vhart id. Returns an SBI
 * error: INVALID_PARAM when one of them does not exist. An empty mask names none, whatever its
 * base.
 */
long sbi_hart_mask(const struct tenant *tenant, uint64_t mask, uint64_t base, uint64_t *targets);

/* Whether a hart of the tenant may begin or go on at a physical address that it names. */
static inline bool sbi_may_start_at(const struct tenant *tenant, uint64_t address)
{
    return (address & 1) == 0 && tenant_owns_memory(tenant, address, 2);
}

/*
 * Whether `size` bytes at a physical address, which calls pass in two halves, are the tenant's own.
 * Addresses have 64 bits on RV64: the upper half must be zero.
 */
static inline bool sbi_owns_memory(const struct tenant *tenant, uint64_t low, uint64_t high,
                                   uint64_t size)
{
    return high == 0 && tenant_owns_memory(tenant, low, size);
}

static inline struct sbi_result sbi_error(long error)
{
    return (struct sbi_result){.error = error};
}

static inline struct sbi_result sbi_value(uint64_t value)
{
    return (struct sbi_result){.error = SBI_SUCCESS, .value = value};
}

static inline struct sbi_result sbi_no_return(void)
{
    return sbi_error(SBI_NO_RETURN);
}

static inline struct sbi_result sbi_repeat(void)
{
    return sbi_error(SBI_REPEAT);
}

#endif
