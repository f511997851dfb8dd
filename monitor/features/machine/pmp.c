/* SPDX-License-Identifier: BSD-2-Clause */
/* The tenant's own PMP entries (privileged ISA 3.7.1) in force for the modes that they are for. */
#include "features/machine/machine.h"

#define RIGHTS_TO_DATA 0x0303030303030303 /* PMP_READ and PMP_WRITE of 8 entries */

static uint8_t rights_at(const struct vhart *vhart, uint64_t at, uint64_t *size)
{
    const struct machine *machine = machine_of(vhart);
    const struct pmp_set *set = &machine->csrs.pmp;
    bool locked = *machine->confinement.purpose == RIGHTS_LOCKED;
    uint8_t config = pmp_decide(set->addresses, set->configs, at, size, locked ? PMP_RIGHTS : 0);

    if (locked && (config & PMP_LOCKED) == 0) {
        return PMP_RIGHTS;
    }
    return *machine->confinement.purpose == RIGHTS_MODIFIED ? config | PMP_EXECUTE : config;
}

static enum machine_rights wanted(const struct vhart *vhart)
{
    const struct machine *machine = machine_of(vhart);
    bool inner = is_inner(vhart);
    uint64_t mstatus = vhart->world.mstatus;

    if (inner ? !machine->inner.in_machine : (mstatus & MSTATUS_MPP) == 0) {
        return machine->confined ? RIGHTS_BELOW : RIGHTS_OWN;
    }
    if (inner && inner_modifies_privilege(vhart)) {
        return RIGHTS_WITHDRAWN;
    }
    if (machine->confined && (machine->csrs.status & MSTATUS_MPRV) != 0 &&
        (mstatus & MSTATUS_SPP) == 0) {
        return RIGHTS_MODIFIED;
    }
    return machine->locked ? RIGHTS_LOCKED : RIGHTS_OWN;
}

bool machine_protect(struct vhart *vhart)
{
    struct machine *machine = machine_of(vhart);
    struct machine_parked *parked = &machine_parked[vhart_index(vhart)];
    enum machine_rights rights = wanted(vhart);
    uint64_t mask = rights == RIGHTS_WITHDRAWN ? ~(uint64_t)RIGHTS_TO_DATA : UINT64_MAX;
    uint64_t own[2];

    if (rights == parked->rights) {
        return false;
    }
    parked->rights = rights;
    memcpy(own, vhart->description->pmp_config, sizeof(own));
    own[0] &= mask;
    own[1] &= mask;
    confine_put(vhart, rights < RIGHTS_OWN ? machine->confinement.blocks[rights] : own);
    return true;
}

_Static_assert(offsetof(struct bundle_vhart, pmp_config) % 8 == 0, "entry.S loads it");

/* After a change of the entries: what entry.S brings into force by itself, see machine_parked. */
static void plan(struct vhart *vhart, bool locked, bool confined)
{
    struct machine *machine = machine_of(vhart);
    struct machine_parked *parked = &machine_parked[vhart_index(vhart)];
    const uint64_t(*blocks)[2] = machine->confinement.blocks;

    machine->locked = locked;
    machine->confined = confined;
    parked->user_config = blocks[RIGHTS_BELOW];
    parked->machine_rights = machine->locked ? RIGHTS_LOCKED : RIGHTS_OWN;
    parked->machine_config =
        machine->locked ? (const void *)blocks[RIGHTS_LOCKED] : vhart->description->pmp_config;
    /* Locked entries may take it from machine mode. */
    parked->mtimecmp_address =
        machine->locked ? UINT64_MAX : bundle->board.mtimecmp_base + 8ul * vhart->world.vhart_id;
}

void machine_begin_pmp(struct vhart *vhart)
{
    struct machine_parked *parked = &machine_parked[vhart_index(vhart)];
    struct confinement *confinement = &machine_of(vhart)->confinement;

    parked->rights = RIGHTS_OWN;
    *confinement = (struct confinement){.rights = rights_at, .purpose = &parked->rights};
    confine_begin(vhart, confinement);
    plan(vhart, false, false);
}

bool machine_write_pmp(struct vhart *vhart, uint32_t number, uint64_t value)
{
    struct machine *machine = machine_of(vhart);
    struct pmp_set none = {0};

    if (!pmp_set_write(machine->confinement.end != 0 ? &machine->csrs.pmp : &none, number, value)) {
        return false;
    }
    confine_forget(vhart, &machine->confinement);
    plan(vhart, pmp_set_is_locked(&machine->csrs.pmp), pmp_set_confines(&machine->csrs.pmp));
    return true;
}
