/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "generated.h"
#include "system.h"

static void words_of(const char *name, uint64_t words[2])
{
    size_t length = strlen(name);

    words[0] = words[1] = 0;
    memcpy(words, name, length < 16 ? length : 16);
}

/* The component's id; SYSTEM_COMPONENTS if there is none of that name. */
uint64_t export_find(uint64_t word0, uint64_t word1)
{
    for (uint64_t id = 0; id < SYSTEM_COMPONENTS; id++) {
        uint64_t words[2];

        words_of(system_components[id], words);
        if (words[0] == word0 && words[1] == word1) {
            return id;
        }
    }
    return SYSTEM_COMPONENTS;
}

uint64_t export_name(uint64_t component, uint64_t word)
{
    uint64_t words[2] = {0};

    if (component < SYSTEM_COMPONENTS) {
        words_of(system_components[component], words);
    }
    return word < 2 ? words[word] : 0;
}
