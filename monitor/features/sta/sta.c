/* SPDX-License-Identifier: BSD-2-Clause */
/* SBI section 16: steal-time accounting. */
#include "core/feature.h"
#include "features/sta/steal.h"
#include "sbi/sbi.h"

#define SHARED_BYTES 64

static struct sbi_result sbi_sta(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    uint64_t low = arguments[0];
    uint64_t high = arguments[1];

    if (function != SBI_STA_SET_SHMEM) {
        return sbi_error(SBI_ERR_NOT_SUPPORTED);
    }
    if (arguments[2] != 0) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    if (low == UINT64_MAX && high == UINT64_MAX) {
        steal_end(vhart);
        return sbi_value(0);
    }
    if (low % SHARED_BYTES != 0) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    if (!sbi_owns_memory(vhart->tenant, low, high, SHARED_BYTES)) {
        return sbi_error(SBI_ERR_INVALID_ADDRESS);
    }
    steal_begin(vhart, low);
    return sbi_value(0);
}

FEATURE(sta);
SBI_EXTENSION(SBI_EXT_STA, sbi_sta, SBI_GIVES_WAY);
