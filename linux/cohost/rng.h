/* SPDX-License-Identifier: BSD-2-Clause */
/* An entropy device (virtio 1.2, section 5.4): random bytes of the host's kernel. */
#ifndef COHOST_RNG_H
#define COHOST_RNG_H

/* Adds it to the bus. */
void rng_add(void);

#endif
