/* SPDX-License-Identifier: BSD-2-Clause */
/* SBI section 6: timer extension. The trap entry has fast paths. */
#include "arch/timer.h"
#include "core/hooks.h"
#include "sbi/sbi.h"

static struct sbi_result sbi_time(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    if (function != SBI_TIME_SET_TIMER) {
        return sbi_error(SBI_ERR_NOT_SUPPORTED);
    }
    firmware_event(vhart, SBI_PMU_FW_SET_TIMER);
    timer_set(vhart, arguments[0]);
    return sbi_value(0);
}

SBI_EXTENSION(SBI_EXT_TIME, sbi_time, SBI_AT_ONCE);
