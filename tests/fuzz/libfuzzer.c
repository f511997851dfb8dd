/* SPDX-License-Identifier: BSD-2-Clause */
/* The entry that libFuzzer calls; FUZZ_TARGET is the function of fuzz.h to try. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return FUZZ_TARGET(data, size);
}
