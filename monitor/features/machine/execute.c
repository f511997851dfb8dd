/* SPDX-License-Identifier: BSD-2-Clause */
/* The instructions of machine mode: accesses to CSRs (unprivileged ISA 9.1), MRET and WFI. */
#include "arch/guest_memory.h"
#include "arch/instruction.h"
#include "arch/owned_memory.h"
#include "arch/wait.h"
#include "features/machine/csr_access.h"
#include "features/machine/machine.h"

#define INSTRUCTION_SRET 0x10200073
/* The mode that a CSR's number says, in an instruction. */
#define OF_MACHINE 0x30000000

static bool decode(uint32_t instruction, struct csr_instruction *decoded)
{
    return csr_decode(instruction, decoded) && (instruction & OF_MACHINE) == OF_MACHINE;
}

/* Section 3.3.2; to U-mode or to machine mode again. */
static void return_from_trap(struct vhart *vhart)
{
    struct world *world = &vhart->world;
    struct machine_csrs *csrs = &machine_of(vhart)->csrs;
    uint64_t status = world->mstatus & ~(uint64_t)(MSTATUS_SIE | MSTATUS_SPP | MSTATUS_MPP);

    if ((world->mstatus & MSTATUS_SPIE) != 0) {
        status |= MSTATUS_SIE;
    }
    if ((world->mstatus & MSTATUS_SPP) != 0) {
        status |= MSTATUS_MPP_S;
    } else {
        csrs->status &= ~(uint64_t)MSTATUS_MPRV;
    }
    world->mstatus = status | MSTATUS_SPIE;
    world->registers[REGISTER_PC] = CSR_READ(sepc);
}

bool machine_execute(struct vhart *vhart, uint32_t instruction)
{
    struct csr_instruction access;

    if (instruction == INSTRUCTION_MRET) {
        return_from_trap(vhart);
        return true;
    }
    if (instruction == INSTRUCTION_WFI) {
        vhart->world.registers[REGISTER_PC] += 4;
        vhart_wait(vhart);
        return true;
    }
    return decode(instruction, &access) &&
           csr_access(vhart, &access, machine_read_csr, machine_write_csr);
}

/* The twin of an access to a CSR: the number of one that the hart has for it, and an immediate. */
static uint32_t twin_of_access(uint32_t instruction)
{
    struct csr_instruction access;

    if (!decode(instruction, &access)) {
        return 0;
    }
    switch (access.number) {
    case CSR_MSCRATCH:
    case CSR_MEPC:
    case CSR_MTVAL:
        return instruction & ~(uint32_t)(0x200u << 20);
    case CSR_MSTATUS:
        /* MIE alone, and what was before is not wanted: SIE of sstatus. */
        if (access.immediate && access.destination == 0 && access.source == MSTATUS_MIE &&
            access.operation != CSRRW) {
            return (instruction & ~(uint32_t)(0x200u << 20 | 31u << 15)) | MSTATUS_SIE << 15;
        }
        return 0;
    default:
        return 0;
    }
}

void machine_rewrite(struct vhart *vhart, uint64_t pc, uint32_t instruction)
{
    uint32_t twin =
        instruction == INSTRUCTION_MRET ? INSTRUCTION_SRET : twin_of_access(instruction);
    volatile uint16_t *place = (volatile uint16_t *)pc;

    /* Where other harts execute the code, they would have to fetch it anew. */
    if (twin == 0 || tenant_vhart_count(vhart->tenant) > 1 ||
        (vhart->tenant->description->flags & COTENANT_TENANT_KEEP_CODE) != 0 ||
        CSR_READ(satp) >> SATP_MODE_SHIFT != 0 || (pc & 1) != 0 ||
        !tenant_owns_memory(vhart->tenant, pc, sizeof(twin)) ||
        ((uint32_t)place[1] << 16 | place[0]) != instruction) {
        return;
    }
    place[0] = (uint16_t)twin;
    place[1] = (uint16_t)(twin >> 16);
    FENCE_I();
}
