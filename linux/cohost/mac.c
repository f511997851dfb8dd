/* SPDX-License-Identifier: BSD-2-Clause */
#include "mac.h"

#include <stdio.h>
#include <string.h>

#define MULTICAST 1
#define LOCAL 2
#define MACHINE_ID "/etc/machine-id"

bool mac_read(const char *text, uint8_t *mac)
{
    unsigned bytes[MAC_SIZE];
    int length = 0;

    if (strlen(text) != 3 * MAC_SIZE - 1 ||
        sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &bytes[0], &bytes[1], &bytes[2], &bytes[3],
               &bytes[4], &bytes[5], &length) != MAC_SIZE ||
        length != 3 * MAC_SIZE - 1 || (bytes[0] & MULTICAST) != 0) {
        return false;
    }
    for (unsigned i = 0; i < MAC_SIZE; i++) {
        mac[i] = (uint8_t)bytes[i];
    }
    return true;
}

/* FNV-1a, 64 bits. */
static uint64_t hash(uint64_t state, const char *text)
{
    for (; *text != '\0'; text++) {
        state = (state ^ (uint8_t)*text) * 0x100000001b3ull;
    }
    return state;
}

void mac_make(const char *guest, unsigned number, uint8_t *mac)
{
    char machine[64] = "", card[16];
    FILE *file = fopen(MACHINE_ID, "re");
    uint64_t state;

    if (file != NULL) {
        (void)!fgets(machine, sizeof(machine), file);
        fclose(file);
    }
    snprintf(card, sizeof(card), "/%u", number);
    state = hash(hash(hash(0xcbf29ce484222325ull, machine), guest), card);
    memcpy(mac, &state, MAC_SIZE);
    mac[0] = (uint8_t)((mac[0] & ~MULTICAST) | LOCAL);
}
