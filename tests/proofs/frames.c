/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes on a line of frames, beside tenants that print anything, in any order. */
#include "any_consoles.h"

#include "core/tenant.h"

#include "features/frames/frames.c"

HAS_ENTRIES(console_forms, &framed);

const char **tell_answer(void)
{
    static const char *parts[8]; /* as features/commands/telling.h says */

    return parts;
}

int main(void)
{
    begin_consoles(COTENANT_CONSOLE_FRAMED);
    while (any_bool()) {
        use_consoles();
    }
    return 0;
}
