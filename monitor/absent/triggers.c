/* SPDX-License-Identifier: BSD-2-Clause */
/* No debug triggers: the harts have none set. */
#include "core/triggers.h"
#include "arch/trigger.h"
