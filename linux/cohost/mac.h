/* SPDX-License-Identifier: BSD-2-Clause */
/* Ethernet addresses. */
#ifndef COHOST_MAC_H
#define COHOST_MAC_H

#include <stdbool.h>
#include <stdint.h>

#define MAC_SIZE 6

/* Reads one such as 02:00:00:00:00:01 that a card can have. False: it is none. */
bool mac_read(const char *text, uint8_t *mac);

/* One for card `number` of a guest: the same at each start, on this machine. */
void mac_make(const char *guest, unsigned number, uint8_t *mac);

#endif
