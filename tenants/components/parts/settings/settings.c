/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "generated.h"

#define SET 8

static struct {
    uint64_t words[2]; /* the name; 0: this one is free */
    uint64_t value;
} settings[SET];

/* The number, of an argument with several the one behind `skip` others; 0: there is none. */
uint64_t export_get(uint64_t word0, uint64_t word1, uint64_t skip)
{
    const uint64_t words[2] = {word0, word1};
    char name[sizeof(words) + 1] = {0};

    for (unsigned i = 0; i < SET; i++) {
        if (settings[i].words[0] == word0 && settings[i].words[1] == word1 && word0 != 0) {
            return settings[i].value;
        }
    }
    memcpy(name, words, sizeof(words));
    return argument_part(name, skip);
}

/* Until this component is restarted. 1; 0: there is no room, or no name. */
uint64_t export_set(uint64_t word0, uint64_t word1, uint64_t value)
{
    unsigned i = 0;

    while (i < SET && settings[i].words[0] != 0 &&
           (settings[i].words[0] != word0 || settings[i].words[1] != word1)) {
        i++;
    }
    if (i == SET || word0 == 0) {
        return 0;
    }
    settings[i].value = value;
    settings[i].words[1] = word1;
    settings[i].words[0] = word0;
    return 1;
}
