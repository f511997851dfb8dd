/* SPDX-License-Identifier: BSD-2-Clause */
#include "hostile/choose.h"

#include <stddef.h>

#include "rt/arguments.h"
#include "rt/platform.h"

#define MOST_PLACES 32
#define PAGE_SIZE 4096

static const uint64_t edges[] = {
    0,
    1,
    2,
    63,
    64,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x100000000,
    0x7fffffffffffffff,
    0x8000000000000000,
    0xfffffffffffff000,
    0xfffffffffffffffe,
    UINT64_MAX,
};

static uint64_t places[MOST_PLACES];
static uint32_t place_count;

void choose_begin(void)
{
    const char *text = platform_argument("touch");

    while (text != NULL && place_count < MOST_PLACES &&
           argument_number(&text, &places[place_count])) {
        place_count++;
        text += *text == ',';
    }
}

uint64_t choose_foreign(struct random *random)
{
    if (place_count == 0) {
        return 0;
    }
    return places[random_below(random, place_count)] + 8 * random_below(random, PAGE_SIZE / 8);
}

uint64_t choose_edge(struct random *random)
{
    return edges[random_below(random, sizeof(edges) / sizeof(edges[0]))];
}

uint64_t choose_around(struct random *random)
{
    return platform.memory_base + random_below(random, 2 * platform.memory_size) -
           platform.memory_size / 2;
}

uint64_t choose_any(struct random *random)
{
    switch (random_below(random, 5)) {
    case 0:
        return random_next(random);
    case 1:
        return random_below(random, 16);
    case 2:
        return choose_around(random);
    case 3:
        return choose_foreign(random);
    default:
        return choose_edge(random);
    }
}

bool choose_is_own(uint64_t address, uint64_t size)
{
    return address >= platform.memory_base &&
           address - platform.memory_base < platform.memory_size &&
           size <= platform.memory_size - (address - platform.memory_base);
}

uint64_t choose_memory(struct random *random, const volatile void *own)
{
    uint64_t address = choose_any(random);

    return choose_is_own(address, 1) || random_below(random, 2) == 0 ? (uintptr_t)own : address;
}
