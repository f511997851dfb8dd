/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The monitor's own check of the bundle. The tool makes no bundle that fails here; this is for the
 * ones that were damaged on the way or made by something else.
 */
#ifndef COTENANT_BOOT_CHECK_H
#define COTENANT_BOOT_CHECK_H

#include <stdint.h>

#include "core/bundle_check.h"

/*
 * Checks struct bundle, followed in memory by its parts. `monitor_size` is the memory that the
 * monitor itself takes, bytes. Touches nothing but the structure until its checksum is right.
 */
struct check_result check_bundle(const struct bundle *bundle, uint64_t monitor_size);

#endif
