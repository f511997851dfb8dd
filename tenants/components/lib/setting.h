/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings by their names, at most 16 bytes long, for those that need settings.get. */
#ifndef COTENANT_COMPONENTS_SETTING_H
#define COTENANT_COMPONENTS_SETTING_H

#include <string.h>

#include "generated.h"

static inline uint64_t setting(const char *name)
{
    uint64_t words[2] = {0};
    struct result result;

    memcpy(words, name, strlen(name) < sizeof(words) ? strlen(name) : sizeof(words));
    result = settings_get(words[0], words[1], 0);
    return result.error == OK ? result.value : 0;
}

#endif
