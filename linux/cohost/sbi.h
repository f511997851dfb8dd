/* SPDX-License-Identifier: BSD-2-Clause */
/* SBI calls of the guest that the monitor does not serve. */
#ifndef COHOST_SBI_H
#define COHOST_SBI_H

#include <stdint.h>

/* Errors (SBI 2.0, section 3). */
#define SBI_SUCCESS 0
#define SBI_FAILED (-1)
#define SBI_NOT_SUPPORTED (-2)
#define SBI_INVALID_PARAM (-3)
#define SBI_DENIED (-4)
#define SBI_INVALID_ADDRESS (-5)
#define SBI_ALREADY_AVAILABLE (-6)

/* Serves a call of a vhart; `arguments` are a0 to a7 and then, in the first two, its answer. */
void sbi_serve(unsigned vhart, uint64_t *arguments);

#endif
