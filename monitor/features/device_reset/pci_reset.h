/* SPDX-License-Identifier: BSD-2-Clause */
/* A PCI bus that belongs to tenants, seen through its configuration space (ECAM). */
#ifndef COTENANT_FEATURES_DEVICE_RESET_PCI_RESET_H
#define COTENANT_FEATURES_DEVICE_RESET_PCI_RESET_H

#include <stdint.h>

/* Bytes of the configuration space of a bus (PCI Express 5.0, section 7.2.2). */
#define PCI_BUS_SIZE 0x100000
#define PCI_FUNCTIONS 256

/*
 * Takes from function `number` (from 0) of the bus whose configuration space is at `base`, if it is
 * there, what the owner gave it: it reaches no memory, answers at no address and does not
 * interrupt, by line or by message. What a function holds inside, such as a picture, stays. At most
 * 48 capabilities are looked at. Returns the number of the function that is next, or 0: it was the
 * last one. M-mode with interrupts off.
 */
uint32_t pci_reset(uint64_t base, uint32_t number);

#endif
