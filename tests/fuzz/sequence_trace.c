/* SPDX-License-Identifier: BSD-2-Clause */
/* For builds with -fsanitize-coverage=trace-pc; libFuzzer has a use of its own for that. */
#include "sequence_statistics.h"

/* Called by what the compiler adds to each basic block. */
void __sanitizer_cov_trace_pc(void);

void __sanitizer_cov_trace_pc(void)
{
    statistics_block((uintptr_t)__builtin_return_address(0));
}
