/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A keyboard of two keys, with which the guest is asked to suspend itself and to power off (virtio
 * 1.2, section 5.8).
 */
#ifndef COHOST_POWER_KEYS_H
#define COHOST_POWER_KEYS_H

#include <stdbool.h>

/* Puts it on the bus. */
void power_keys_add(void);

/* Presses and releases a key. False: no driver listens. */
bool power_keys_press_sleep(void);
bool power_keys_press_power(void);

#endif
