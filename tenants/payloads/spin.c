/* SPDX-License-Identifier: BSD-2-Clause */
/* A tenant that never idles: shows what priorities and budgets do against a runaway. */
#include "rt/console.h"

void main(void)
{
    print("spinning\n");
    for (;;) {
    }
}
