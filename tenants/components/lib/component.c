/* SPDX-License-Identifier: BSD-2-Clause */
#include "components/lib/component.h"

#include <string.h>

uint64_t argument(const char *name)
{
    return argument_part(name, 0);
}

uint64_t argument_part(const char *name, uint64_t skip)
{
    uint64_t words[2] = {0};

    memcpy(words, name, strlen(name) < sizeof(words) ? strlen(name) : sizeof(words));
    return kernel_call(CALL_ARGUMENT, words[0], words[1], skip).value;
}
