/* SPDX-License-Identifier: BSD-2-Clause */
#include "hostile/acts.h"
#include "hostile/limits.h"
#include "rt/check.h"
#include "rt/harts.h"
#include "rt/platform.h"
#include "rt/sbi.h"

#define LEGACY_SHUTDOWN 8
#define LEGACY_GETCHAR 2
#define LEGACY_LAST 0x0f
#define MOST_TICKS 2000

/* Of every extension, those that the monitor has and those that it has not. */
static const uint64_t extensions[] = {
    SBI_EXT_BASE,          SBI_EXT_TIME,     SBI_EXT_IPI, SBI_EXT_RFENCE, SBI_EXT_HSM,
    SBI_EXT_SRST,          SBI_EXT_DBCN,     SBI_EXT_PMU, SBI_EXT_SUSP,   0x43505043 /* CPPC */,
    0x4e41434c /* NACL */, SBI_EXT_STA,      SBI_EXT_SSE, SBI_EXT_FWFT,   SBI_EXT_DBTR,
    0x4d505859 /* MPXY */, COTENANT_SBI_EXT,
};

static enum outcome judge(struct sbi_result result, uint64_t extension, uint64_t function)
{
    check(result.error <= SBI_SUCCESS && result.error >= SBI_ERR_LOWEST,
          "extension 0x%lx function 0x%lx: error %ld", extension, function, result.error);
    return result.error == SBI_SUCCESS ? OUTCOME_DONE : OUTCOME_REFUSED;
}

/* Memory of others is no argument of any call. */
static enum outcome pass_foreign(struct random *random)
{
    static const struct {
        uint64_t extension;
        uint64_t function;
    } calls[] = {
        {SBI_EXT_DBCN, SBI_DBCN_WRITE},    {SBI_EXT_DBCN, SBI_DBCN_READ},
        {SBI_EXT_STA, SBI_STA_SET_SHMEM},  {SBI_EXT_DBTR, SBI_DBTR_SET_SHMEM},
        {SBI_EXT_SSE, SBI_SSE_READ_ATTRS}, {SBI_EXT_SSE, SBI_SSE_WRITE_ATTRS},
    };
    unsigned which = (unsigned)random_below(random, sizeof(calls) / sizeof(calls[0]));
    uint64_t address = choose_foreign(random) & ~63ul;
    bool sse = calls[which].extension == SBI_EXT_SSE;
    bool console = calls[which].extension == SBI_EXT_DBCN;
    struct sbi_result result;

    if (address == 0) {
        return OUTCOME_REFUSED;
    }
    result = sbi_call6(calls[which].extension, calls[which].function,
                       sse ? SBI_SSE_EVENT_LOCAL_SOFTWARE : (console ? 8 : address),
                       console ? address : 0, sse ? 1 : 0, address, 0, 0);
    check(result.error < 0, "escape: extension 0x%lx takes memory of others at 0x%lx",
          calls[which].extension, address);
    return OUTCOME_REFUSED;
}

/* What would rightly end this tenant, put a hart to sleep, or write into its own program. */
static bool is_harmful(uint64_t extension, uint64_t function, const uint64_t arguments[6])
{
    if (extension <= LEGACY_LAST) {
        return extension == LEGACY_SHUTDOWN || extension == LEGACY_GETCHAR || extension == 1;
    }
    if (extension == SBI_EXT_SRST) {
        return (uint32_t)arguments[0] <= SBI_SRST_TYPE_WARM_REBOOT;
    }
    if (extension == SBI_EXT_HSM && function == SBI_HSM_HART_START) {
        return true; /* another hart of its own, at a random address */
    }
    if (extension == SBI_EXT_SSE && function == SBI_SSE_REGISTER) {
        return true; /* a handler at a random address */
    }
    if (extension == SBI_EXT_HSM || extension == SBI_EXT_SUSP) {
        return function == SBI_HSM_HART_STOP || extension == SBI_EXT_SUSP ||
               (function == SBI_HSM_HART_SUSPEND &&
                ((uint32_t)arguments[0] == 0 || (uint32_t)arguments[0] == 0x80000000));
    }
    for (unsigned i = 0; i < 6; i++) {
        if (choose_is_own(arguments[i], 1)) {
            return true;
        }
    }
    return false;
}

enum outcome act_call(struct random *random)
{
    uint64_t kind = random_below(random, 16);
    uint64_t extension = extensions[random_below(random, sizeof(extensions) / 8)];
    uint64_t function =
        random_below(random, 8) == 0 ? choose_any(random) : random_below(random, 16);
    uint64_t arguments[6];
    struct sbi_result result;

    if (kind < 3) {
        return pass_foreign(random);
    }
    if (kind == 3) {
        extension = choose_any(random);
    } else if (kind == 4) {
        extension |= 1ul << 32;
    }
    for (unsigned i = 0; i < 6; i++) {
        arguments[i] = choose_any(random);
    }
    if (is_harmful(extension, function, arguments)) {
        return OUTCOME_REFUSED;
    }
    result = sbi_call6(extension, function, arguments[0], arguments[1], arguments[2], arguments[3],
                       arguments[4], arguments[5]);
    /* Legacy calls have no error codes. */
    return extension <= LEGACY_LAST ? OUTCOME_DONE : judge(result, extension, function);
}

/* Some of the harts that the tenant has. */
static uint64_t some_harts(struct random *random)
{
    return 1 + random_below(random, (1ul << harts_count()) - 1);
}

enum outcome act_hot_call(struct random *random)
{
    uint64_t start = random_below(random, 2) == 0 ? 0 : choose_any(random);
    uint64_t size = 4096 * random_below(random, 70);
    struct sbi_result result;

    switch (random_below(random, 8)) {
    case 0:
    case 1:
        result = sbi_call(SBI_EXT_TIME, SBI_TIME_SET_TIMER,
                          clock_now() + random_below(random, MOST_TICKS), 0, 0);
        break;
    case 2:
        result = sbi_call(SBI_EXT_TIME, SBI_TIME_SET_TIMER, choose_any(random), 0, 0);
        break;
    case 3:
    case 4:
        result = sbi_call(SBI_EXT_IPI, SBI_IPI_SEND_IPI, some_harts(random), 0, 0);
        if (random_below(random, 2) == 0) {
            csr_clear(sip, INTERRUPT_SOFTWARE);
        }
        break;
    case 5:
        result = sbi_call(SBI_EXT_RFENCE, SBI_RFENCE_FENCE_I, some_harts(random), 0, 0);
        break;
    case 6:
        result = sbi_call6(SBI_EXT_RFENCE, SBI_RFENCE_SFENCE_VMA, some_harts(random), 0, start,
                           size, 0, 0);
        break;
    default:
        result = sbi_call6(SBI_EXT_RFENCE, SBI_RFENCE_SFENCE_VMA_ASID, some_harts(random), 0, start,
                           size, random_below(random, 4), 0);
        break;
    }
    return judge(result, 0, 0);
}
