/* SPDX-License-Identifier: BSD-2-Clause */
/* Payload of frames in one piece. Apart, because this is not compiled for size. */
#ifndef COTENANT_FEATURES_FRAMES_RUN_H
#define COTENANT_FEATURES_FRAMES_RUN_H

#include "core/console_mux.h"

/* The payload of a tenant's frame, as struct console_form wants it; not what has left its ring. */
uint32_t frames_run(struct console_mux *mux, uint8_t *bytes, uint32_t room);

#endif
