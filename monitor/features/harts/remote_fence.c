/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A hart does an SFENCE.VMA at every world switch, after it has published hart.loaded. So a hart
 * that has changed a page table and then finds that the vhart concerned is not loaded has nothing
 * to wait for: the vhart's next switch-in comes after. Only a hart that has the vhart loaded is
 * asked, by its software interrupt, and waited for; that ends when it has fenced or has switched to
 * a vhart of another tenant. A hart that waits serves what others ask of it.
 *
 * tests/models/remote_fence.pml is this protocol.
 */
#include "arch/csr.h"
#include "core/messages.h"
#include "core/tenant.h"

/* hart.fences of the caller with index 0; the others' bits lie above. */
#define ASKED_TRANSLATION 0x1u
#define ASKED_BOTH 0x101u
#define INSTRUCTIONS_SHIFT 8

static struct vhart *loaded_on(const struct hart *hart)
{
    return __atomic_load_n(&hart->loaded, __ATOMIC_SEQ_CST);
}

/* Asks the vhart's hart if it has the vhart loaded, and returns whether that is so. */
static bool ask(const struct hart *caller, struct vhart *target, bool instructions)
{
    struct hart *hart = target->world.hart;
    struct fence_request *request = &hart->fence_requests[caller->index];

    if (instructions) {
        messages_leave(target, REQUEST_FENCE_I);
    }
    if (loaded_on(hart) != target) {
        return false;
    }
    __atomic_store_n(&request->wanted, request->wanted + 1, __ATOMIC_RELAXED);
    __atomic_fetch_or(&hart->fences,
                      (instructions ? ASKED_BOTH : ASKED_TRANSLATION) << caller->index,
                      __ATOMIC_SEQ_CST);
    FENCE_ALL();
    *hart->msip = 1;
    return true;
}

/* The hart that was asked has done it, or has switched. */
static bool is_done(const struct hart *caller, const struct vhart *target)
{
    const struct hart *hart = target->world.hart;
    const struct fence_request *request = &hart->fence_requests[caller->index];

    return __atomic_load_n(&request->done, __ATOMIC_SEQ_CST) == request->wanted ||
           loaded_on(hart) != target;
}

/* Those of the vharts, by id, whose harts have been asked and are not done. */
static uint64_t awaited(const struct vhart *caller, uint64_t asked)
{
    const struct tenant *tenant = caller->tenant;
    uint64_t left = asked;

    for (uint32_t id = 0; id < tenant->vhart_count; id++) {
        if ((asked >> id & 1) != 0 && is_done(caller->world.hart, &tenant->vharts[id])) {
            left &= ~(1ul << id);
        }
    }
    return left;
}

/* Until one more is done, or there is something else to do. */
static void sleep_until_served(const struct vhart *caller, uint64_t left)
{
    struct hart *hart = caller->world.hart;

    __atomic_store_n(&hart->sleeps_for_fences, true, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (awaited(caller, left) == left) {
        messages_sleep(hart);
    }
    __atomic_store_n(&hart->sleeps_for_fences, false, __ATOMIC_RELAXED);
}

void remote_fence(const struct vhart *caller, uint64_t targets, bool instructions)
{
    const struct tenant *tenant = caller->tenant;
    uint64_t left = 0;
    uint32_t looks = 0;

    /* What the caller has written to its page tables comes before the look at hart.loaded. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (uint32_t id = 0; id < tenant->vhart_count; id++) {
        if ((targets >> id & 1) != 0 && &tenant->vharts[id] != caller &&
            ask(caller->world.hart, &tenant->vharts[id], instructions)) {
            left |= 1ul << id;
        }
    }
    while ((left = awaited(caller, left)) != 0) {
        remote_fence_serve(caller->world.hart);
        if (++looks > MESSAGES_MOST_LOOKS) {
            sleep_until_served(caller, left);
        }
    }
}

void remote_fence_serve(struct hart *hart)
{
    uint32_t wanted[COTENANT_MAX_HARTS];
    uint32_t callers;

    if (__atomic_load_n(&hart->fences, __ATOMIC_RELAXED) == 0) {
        return;
    }
    callers = __atomic_exchange_n(&hart->fences, 0, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < COTENANT_MAX_HARTS; i++) {
        wanted[i] = __atomic_load_n(&hart->fence_requests[i].wanted, __ATOMIC_RELAXED);
    }
    FENCE_TRANSLATION();
    if (callers >> INSTRUCTIONS_SHIFT != 0) {
        FENCE_I();
    }
    for (uint32_t i = 0; i < COTENANT_MAX_HARTS; i++) {
        if ((callers >> i & 1) != 0) {
            __atomic_store_n(&hart->fence_requests[i].done, wanted[i], __ATOMIC_RELEASE);
        }
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < COTENANT_MAX_HARTS; i++) {
        if ((callers >> i & 1) != 0 &&
            __atomic_load_n(&harts[i].sleeps_for_fences, __ATOMIC_RELAXED)) {
            messages_wake(&harts[i]);
        }
    }
}
