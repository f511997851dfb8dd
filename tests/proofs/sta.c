/* SPDX-License-Identifier: BSD-2-Clause */
/* Any calls of SBI STA by any vharts, and vharts that get and lose their hart in between. */
#include "caller.h"

#include "core/attended.h"

#include "features/sta/sta.c"
#include "features/sta/steal.c"

static struct bundle system;

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

uint32_t guest_fetch_native(uint64_t address)
{
    (void)address;
    return any32();
}

static void call(void)
{
    struct vhart *vhart = any_vhart();
    uint64_t stolen;

    switch (any_up_to(4)) {
    case 0:
        enter(vhart);
        break;
    case 1:
        leave(vhart);
        break;
    case 2:
        steal_end(vhart);
        break;
    case 3:
        show(vhart, &stolen);
        break;
    default:
        sbi_sta(vhart, any64(), arguments_of(vhart));
        break;
    }
}

int main(void)
{
    set_up();
    system.board.timebase_hz = 32768 + any_up_to(UINT32_MAX - 32768); /* checked at boot */
    bundle = &system;
    while (any_bool()) {
        pass_time();
        call();
    }
    return 0;
}
