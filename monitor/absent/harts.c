/* SPDX-License-Identifier: BSD-2-Clause */
/* One hart: nobody else is there to be told anything, to fence or to wait for. */
#include "core/messages.h"
#include "core/remote_fence.h"
#include "core/shared_lock.h"
#include "entry/requests.h"

void messages_post(struct vhart *vhart, uint32_t requests)
{
    (void)vhart;
    (void)requests;
}

void messages_wake_work(struct hart *hart)
{
    (void)hart;
}

void requests_take(struct hart *hart)
{
    (void)hart;
}

void remote_fence(const struct vhart *caller, uint64_t targets, bool instructions)
{
    (void)caller;
    (void)targets;
    (void)instructions;
}

bool shared_lock_take(struct hart *hart, bool give_up)
{
    (void)hart;
    (void)give_up;
    return true;
}

bool shared_lock_has_waiting(void)
{
    return false;
}

void shared_lock_pass_on(struct hart *hart)
{
    (void)hart;
}
