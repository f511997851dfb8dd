/* SPDX-License-Identifier: BSD-2-Clause */
/* Features whose files are not in a folder of their own yet. */
#include "core/feature.h"
#include "core/features.h"

#if FEATURE_GROUPS
FEATURE(groups);
#endif
