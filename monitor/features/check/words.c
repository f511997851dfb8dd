/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/check/words.h"

#define TEXT(name, text) text "\0"
#define FIELD_MASK ((1u << CHECK_FIELD_BITS) - 1)
#define RULE_MASK ((1u << (CHECK_INDEX_SHIFT - CHECK_FIELD_BITS)) - 1)

/* One behind the other: a rule is found from its field. */
static const char words[] = CHECK_FIELDS(TEXT) CHECK_RULES(TEXT);

static uint32_t place_of(uint32_t number)
{
    uint32_t place = 0;

    while (number > 0) {
        number -= words[place] == '\0';
        place++;
    }
    return place;
}

struct check_result check_in_words(uint32_t refusal, long index)
{
    uint32_t field;
    uint32_t rule;

    if (refusal == CHECK_IS_GOOD) {
        return check_good();
    }
    field = place_of(refusal & FIELD_MASK);
    rule = place_of(CHECK_FIELD_COUNT - 1 + (refusal >> CHECK_FIELD_BITS & RULE_MASK));
    return (struct check_result){&words[field], (int32_t)index, rule - field};
}
