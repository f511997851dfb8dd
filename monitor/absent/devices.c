/* SPDX-License-Identifier: BSD-2-Clause */
/* No tenant has a device that is to be reset. */
#include "device/device_reset.h"

void device_reset(const struct bundle_reset *reset)
{
    (void)reset;
}
