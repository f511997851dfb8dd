/* SPDX-License-Identifier: BSD-2-Clause */
/* IPIs that vharts have got and not seen, as another one has their hart: messages.c. */
#ifndef COTENANT_FEATURES_HARTS_UNSEEN_H
#define COTENANT_FEATURES_HARTS_UNSEEN_H

#include <stdbool.h>

struct vhart;

/* The vhart, of this hart, has got an IPI; or, `seen`, has none any more that it has not seen. */
void messages_note_ipi(const struct vhart *vhart, bool seen);

#endif
