// SPDX-License-Identifier: BSD-2-Clause
/*
 * The floor under what more tenants on a hart add to a world switch: a list of those that wait, by
 * the time at which each is to be woken, with one entry and with seven.
 *
 * A vhart that waits is put into the list, which is searched from its end, as one that has just run
 * mostly wakes last; the next event is then that of the first. The first one gets the hart, and the
 * next event is then that of the first that is left of a higher priority, as no other one may
 * interrupt it. Left out is everything else: budgets, slices, those that are ready, the hart's own
 * work. The difference between seven and one is what the table says.
 */
#include <stddef.h>
#include <stdint.h>

#include "print.h"

#define MOST 7
#define TIMES 500
#define NEVER UINT64_MAX
/* As tool/cotenant/bench/switch.py has them. */
#define PERIOD(number) (300 + 37 * (uint64_t)(number))
#define PRIORITY(number) (10 + (uint64_t)(number))
#define MEASURED __attribute__((noinline, section(".text.floor")))

struct vhart {
    uint64_t wake;
    struct vhart *next;
    struct vhart *previous;
    uint64_t priority;
    uint64_t period;
};

/* It is before the first and behind the last; its wake-up is before all, and no priority is above.
 */
struct list {
    struct vhart end;
};

uint64_t list_out_1(struct list *list, struct vhart *vhart);
uint64_t list_in_1(struct list *list);
uint64_t list_out_7(struct list *list, struct vhart *vhart);
uint64_t list_in_7(struct list *list);

/* It waits: into the list. Returns the next event. */
static inline uint64_t put(struct list *list, struct vhart *vhart)
{
    struct vhart *before = list->end.previous;

    while (before->wake > vhart->wake) {
        before = before->previous;
    }
    vhart->previous = before;
    vhart->next = before->next;
    before->next->previous = vhart;
    before->next = vhart;
    return list->end.next->wake;
}

/* The first gets the hart: out of the list. Returns the next event. */
static inline uint64_t take(struct list *list)
{
    struct vhart *first = list->end.next;
    struct vhart *above = first->next;

    list->end.next = above;
    above->previous = &list->end;
    while (above->priority < first->priority) {
        above = above->next;
    }
    return above->wake;
}

MEASURED uint64_t list_out_1(struct list *list, struct vhart *vhart)
{
    return put(list, vhart);
}

MEASURED uint64_t list_in_1(struct list *list)
{
    return take(list);
}

MEASURED uint64_t list_out_7(struct list *list, struct vhart *vhart)
{
    return put(list, vhart);
}

MEASURED uint64_t list_in_7(struct list *list)
{
    return take(list);
}

/* By another algorithm: the earliest above a priority of those that wait, all but `running`. */
static uint64_t earliest(const struct vhart *vharts, unsigned count, const struct vhart *running)
{
    uint64_t found = NEVER;

    for (unsigned i = 0; i < count; i++) {
        const struct vhart *each = &vharts[i];
        uint64_t least = running == NULL ? 0 : running->priority;

        if (each != running && each->priority >= least && each->wake < found) {
            found = each->wake;
        }
    }
    return found;
}

static void run(unsigned count, uint64_t (*out)(struct list *, struct vhart *),
                uint64_t (*in)(struct list *))
{
    static struct vhart vharts[MOST];
    static struct list list;

    list.end = (struct vhart){0, &list.end, &list.end, NEVER, 0};
    for (unsigned i = 0; i < count; i++) {
        vharts[i] = (struct vhart){.wake = PERIOD(i), .priority = PRIORITY(i), .period = PERIOD(i)};
        (void)put(&list, &vharts[i]);
    }
    for (unsigned i = 0; i < TIMES; i++) {
        struct vhart *first = list.end.next;
        uint64_t wanted = earliest(vharts, count, first);

        check("list", "event above", in(&list), wanted == NEVER ? 0 : wanted);
        first->wake += first->period;
        check("list", "event of all", out(&list, first), earliest(vharts, count, NULL));
    }
}

void main(void)
{
    run(1, list_out_1, list_in_1);
    run(MOST, list_out_7, list_in_7);
    print_checked("list");
    print_end();
}
