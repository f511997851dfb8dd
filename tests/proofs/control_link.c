/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as requests of the control protocol, in pieces of any size, or one by one by the
 * console line; answers of any length.
 */
#include "features/control/control.h"

#include "arch/memory.h"
#include "core/console_mux.h"
#include "core/hooks.h"
#include "proof.h"

#include "features/control/line.c"

HAS_ENTRIES(machine_begins, &machine_begins_begin);

#define MOST_AT_ONCE 600

const struct console_control *console_control;
static struct control_link link;
static uint8_t bytes[MOST_AT_ONCE];

/* What verbs.c gives back. */
uint16_t control_check(const struct control_link *of)
{
    (void)of;
    return any_up_to(COTENANT_CONTROL_NO_TENANT + 2);
}

uint16_t control_use(struct control_link *of, const uint8_t *data, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) {
        of->answer.body.number += data[i];
    }
    of->data_taken += any_up_to(length);
    return any_up_to(COTENANT_CONTROL_NO_TENANT + 2);
}

uint16_t control_finish(struct control_link *of, uint32_t *length)
{
    if (any_bool()) {
        of->memory = any64();
        of->memory_left = any32();
    } else {
        *length = any_up_to(sizeof(union control_body));
    }
    return any_up_to(COTENANT_CONTROL_NO_TENANT + 2);
}

bool control_may_read_on(const struct control_link *of)
{
    (void)of;
    return any_bool();
}

/* To the caller's buffer; what comes from the answer is of it, the rest is a tenant's memory. */
void physical_copy(uint64_t destination, const void *source, size_t size)
{
    (void)source;
    for (size_t i = 0; i < size; i++) {
        ((uint8_t *)destination)[i] = any8();
    }
}

void physical_clear(uint64_t destination, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        ((uint8_t *)destination)[i] = 0;
    }
}

static void look_at_next(void)
{
    uint32_t count;

    if (control_waiting(&link) != 0) {
        (void)control_next(&link, &count);
    }
}

static void use_line(void)
{
    if (console_control->waiting() != 0) {
        console_control->next();
    } else {
        console_control->take(any8());
    }
}

int main(void)
{
    control_init(&link, any_up_to(CONTROL_OUTSIDE), any32(), any32());
    machine_begins();
    while (any_bool()) {
        switch (any_up_to(7)) {
        case 0:
            MAKE_ANY(bytes);
            control_take(&link, bytes, any_up_to(MOST_AT_ONCE));
            break;
        case 1:
            control_look(&link, bytes, any_up_to(MOST_AT_ONCE));
            break;
        case 2:
            control_drop(&link, any32());
            break;
        case 3:
            MAKE_ANY(bytes);
            (void)control_appetite(&link);
            control_accept(&link, bytes, any_up_to(MOST_AT_ONCE));
            break;
        case 4:
            (void)control_carry_out(&link);
            break;
        case 5:
            look_at_next();
            break;
        case 6:
            use_line();
            break;
        default:
            control_reset(&link);
            break;
        }
    }
    return 0;
}
