/* SPDX-License-Identifier: BSD-2-Clause */
/* SBI section 10: system reset. The system is the tenant: it ends or restarts nothing else. */
#include "core/lifecycle.h"
#include "sbi/sbi.h"

static struct sbi_result sbi_srst(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    uint64_t type = arguments[0] & UINT32_MAX;
    uint64_t reason = arguments[1] & UINT32_MAX;

    if (function != SBI_SRST_SYSTEM_RESET) {
        return sbi_error(SBI_ERR_NOT_SUPPORTED);
    }
    if (type > SBI_SRST_TYPE_WARM_REBOOT || reason > SBI_SRST_REASON_SYSTEM_FAILURE) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    if (type != SBI_SRST_TYPE_SHUTDOWN) {
        tenant_reboot(vhart->tenant);
    } else if (reason == SBI_SRST_REASON_SYSTEM_FAILURE) {
        tenant_fail(vhart);
    } else {
        tenant_shut_down(vhart->tenant, "shutdown");
    }
    return sbi_no_return();
}

SBI_EXTENSION(SBI_EXT_SRST, sbi_srst, SBI_SHARED);
