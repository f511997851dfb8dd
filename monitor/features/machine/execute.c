/* SPDX-License-Identifier: BSD-2-Clause */
/* The instructions of machine mode: accesses to CSRs (unprivileged ISA 9.1), MRET, WFI and others.
 */
#include "arch/guest_memory.h"
#include "arch/instruction.h"
#include "arch/owned_memory.h"
#include "arch/wait.h"
#include "features/machine/machine.h"

#define INSTRUCTION_SRET 0x10200073
#define SFENCE_VMA 0x12000073
#define SFENCE_VMA_MASK 0xfe007fff
#define OPCODE_MASK 0x7f
#define OPCODE_SYSTEM 0x73
#define CSR_READ_ONLY 0xc00

/* Bits 12 and 13 of an access to a CSR; bit 14 says that the source is a number itself. */
enum csr_operation { CSRRW = 1, CSRRS = 2, CSRRC = 3 };

/* Moves the pc on. False: it is no such access, or there is no such CSR. */
static bool access_csr(struct vhart *vhart, uint32_t instruction)
{
    uint64_t *registers = vhart->world.registers;
    uint32_t number = instruction >> 20;
    uint32_t operation = instruction >> 12 & 3;
    uint32_t source = instruction >> 15 & 31;
    uint32_t destination = instruction >> 7 & 31;
    bool immediate = (instruction >> 14 & 1) != 0;
    bool writes = operation == CSRRW || source != 0;
    uint64_t operand = immediate || source == 0 ? source : registers[source];
    uint64_t before = 0;
    uint64_t base;

    if ((instruction & OPCODE_MASK) != OPCODE_SYSTEM || operation == 0 ||
        (writes && (number & CSR_READ_ONLY) == CSR_READ_ONLY) ||
        !machine_access_csr(vhart, number, false, &before)) {
        return false;
    }
    base = before;
    if (number == CSR_MIP) { /* what of SEIP is software's: section 3.1.9 */
        base &= ~(uint64_t)INTERRUPT_SEI | machine_parked[vhart_index(vhart)].external;
    }
    if (operation != CSRRW) {
        operand = operation == CSRRS ? base | operand : base & ~operand;
    }
    if (writes && !machine_access_csr(vhart, number, true, &operand)) {
        return false;
    }
    if (destination != 0) {
        registers[destination] = before;
    }
    registers[REGISTER_PC] += 4;
    return true;
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
    machine_set_entry(vhart);
}

bool machine_execute(struct vhart *vhart, uint32_t instruction)
{
    bool inner = is_inner(vhart);

    if (instruction == INSTRUCTION_MRET || (!inner && instruction == INSTRUCTION_SRET)) {
        (inner ? inner_return_from_machine : return_from_trap)(vhart);
    } else if (instruction == INSTRUCTION_WFI) {
        vhart->world.registers[REGISTER_PC] += 4;
        (inner ? inner_wait : vhart_wait)(vhart);
    } else if (instruction == INSTRUCTION_SRET) {
        inner_return_from_supervisor(vhart);
    } else if (inner && (instruction & SFENCE_VMA_MASK) == SFENCE_VMA) {
        FENCE_TRANSLATION();
        vhart->world.registers[REGISTER_PC] += 4;
    } else {
        return access_csr(vhart, instruction);
    }
    return true;
}

/* What is replaced, and by which bits the twin is another instruction. */
static const struct {
    uint32_t mask;
    uint32_t instruction;
    uint32_t change;
} twins[] = {
    {UINT32_MAX, INSTRUCTION_MRET, INSTRUCTION_MRET ^ INSTRUCTION_SRET},
    /* Any access to mscratch, mepc or mtval: sscratch, sepc, stval. */
    {0xfff0007f, 0x34000073, 0x20000000},
    {0xfff0007f, 0x34100073, 0x20000000},
    {0xfff0007f, 0x34300073, 0x20000000},
    /* MIE alone, and what was before is not wanted: SIE of sstatus. */
    {UINT32_MAX, 0x30046073, 0x30046073 ^ 0x10016073}, /* csrsi mstatus, 8; csrsi sstatus, 2 */
    {UINT32_MAX, 0x30047073, 0x30047073 ^ 0x10017073}, /* csrci */
};

void machine_rewrite(struct vhart *vhart, uint64_t pc, uint32_t instruction)
{
    volatile uint16_t *place = (volatile uint16_t *)pc;
    uint32_t twin = instruction;

    for (size_t i = 0; i < sizeof(twins) / sizeof(twins[0]); i++) {
        if ((instruction & twins[i].mask) == twins[i].instruction) {
            twin ^= twins[i].change;
        }
    }
    /* Where other harts execute the code, they would have to fetch it anew. */
    if (twin == instruction || tenant_vhart_count(vhart->tenant) > 1 ||
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
