/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SBI section 18: firmware features, all local to the calling hart.
 *
 * Misaligned accesses are the one feature that every hart has: either the tenant handles their
 * exceptions itself, or the monitor does the access for it. The other features of the specification
 * are fields of menvcfg, which all vharts of a hart share.
 */
#include "abi/dormant.h"
#include "arch/csr.h"
#include "core/feature.h"
#include "core/hooks.h"
#include "sbi/sbi.h"

/* Delegation of misaligned accesses stays as it is, until the vhart is reset. */
static bool locked[COTENANT_MAX_VHARTS];

/* "Missing dependencies", "reserved or unimplemented", or a feature that can be set and read. */
static long offered(uint32_t feature)
{
    if (feature == SBI_FWFT_MISALIGNED_EXC_DELEG) {
        return SBI_SUCCESS;
    }
    return feature <= SBI_FWFT_POINTER_MASKING_PMLEN ? SBI_ERR_NOT_SUPPORTED : SBI_ERR_DENIED;
}

static struct sbi_result set(struct vhart *vhart, uint32_t feature, uint64_t value, uint64_t flags)
{
    long error = offered(feature);
    uint64_t medeleg;

    if (error != SBI_SUCCESS) {
        return sbi_error(error);
    }
    if ((flags & ~(uint64_t)SBI_FWFT_SET_LOCK) != 0) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    if (locked[vhart_index(vhart)]) {
        return sbi_error(SBI_ERR_DENIED_LOCKED); /* whatever the value, as OpenSBI has it */
    }
    if (value > 1) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    vhart->uses_features = true;
    locked[vhart_index(vhart)] = (flags & SBI_FWFT_SET_LOCK) != 0;
    medeleg = vhart->world.medeleg & ~(uint64_t)EXCEPTIONS_MISALIGNED;
    vhart->world.medeleg = medeleg | (value != 0 ? EXCEPTIONS_MISALIGNED : 0);
    CSR_WRITE(medeleg, vhart->world.medeleg);
    return sbi_value(0);
}

static struct sbi_result get(const struct vhart *vhart, uint32_t feature)
{
    long error = offered(feature);

    if (error != SBI_SUCCESS) {
        return sbi_error(error);
    }
    return sbi_value((vhart->world.medeleg & EXCEPTIONS_MISALIGNED) != 0);
}

static struct sbi_result sbi_fwft(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    switch (function) {
    case SBI_FWFT_SET:
        return set(vhart, (uint32_t)arguments[0], arguments[1], arguments[2]);
    case SBI_FWFT_GET:
        return get(vhart, (uint32_t)arguments[0]);
    default:
        return sbi_error(SBI_ERR_NOT_SUPPORTED);
    }
}

static void unlock(struct vhart *vhart)
{
    locked[vhart_index(vhart)] = false;
}

static void save(const struct vhart *vhart, struct dormant_state *state)
{
    if (locked[vhart_index(vhart)]) {
        state->flags |= COTENANT_DORMANT_MISALIGNED_LOCKED;
    }
}

static void restore(struct vhart *vhart, const struct dormant_state *state)
{
    vhart->uses_features = true;
    locked[vhart_index(vhart)] = (state->flags & COTENANT_DORMANT_MISALIGNED_LOCKED) != 0;
}

FEATURE(fwft);
HOOK(vhart_ends, unlock);
HOOK(vhart_is_saved, save);
HOOK(vhart_is_restored, restore);
SBI_EXTENSION(SBI_EXT_FWFT, sbi_fwft, SBI_GIVES_WAY);
