/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the ways into entry.S are: apart, as that calls C code which calls nothing here. */
#include "core/feature.h"
#include "core/hooks.h"
#include "features/machine/machine.h"

/* Of entry.S. */
void machine_entry(void);
void machine_plain_entry(void);
void machine_resume(void);
void machine_inner_entry(void);
void machine_inner_resume(void);

static void find_entries(void)
{
    machine_entries.fast = (uint64_t)machine_entry;
    machine_entries.plain = (uint64_t)machine_plain_entry;
    machine_entries.resume = (uint64_t)machine_resume;
    machine_entries.inner = (uint64_t)machine_inner_entry;
    machine_entries.inner_resume = (uint64_t)machine_inner_resume;
}

HOOK(machine_begins, find_entries);
FEATURE(machine);
