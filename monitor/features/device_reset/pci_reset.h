/* SPDX-License-Identifier: BSD-2-Clause */
/* A PCI bus that belongs to tenants, seen through its configuration space (ECAM). */
#ifndef COTENANT_FEATURES_DEVICE_RESET_PCI_RESET_H
#define COTENANT_FEATURES_DEVICE_RESET_PCI_RESET_H

#include <stdint.h>

/* Bytes of the configuration space of a bus (PCI Express 5.0, section 7.2.2). */
#define PCI_BUS_SIZE 0x100000

/*
 * Takes from each function on the bus whose configuration space is at `base` what the owner gave
 * it: it reaches no memory, answers at no address and does not interrupt, by line or by message.
 * What a function holds inside, such as a picture, stays. At most 256 functions, and 48
 * capabilities of each, are looked at. M-mode with interrupts off.
 */
void pci_reset(uint64_t base);

#endif
