/* SPDX-License-Identifier: BSD-2-Clause */
/* Any calls of SBI DBTR by any vharts, and vharts that get and lose their hart in between. */
#include "caller.h"

#include "core/attended.h"

#include "features/dbtr/calls.c"
#include "features/dbtr/trigger.c"
#include "features/dbtr/triggers.c"

void attended_begin(struct vhart *vhart, bool *reason)
{
    (void)vhart;
    *reason = true;
}

void attended_end(struct vhart *vhart, bool *reason)
{
    (void)vhart;
    *reason = false;
}

uint64_t trigger_probe(void)
{
    return any_bool();
}

void sbi_withdraw(uint64_t extension)
{
    (void)extension;
}

static void call(void)
{
    struct vhart *vhart = any_vhart();

    switch (any_up_to(3)) {
    case 0:
        triggers_enter(vhart);
        break;
    case 1:
        triggers_leave(vhart);
        break;
    case 2:
        triggers_end(vhart);
        break;
    default:
        sbi_dbtr(vhart, any64(), arguments_of(vhart));
        break;
    }
}

int main(void)
{
    set_up();
    triggers_probe(&harts[0]);
    hart_triggers[0].count = 2; /* with more, Eva cannot follow which have been filled */
    withdraw();
    while (any_bool()) {
        pass_time();
        call();
    }
    return 0;
}
