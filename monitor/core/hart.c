/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/hart.h"

#include "core/recorder.h"

struct hart harts[COTENANT_MAX_HARTS];
const struct recorder *recorder;
