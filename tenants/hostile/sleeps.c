/* SPDX-License-Identifier: BSD-2-Clause */
#include "hostile/acts.h"
#include "rt/harts.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/suspend.h"
#include "rt/trap.h"

#define MOST_TICKS 400

/* A hart that resumes elsewhere has lost its CSRs. */
static int64_t suspend_and_resume(uint64_t extension, uint64_t function, uint64_t type)
{
    struct suspend_result result = {0};

    suspend(extension, function, type, &result);
    if (result.resumed == 0) {
        return result.error;
    }
    trap_init();
    return SBI_SUCCESS;
}

/* Sleeps end by the timer, which is set, or by what is pending already. */
enum outcome act_nap(struct random *random)
{
    uint64_t kind = random_below(random, 4);
    struct sbi_result answer = {0};

    csr_clear(sip, INTERRUPT_SOFTWARE);
    sbi_set_timer(clock_now() + random_below(random, MOST_TICKS));
    csr_write(sie, INTERRUPT_TIMER);
    switch (kind) {
    case 0:
        answer = sbi_call(SBI_EXT_HSM, SBI_HSM_HART_SUSPEND, SBI_HSM_SUSPEND_RETENTIVE,
                          choose_any(random), choose_any(random));
        break;
    case 1:
        answer.error =
            suspend_and_resume(SBI_EXT_HSM, SBI_HSM_HART_SUSPEND, SBI_HSM_SUSPEND_NON_RETENTIVE);
        break;
    default:
        wait_for_interrupt();
        break;
    }
    csr_write(sie, 0);
    return answer.error == SBI_SUCCESS ? OUTCOME_DONE : OUTCOME_REFUSED;
}

enum outcome act_suspend(struct random *random)
{
    (void)random;
    return suspend_and_resume(SBI_EXT_SUSP, SBI_SUSP_SYSTEM_SUSPEND, SBI_SUSP_TO_RAM) == SBI_SUCCESS
               ? OUTCOME_DONE
               : OUTCOME_REFUSED;
}
