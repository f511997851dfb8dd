/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>

#include "arch/csr.h"
#include "core/features.h"
#include "core/shared_lock.h"
#include "sbi/sbi.h"

/*
 * Every extension has a slot of its own, so that one look finds it: the compiler refuses two in the
 * same slot, and another shift separates them then.
 */
#define SLOTS 32
#define SLOT(extension) ((((extension) >> 23) + (extension)) >> 1 & (SLOTS - 1))

/* The handler of an extension that comes with a feature; NULL: the monitor is built without it. */
#define OFFERED(feature, handler) (FEATURE_##feature ? (handler) : NULL)

/* How a call begins. */
enum beginning {
    AT_ONCE,
    GIVES_WAY, /* after an interrupt that is pending */
    SHARED,    /* so, and with the shared lock */
};

struct extension {
    uint64_t id;
    sbi_handler *handler; /* NULL: it is not offered */
    enum beginning beginning;
};

static struct extension extensions[SLOTS] = {
    [SLOT(SBI_EXT_BASE)] = {SBI_EXT_BASE, sbi_base, AT_ONCE},
    [SLOT(SBI_EXT_TIME)] = {SBI_EXT_TIME, sbi_time, AT_ONCE},
    [SLOT(SBI_EXT_IPI)] = {SBI_EXT_IPI, sbi_ipi, AT_ONCE},
    [SLOT(SBI_EXT_RFENCE)] = {SBI_EXT_RFENCE, sbi_rfence, AT_ONCE},
    [SLOT(SBI_EXT_HSM)] = {SBI_EXT_HSM, OFFERED(HARTS, sbi_hsm), SHARED},
    [SLOT(SBI_EXT_SRST)] = {SBI_EXT_SRST, sbi_srst, SHARED},
    [SLOT(SBI_EXT_DBCN)] = {SBI_EXT_DBCN, sbi_dbcn, SHARED},
    [SLOT(SBI_EXT_SUSP)] = {SBI_EXT_SUSP, OFFERED(SUSPEND, sbi_susp), SHARED},
    [SLOT(SBI_EXT_STA)] = {SBI_EXT_STA, OFFERED(STEAL, sbi_sta), GIVES_WAY},
    [SLOT(SBI_EXT_SSE)] = {SBI_EXT_SSE, OFFERED(EVENTS, sbi_sse), SHARED},
    [SLOT(SBI_EXT_DBTR)] = {SBI_EXT_DBTR, OFFERED(TRIGGERS, sbi_dbtr), GIVES_WAY},
    [SLOT(SBI_EXT_FWFT)] = {SBI_EXT_FWFT, OFFERED(FWFT, sbi_fwft), GIVES_WAY},
    [SLOT(SBI_EXT_PMU)] = {SBI_EXT_PMU, OFFERED(COUNTERS, sbi_pmu), GIVES_WAY},
    [SLOT(COTENANT_SBI_EXT)] = {COTENANT_SBI_EXT, OFFERED(WATCH, sbi_cotenant), SHARED},
};

/* NULL: it is not offered. */
static const struct extension *find(uint64_t id)
{
    const struct extension *extension = &extensions[SLOT(id)];

    return extension->id == id && extension->handler != NULL ? extension : NULL;
}

bool sbi_is_offered(uint64_t extension)
{
    return find(extension) != NULL;
}

void sbi_withdraw(uint64_t extension)
{
    extensions[SLOT(extension)].handler = NULL;
}

long sbi_hart_mask(const struct tenant *tenant, uint64_t mask, uint64_t base, uint64_t *targets)
{
    uint64_t existing = (1ul << tenant->vhart_count) - 1;

    if (base == UINT64_MAX) {
        *targets = existing;
        return SBI_SUCCESS;
    }
    if (base >= tenant->vhart_count) {
        *targets = 0;
        return mask == 0 ? SBI_SUCCESS : SBI_ERR_INVALID_PARAM;
    }
    if ((mask & ~(existing >> base)) != 0) {
        return SBI_ERR_INVALID_PARAM;
    }
    *targets = mask << base;
    return SBI_SUCCESS;
}

static void carry_out(const struct extension *extension, struct vhart *vhart)
{
    uint64_t *registers = vhart->world.registers;
    struct sbi_result result = sbi_error(SBI_ERR_NOT_SUPPORTED);

    /* Before the call, because hart_suspend and reboot set the pc themselves. */
    registers[REGISTER_PC] += 4;
    if (extension != NULL) {
        result = extension->handler(vhart, registers[REGISTER_A6], &registers[REGISTER_A0]);
    }
    if (result.repeat) {
        registers[REGISTER_PC] -= 4;
    } else if (!result.no_return) {
        registers[REGISTER_A0] = (uint64_t)result.error;
        registers[REGISTER_A1] = result.value;
    }
}

/*
 * A timer or device interrupts: it may be for a vhart of higher priority. A message does not count,
 * which another hart can send as often as it likes: the call would never begin.
 */
static bool is_interrupted(void)
{
    return (CSR_READ(mip) & (INTERRUPT_MTI | INTERRUPT_MEI)) != 0;
}

/*
 * Nothing has changed up to here: the call can be made again. Out of line: a call that begins at
 * once saves no registers for it.
 */
static void __attribute__((noinline))
carry_out_later(const struct extension *extension, struct vhart *vhart)
{
    struct hart *hart = vhart->world.hart;

    if (is_interrupted()) {
        return;
    }
    if (extension->beginning != SHARED) {
        carry_out(extension, vhart);
    } else if (shared_try_enter(hart)) {
        carry_out(extension, vhart);
        shared_leave(hart);
    }
}

void sbi_dispatch(struct vhart *vhart)
{
    /* Extension ids are 32-bit integers, extended to the register: another upper half is none. */
    const struct extension *extension = find(vhart->world.registers[REGISTER_A7]);

    if (extension == NULL || extension->beginning == AT_ONCE) {
        carry_out(extension, vhart);
    } else {
        carry_out_later(extension, vhart);
    }
}
