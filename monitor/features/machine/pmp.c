/* SPDX-License-Identifier: BSD-2-Clause */
/* The tenant's own PMP entries (privileged ISA 3.7.1) in force for the modes that they are for. */
#include "features/machine/machine.h"

#define RIGHTS_TO_DATA 0x0303030303030303 /* PMP_READ and PMP_WRITE of 8 entries */

static uint8_t rights_at(const struct vhart *vhart, uint64_t at, uint64_t *size)
{
    const struct machine *machine = machine_of(vhart);
    const struct pmp_set *set = &machine->csrs.pmp;
    bool locked = machine->rights == RIGHTS_LOCKED;
    uint8_t config = pmp_decide(set->addresses, set->configs, at, size, locked ? PMP_RIGHTS : 0);

    if (locked && (config & PMP_LOCKED) == 0) {
        return PMP_RIGHTS;
    }
    return machine->rights == RIGHTS_MODIFIED ? config | PMP_EXECUTE : config;
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
    enum machine_rights rights = wanted(vhart);
    uint64_t mask = rights == RIGHTS_WITHDRAWN ? ~(uint64_t)RIGHTS_TO_DATA : UINT64_MAX;
    uint64_t config[2];

    if (rights == machine->rights) {
        return false;
    }
    machine->rights = rights;
    if (rights < RIGHTS_BELOW) {
        memcpy(config, vhart->description->pmp_config, sizeof(config));
        config[0] &= mask;
        config[1] &= mask;
        confine_lift(vhart, &machine->confinement, config);
        return true;
    }
    confine_apply(vhart, &machine->confinement, rights);
    return true;
}

void machine_begin_pmp(struct vhart *vhart)
{
    struct machine *machine = machine_of(vhart);

    machine->confinement.rights = rights_at;
    confine_begin(vhart, &machine->confinement);
    machine->rights = RIGHTS_OWN;
    machine->confined = false;
    machine->locked = false;
}

bool machine_write_pmp(struct vhart *vhart, uint32_t number, uint64_t value)
{
    struct machine *machine = machine_of(vhart);
    struct pmp_set none = {0};

    if (!pmp_set_write(machine->confinement.end != 0 ? &machine->csrs.pmp : &none, number, value)) {
        return false;
    }
    machine->locked = pmp_set_is_locked(&machine->csrs.pmp);
    machine->confined = pmp_set_confines(&machine->csrs.pmp);
    confine_forget(vhart, &machine->confinement);
    return true;
}
