/* SPDX-License-Identifier: BSD-2-Clause */
#include "hostile/acts.h"
#include "hostile/forbidden.h"
#include "rt/check.h"
#include "rt/platform.h"
#include "rt/trap.h"

#define OPCODE_SYSTEM 0x73
#define LEVEL(csr) ((csr) >> 8 & 3)
#define LEVEL_HYPERVISOR 2
#define REGISTER_SP 2
#define REGISTER_TP 4

/* Those of S-mode by which it would lose its own handler, stack or translation. */
static const uint32_t precious[] = {0x100, 0x104, 0x105, 0x140, 0x180};

static bool is_precious(uint32_t csr)
{
    for (unsigned i = 0; i < sizeof(precious) / sizeof(precious[0]); i++) {
        if (csr == precious[i]) {
            return true;
        }
    }
    return false;
}

static void fill(struct random *random, uint64_t registers[32])
{
    for (unsigned i = 1; i < 32; i++) {
        registers[i] = choose_any(random);
    }
}

/* A misaligned access to its own memory, in any register. */
static enum outcome misaligned(struct random *random)
{
    static uint64_t words[4];
    uint64_t registers[32] = {0};
    struct trap_fault fault;
    uint32_t size = 1 + (uint32_t)random_below(random, 3);
    uint32_t data = (uint32_t)random_below(random, 31) + 1;
    uint32_t base = data % 31 + 1;
    bool store = random_below(random, 2) == 0;

    registers[base] = (uintptr_t)words + random_below(random, 16);
    /* sh, sw or sd data, 0(base), or a load */
    return trap_try_instruction(store ? 0x23 | size << 12 | base << 15 | data << 20
                                      : 0x03 | size << 12 | base << 15 | data << 7,
                                registers, &fault)
               ? OUTCOME_DONE
               : OUTCOME_FAULT;
}

/* csrrw, csrrs, csrrc and their forms with numbers, on a CSR of any level. */
static enum outcome access_csr(struct random *random)
{
    static const uint32_t functions[] = {1, 2, 3, 5, 6, 7};
    uint64_t registers[32] = {0};
    struct trap_fault fault;
    uint32_t csr = (uint32_t)random_below(random, 4096);
    uint32_t function = functions[random_below(random, 6)];
    uint32_t source = (uint32_t)random_below(random, 32);
    uint32_t target = (uint32_t)random_below(random, 32);
    bool done;

    if (random_below(random, 2) == 0) {
        csr = (csr & 0x7f) | (random_below(random, 2) == 0 ? 0x300 : 0x100);
    }
    if (is_precious(csr)) {
        function = 2;
        source = 0; /* reads only */
    }
    fill(random, registers);
    done = trap_try_instruction(
        csr << 20 | source << 15 | function << 12 | target << 7 | OPCODE_SYSTEM, registers, &fault);
    check(!done || LEVEL(csr) < LEVEL_HYPERVISOR, "escape: CSR 0x%x is accessible", csr);
    return done ? OUTCOME_DONE : OUTCOME_FAULT;
}

enum outcome act_instruction(struct random *random)
{
    uint64_t registers[32] = {0};
    struct trap_fault fault;
    uint32_t instruction;

    switch (random_below(random, 8)) {
    case 0:
        instruction = forbidden_instructions[random_below(random, FORBIDDEN_INSTRUCTIONS)];
        fill(random, registers);
        check(!trap_try_instruction(instruction, registers, &fault),
              "escape: instruction 0x%08x was let through", instruction);
        return OUTCOME_FAULT;
    case 1:
        return misaligned(random);
    case 2: /* sfence.vma of anything */
        fill(random, registers);
        return trap_try_instruction(0x12000073 | (uint32_t)random_below(random, 1024) << 15,
                                    registers, &fault)
                   ? OUTCOME_DONE
                   : OUTCOME_FAULT;
    default:
        return access_csr(random);
    }
}
