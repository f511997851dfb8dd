/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/dbtr/trigger.h"

#include "arch/csr.h"

struct hart_triggers hart_triggers[COTENANT_MAX_HARTS];

/* What the hart itself writes to tdata1, or cannot be written: hit, and maskmax. */
#define READ_ONLY_MCONTROL 0x07e0000000100000
#define READ_ONLY_MCONTROL6 0x06400000 /* uncertain, hit1, hit0 */

static uint64_t read_only(uint64_t tdata1)
{
    return tdata1 >> TDATA1_TYPE_SHIFT == TDATA1_TYPE_MCONTROL6 ? READ_ONLY_MCONTROL6
                                                                : READ_ONLY_MCONTROL;
}

/* A trigger that matches nothing, of one of these types, bits. */
static uint64_t harmless(uint16_t types)
{
    uint64_t type =
        (types & 1u << TDATA1_TYPE_MCONTROL) != 0 ? TDATA1_TYPE_MCONTROL : TDATA1_TYPE_MCONTROL6;

    return type << TDATA1_TYPE_SHIFT;
}

/* The trigger, which is selected, can have this type: tdata1 reads back what it is. */
static bool has_type(uint64_t type)
{
    CSR_WRITE(tdata1, type << TDATA1_TYPE_SHIFT);
    return CSR_READ(tdata1) >> TDATA1_TYPE_SHIFT == type;
}

/* The usable types of trigger `number`, bits; 0: there is none, or a debugger has taken it. */
static uint16_t find_types(uint32_t number)
{
    CSR_WRITE(tselect, number);
    if (CSR_READ(tselect) != number || (CSR_READ(tdata1) & TDATA1_DMODE) != 0) {
        return 0;
    }
    return (uint16_t)((has_type(TDATA1_TYPE_MCONTROL) ? 1u << TDATA1_TYPE_MCONTROL : 0) |
                      (has_type(TDATA1_TYPE_MCONTROL6) ? 1u << TDATA1_TYPE_MCONTROL6 : 0));
}

/* Triggers of a chain have numbers in a row, so those behind one that is not usable do not count.
 */
void triggers_probe(struct hart *hart)
{
    struct hart_triggers *found = triggers_in(hart);

    found->count = 0;
    while (found->count < MOST_TRIGGERS && trigger_probe() != 0) {
        uint16_t types = find_types(found->count);

        if (types == 0) {
            break;
        }
        found->types[found->count] = types;
        found->rest[found->count] = harmless(types);
        trigger_clear(found, found->count);
        found->count++;
    }
}

/* With tdata1 last: a trigger that is half old and half new could fire. */
bool trigger_set(uint32_t number, uint64_t tdata1, uint64_t tdata2)
{
    CSR_WRITE(tselect, number);
    CSR_WRITE(tdata1, tdata1 >> TDATA1_TYPE_SHIFT << TDATA1_TYPE_SHIFT);
    CSR_WRITE(tdata2, tdata2);
    CSR_WRITE(tdata1, tdata1);
    return ((CSR_READ(tdata1) ^ tdata1) & ~read_only(tdata1)) == 0 && CSR_READ(tdata2) == tdata2;
}

uint64_t trigger_read(uint32_t number)
{
    CSR_WRITE(tselect, number);
    return CSR_READ(tdata1);
}

void trigger_clear(const struct hart_triggers *in_hart, uint32_t number)
{
    CSR_WRITE(tselect, number);
    CSR_WRITE(tdata1, in_hart->rest[number]);
    CSR_WRITE(tdata2, 0);
}

/* A vhart above the one that has them waits for this. */
void triggers_take_out(const struct hart_triggers *in_hart)
{
    const uint64_t *rest = in_hart->rest;
    const uint64_t *end = rest + in_hart->count;
    struct trigger *each = in_hart->each;

    for (uint64_t number = 0; rest < end; number++, rest++, each++) {
        if (each->mapped) {
            CSR_WRITE(tselect, number);
            each->tdata1 = CSR_READ(tdata1);
            CSR_WRITE(tdata1, *rest);
            CSR_WRITE(tdata2, 0);
        }
    }
}
