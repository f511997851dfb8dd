/* SPDX-License-Identifier: BSD-2-Clause */
/* A keyboard of one key, with which the guest is asked to suspend itself (virtio 1.2, section 5.8).
 */
#ifndef COHOST_SLEEP_KEY_H
#define COHOST_SLEEP_KEY_H

#include <stdbool.h>

/* Puts it on the bus. */
void sleep_key_add(void);

/* Presses and releases the key. False: no driver listens. */
bool sleep_key_press(void);

#endif
