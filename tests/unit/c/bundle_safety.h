/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What has to be true of a bundle for the monitor and its tenants to be safe, written down a second
 * time: plainly, without a look at monitor/features/check/, and for tests only.
 */
#ifndef COTENANT_TESTS_BUNDLE_SAFETY_H
#define COTENANT_TESTS_BUNDLE_SAFETY_H

#include "abi/bundle.h"

/* NULL, or what is unsafe about a bundle that the monitor has accepted. */
const char *bundle_danger(const struct bundle *bundle, uint64_t monitor_size);

#endif
