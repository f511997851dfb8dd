/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/handed_tree/merge.h"

#include <stddef.h>

#include "arch/memory.h"

#define WORD 4
#define MARKS "plan,"

struct merge {
    const struct fdt *handed;
    const struct fdt *plan;
    uint8_t *out;
    uint32_t room;
    uint32_t at;
    const char *problem; /* the first one; nothing is written any more */
    char *text;
};

static bool is_mark(const char *name)
{
    const char *mark = MARKS;

    while (*mark != '\0' && *mark == *name) {
        mark++;
        name++;
    }
    return *mark == '\0';
}

/* Appends to the message as much as it has room for, of what can be printed. */
static uint32_t say(struct merge *merge, uint32_t at, const char *words)
{
    while (*words != '\0' && at < MERGE_TEXT_SIZE - 1) {
        merge->text[at++] = *words > ' ' && *words < 0x7f ? *words : ' ';
        words++;
    }
    merge->text[at] = '\0';
    return at;
}

static void complain(struct merge *merge, const char *words, const char *node, const char *property)
{
    uint32_t at;

    if (merge->problem != NULL) {
        return;
    }
    at = say(merge, 0, "devicetree: handed over ");
    at = say(merge, at, words);
    at = say(merge, at, *node == '\0' ? "/" : node);
    at = say(merge, at, " ");
    say(merge, at, property);
    merge->problem = merge->text;
}

static void put(struct merge *merge, const void *bytes, uint32_t size)
{
    if (merge->problem == NULL && size > merge->room - merge->at) {
        merge->problem = "devicetree: what is handed over does not fit the room for it";
    }
    if (merge->problem == NULL && size != 0) {
        memcpy(&merge->out[merge->at], bytes, size);
        merge->at += size;
    }
}

static void put_word(struct merge *merge, uint32_t word)
{
    const uint8_t bytes[WORD] = {(uint8_t)(word >> 24), (uint8_t)(word >> 16), (uint8_t)(word >> 8),
                                 (uint8_t)word};

    put(merge, bytes, WORD);
}

static void put_padded(struct merge *merge, const void *bytes, uint32_t size)
{
    const uint8_t zeros[WORD] = {0};

    put(merge, bytes, size);
    put(merge, zeros, -size % WORD);
}

static void put_begin(struct merge *merge, const char *name)
{
    uint32_t size = 1;

    while (name[size - 1] != '\0') {
        size++;
    }
    put_word(merge, FDT_BEGIN);
    put_padded(merge, name, size);
}

/* The strings of the plan follow those of the tree that is handed over. */
static void put_property(struct merge *merge, const struct fdt *from, const struct fdt_item *item)
{
    put_word(merge, FDT_PROPERTY);
    put_word(merge, item->size);
    put_word(merge, item->name_offset + (from == merge->plan ? merge->handed->strings_size : 0));
    put_padded(merge, item->value, item->size);
}

/* A node that is the plan's alone, from the item that begins it. */
static void put_new(struct merge *merge, struct fdt_item item)
{
    uint32_t depth = 0;

    for (;;) {
        if (item.token == FDT_BEGIN) {
            put_begin(merge, item.name);
            depth++;
        } else if (item.token == FDT_END) {
            put_word(merge, FDT_END);
            depth--;
        } else if (!is_mark(item.name)) {
            put_property(merge, merge->plan, &item);
        }
        if (depth == 0) {
            return;
        }
        item = fdt_read(merge->plan, item.next);
    }
}

static bool has_mark(const struct merge *merge, uint32_t node, const char *mark)
{
    return fdt_property(merge->plan, node, mark).token == FDT_PROPERTY;
}

/* `list`: a property whose value is strings, or none. */
static bool is_listed(const struct fdt_item *list, const char *name)
{
    uint32_t at = 0;

    while (at < list->size) {
        uint32_t end = at;

        while (end < list->size && list->value[end] != '\0') {
            end++;
        }
        if (end < list->size && fdt_same((const char *)&list->value[at], name)) {
            return true;
        }
        at = end + 1;
    }
    return false;
}

static void merge_properties(struct merge *merge, uint32_t handed, uint32_t plan, const char *name)
{
    struct fdt_item same = fdt_property(merge->plan, plan, MARKS "same");
    struct fdt_item drop = fdt_property(merge->plan, plan, MARKS "drop");
    struct fdt_item item = fdt_read(merge->handed, handed);

    for (; item.token == FDT_PROPERTY; item = fdt_read(merge->handed, item.next)) {
        bool is_planned = fdt_property(merge->plan, plan, item.name).token == FDT_PROPERTY;

        if (is_listed(&same, item.name) || (!is_planned && !is_listed(&drop, item.name))) {
            put_property(merge, merge->handed, &item);
        }
    }
    item = fdt_read(merge->plan, plan);
    for (; item.token == FDT_PROPERTY; item = fdt_read(merge->plan, item.next)) {
        struct fdt_item theirs;

        if (is_mark(item.name)) {
            continue;
        }
        if (!is_listed(&same, item.name)) {
            put_property(merge, merge->plan, &item);
            continue;
        }
        theirs = fdt_property(merge->handed, handed, item.name);
        if (theirs.token != FDT_PROPERTY || theirs.size != item.size ||
            memcmp(theirs.value, item.value, item.size) != 0) {
            complain(merge, "differs from the planned one: ", name, item.name);
        }
    }
}

