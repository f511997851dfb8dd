/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>

#include "core/attended.h"
#include "core/shared_lock.h"
#include "core/wanted.h"
#include "sbi/sbi.h"

/* Every extension has a place of its own; one that collides asks for another shift here. */
#define SLOT(extension) ((((extension) >> 23) + (extension)) >> 1 & (SBI_SLOTS - 1))

const struct sbi_extension *sbi_slots[SBI_SLOTS];

bool sbi_offer(const struct sbi_extension *extension)
{
    const struct sbi_extension **slot = &sbi_slots[SLOT(extension->id)];

    if (*slot != NULL && *slot != extension) {
        return false;
    }
    *slot = extension;
    return true;
}

const struct sbi_extension *sbi_init(void)
{
    FOR_EACH_IN_TABLE(sbi_extensions, extension)
    {
        if (!sbi_offer(extension)) {
            return extension;
        }
    }
    return NULL;
}

/* NULL: it is not offered. */
static const struct sbi_extension *find(const struct sbi_extension *const *slots, uint64_t id)
{
    const struct sbi_extension *extension = slots[SLOT(id)];

    return extension != NULL && extension->id == id ? extension : NULL;
}

bool sbi_is_offered(uint64_t extension)
{
    return find(sbi_slots, extension) != NULL;
}

void sbi_withdraw(uint64_t extension)
{
    if (sbi_is_offered(extension)) {
        sbi_slots[SLOT(extension)] = NULL;
    }
}

long sbi_hart_mask(const struct tenant *tenant, uint64_t mask, uint64_t base, uint64_t *targets)
{
    uint64_t existing = (1ul << tenant_vhart_count(tenant)) - 1;

    if (base == UINT64_MAX) {
        *targets = existing;
        return SBI_SUCCESS;
    }
    if (base >= tenant_vhart_count(tenant)) {
        *targets = 0;
        return mask == 0 ? SBI_SUCCESS : SBI_ERR_INVALID_PARAM;
    }
    if ((mask & ~(existing >> base)) != 0) {
        return SBI_ERR_INVALID_PARAM;
    }
    *targets = mask << base;
    return SBI_SUCCESS;
}

static inline __attribute__((always_inline)) void carry_out(const struct sbi_extension *extension,
                                                            struct vhart *vhart)
{
    uint64_t *registers = vhart->world.registers;
    struct sbi_result result;

    /* Before the call, because hart_suspend and reboot set the pc themselves. */
    registers[REGISTER_PC] += 4;
    result = extension == NULL
                 ? sbi_error(SBI_ERR_NOT_SUPPORTED)
                 : extension->handler(vhart, registers[REGISTER_A6], &registers[REGISTER_A0]);
    if (result.error <= SBI_SUCCESS) {
        registers[REGISTER_A0] = (uint64_t)result.error;
        registers[REGISTER_A1] = result.value;
    } else if (result.error == SBI_REPEAT) {
        registers[REGISTER_PC] -= 4;
    }
}

/* Out of line, as the next one. */
static void __attribute__((noinline))
carry_out_now(const struct sbi_extension *extension, struct vhart *vhart)
{
    carry_out(extension, vhart);
}

/*
 * Nothing has changed up to here: the call can be made again. What an attended vhart has of the
 * hart is out of it during the call, at its own expense: one above it waits for the call or for
 * that, not for both. Out of line: a call that begins at once saves no registers for it.
 */
static void __attribute__((noinline))
carry_out_later(const struct sbi_extension *extension, struct vhart *vhart)
{
    struct hart *hart = vhart->world.hart;

    if (hart_is_wanted()) {
        return;
    }
    if (vhart->attended != 0) {
        attended_leave(hart); /* what the call gives it anew says so itself */
        hart->reschedule = true;
        if (hart_is_wanted()) {
            return;
        }
    }
    if (extension->beginning != SBI_SHARED) {
        carry_out_now(extension, vhart);
    } else if (shared_try_enter(hart)) {
        carry_out(extension, vhart);
        shared_leave(hart);
    }
    if (vhart->attended != 0 && (vhart->loading || vhart->schedulable.state != SCHEDULABLE_READY)) {
        hart->attended_last = &vhart->schedulable; /* it rests, which its features note */
    }
}

void sbi_dispatch(struct vhart *vhart)
{
    /* Extension ids are 32-bit integers, extended to the register: another upper half is none. */
    const struct sbi_extension *extension = find(vhart->calls, vhart->world.registers[REGISTER_A7]);

    if (extension == NULL || extension->beginning == SBI_AT_ONCE) {
        carry_out_now(extension, vhart);
    } else {
        carry_out_later(extension, vhart);
    }
}
