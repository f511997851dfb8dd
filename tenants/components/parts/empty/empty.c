/* SPDX-License-Identifier: BSD-2-Clause */
#include "generated.h"

uint64_t export_nothing(void)
{
    return 0;
}
