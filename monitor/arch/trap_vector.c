/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/trap_vector.h"

#include <stdint.h>

#include "arch/csr.h"

static void (*entries[2])(void);

void trap_vector_init(void (*with_fast_paths)(void), void (*without)(void))
{
    entries[true] = with_fast_paths;
    entries[false] = without;
}

void trap_use_fast_paths(bool use)
{
    CSR_WRITE(mtvec, (uint64_t)entries[use]);
}