static void merge_begin(struct merge *merge, const struct fdt_item *handed, uint32_t plan)
{
    struct fdt_item name = fdt_property(merge->plan, plan, MARKS "name");
    bool is_renamed = name.size != 0 && name.value[name.size - 1] == '\0';

    put_begin(merge, is_renamed ? (const char *)name.value : handed->name);
    merge_properties(merge, handed->next, plan, handed->name);
}

/* What of the plan was not handed over below a node: new nodes, and ones that are missing. */
static void merge_end(struct merge *merge, uint32_t handed, uint32_t plan)
{
    struct fdt_item item = fdt_first(merge->plan, plan);

    while (item.token == FDT_BEGIN) {
        if (has_mark(merge, item.next, MARKS "new")) {
            put_new(merge, item);
        } else if (has_mark(merge, item.next, MARKS "needed") &&
                   fdt_child(merge->handed, handed, item.name).token != FDT_BEGIN) {
            complain(merge, "lacks a node of the planned one: ", item.name, "");
        }
        item = fdt_read(merge->plan, fdt_behind(merge->plan, item.next));
    }
    put_word(merge, FDT_END);
}

/* The whole tree, a node at a time: [0] is the root. */
static void merge_nodes(struct merge *merge)
{
    uint32_t handed[FDT_MOST_DEPTH];
    uint32_t plan[FDT_MOST_DEPTH];
    uint32_t depth = 1;
    struct fdt_item item = fdt_read(merge->handed, merge->handed->structure);

    handed[0] = item.next;
    plan[0] = fdt_read(merge->plan, merge->plan->structure).next;
    merge_begin(merge, &item, plan[0]);
    while (depth != 0 && merge->problem == NULL) {
        item = fdt_read(merge->handed, item.next);
        if (item.token == FDT_BEGIN) {
            struct fdt_item planned = fdt_child(merge->plan, plan[depth - 1], item.name);

            if (planned.token != FDT_BEGIN || has_mark(merge, planned.next, MARKS "new")) {
                item.next = fdt_behind(merge->handed, item.next);
                continue;
            }
            handed[depth] = item.next;
            plan[depth] = planned.next;
            merge_begin(merge, &item, plan[depth]);
            depth++;
        } else if (item.token == FDT_END) {
            depth--;
            merge_end(merge, handed[depth], plan[depth]);
        }
    }
    put_word(merge, FDT_LAST);
}

const char *fdt_merge(const struct fdt *handed, const struct fdt *plan, uint8_t *out, uint32_t room,
                      char text[MERGE_TEXT_SIZE])
{
    struct merge merge = {handed, plan, out, room, FDT_HEADER_SIZE, NULL, text};
    uint32_t words[FDT_HEADER_SIZE / WORD] = {
        [FDT_HEADER_MAGIC] = FDT_MAGIC,
        [FDT_HEADER_RESERVATIONS] = FDT_HEADER_SIZE,
        [FDT_HEADER_VERSION] = FDT_VERSION,
        [FDT_HEADER_OLDEST_VERSION] = FDT_OLDEST_VERSION,
        [FDT_HEADER_STRINGS_SIZE] = handed->strings_size + plan->strings_size,
    };

    if (room < FDT_HEADER_SIZE) {
        return "devicetree: there is no room for it";
    }
    put(&merge, &plan->bytes[plan->reservations], plan->reservations_size);
    words[FDT_HEADER_STRUCTURE] = merge.at;
    merge_nodes(&merge);
    words[FDT_HEADER_STRINGS] = merge.at;
    words[FDT_HEADER_STRUCTURE_SIZE] = merge.at - words[FDT_HEADER_STRUCTURE];
    put(&merge, &handed->bytes[handed->strings], handed->strings_size);
    put(&merge, &plan->bytes[plan->strings], plan->strings_size);
    words[FDT_HEADER_SIZE_OF_ALL] = merge.at;
    memset(&out[merge.at], 0, room - merge.at);
    merge.at = 0;
    for (uint32_t i = 0; i < FDT_HEADER_SIZE / WORD; i++) {
        put_word(&merge, words[i]);
    }
    return merge.problem;
}
