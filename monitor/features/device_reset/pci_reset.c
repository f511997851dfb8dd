/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers: PCI Local Bus 3.0, sections 6.1 (header), 6.7 (capabilities) and 6.8 (messages). */
#include "features/device_reset/pci_reset.h"

#include <stdbool.h>

#include "arch/mmio.h"

#define REGISTER_ID 0x00
#define REGISTER_COMMAND 0x04 /* 16 bits, and above them the status, of which ones clear bits */
#define REGISTER_HEADER 0x0c
#define REGISTER_ADDRESSES 0x10     /* of a card: six; of a bridge: two, then what it passes on */
#define REGISTER_ADDRESSES_END 0x28 /* a bridge's end here too */
#define REGISTER_ROM 0x30
#define REGISTER_CAPABILITIES 0x34
#define REGISTER_INTERRUPT 0x3c

#define NOT_THERE 0xffffffff /* what a read of a function gives that is not there */
#define COMMAND_NO_INTERRUPT 0x0400
#define STATUS_ALL 0xffff0000
#define STATUS_HAS_CAPABILITIES 0x00100000
#define SEVERAL_FUNCTIONS 0x00800000

#define CAPABILITY_MSI 0x05
#define MSI_ENABLE 0x00010000
#define CAPABILITY_MSIX 0x11
#define MSIX_ENABLE 0x80000000
#define MOST_CAPABILITIES 48 /* each takes 4 bytes of the 192 behind the header */

#define FUNCTION_SIZE 0x1000
#define CARD_FUNCTIONS 8

static void forbid_messages(uint64_t function)
{
    uint32_t place = mmio_read32(function + REGISTER_CAPABILITIES) & 0xfc;

    for (unsigned i = 0; i < MOST_CAPABILITIES && place != 0; i++) {
        uint32_t capability = mmio_read32(function + place);

        if ((capability & 0xff) == CAPABILITY_MSI) {
            mmio_write32(function + place, capability & ~MSI_ENABLE);
        } else if ((capability & 0xff) == CAPABILITY_MSIX) {
            mmio_write32(function + place, capability & ~MSIX_ENABLE);
        }
        place = capability >> 8 & 0xfc;
    }
}

static void reset_function(uint64_t function)
{
    uint32_t status = mmio_read32(function + REGISTER_COMMAND);

    /* First of all: from here on it reaches no memory, and so sends no message either. */
    mmio_write32(function + REGISTER_COMMAND, STATUS_ALL | COMMAND_NO_INTERRUPT);
    if ((status & STATUS_HAS_CAPABILITIES) != 0) {
        forbid_messages(function);
    }
    for (uint32_t place = REGISTER_ADDRESSES; place < REGISTER_ADDRESSES_END; place += 4) {
        mmio_write32(function + place, 0);
    }
    mmio_write32(function + REGISTER_ROM, 0);
    mmio_write32(function + REGISTER_INTERRUPT, 0);
}

static bool is_there(uint64_t function)
{
    return mmio_read32(function + REGISTER_ID) != NOT_THERE;
}

uint32_t pci_reset(uint64_t base, uint32_t number)
{
    uint64_t function = base + (uint64_t)number * FUNCTION_SIZE;
    bool is_first = number % CARD_FUNCTIONS == 0;
    bool several;

    if (is_there(function)) {
        several = !is_first || (mmio_read32(function + REGISTER_HEADER) & SEVERAL_FUNCTIONS) != 0;
        reset_function(function);
    } else {
        several = !is_first; /* a card always has its first function */
    }
    return (number + (several ? 1 : CARD_FUNCTIONS)) % PCI_FUNCTIONS;
}
