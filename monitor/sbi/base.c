/* SPDX-License-Identifier: BSD-2-Clause */
/* SBI section 4: base extension. */
#include "arch/csr.h"
#include "sbi/sbi.h"

struct sbi_result sbi_base(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    (void)vhart;
    switch (function) {
    case SBI_BASE_GET_SPEC_VERSION:
        return sbi_value(SBI_SPEC_VERSION);
    case SBI_BASE_GET_IMPL_ID:
        return sbi_value(COTENANT_SBI_IMPL_ID);
    case SBI_BASE_GET_IMPL_VERSION:
        return sbi_value(COTENANT_SBI_IMPL_VERSION);
    case SBI_BASE_PROBE_EXTENSION:
        return sbi_value(sbi_is_offered(arguments[0]));
    case SBI_BASE_GET_MVENDORID:
        return sbi_value(CSR_READ(mvendorid));
    case SBI_BASE_GET_MARCHID:
        return sbi_value(CSR_READ(marchid));
    case SBI_BASE_GET_MIMPID:
        return sbi_value(CSR_READ(mimpid));
    default:
        return sbi_error(SBI_ERR_NOT_SUPPORTED);
    }
}

SBI_EXTENSION(SBI_EXT_BASE, sbi_base, SBI_AT_ONCE);
