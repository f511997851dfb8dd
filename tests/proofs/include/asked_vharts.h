/* SPDX-License-Identifier: BSD-2-Clause */
/* What others ask of a vhart, for entries of proofs: only that the vhart and its tenant exist. */
#ifndef COTENANT_TESTS_PROOFS_ASKED_VHARTS_H
#define COTENANT_TESTS_PROOFS_ASKED_VHARTS_H

#include "core/messages.h"
#include "core/tenant.h"

static void is_vhart(const struct vhart *vhart)
{
    //@ assert \valid_read(vhart) && \valid_read(vhart->tenant);
    (void)vhart;
}

void messages_send(struct vhart *vhart, uint32_t requests)
{
    (void)requests;
    is_vhart(vhart);
}

void vhart_interrupt(struct vhart *vhart, uint64_t bits)
{
    is_vhart(vhart);
    vhart->world.pending |= bits;
}

#endif
