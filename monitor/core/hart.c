/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/hart.h"

struct hart harts[COTENANT_MAX_HARTS];
