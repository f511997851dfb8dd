/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CSRs of tenants in machine mode: whatever is written, they hold what the privileged ISA
 * allows, and the hart's own registers change where they are the tenant's, and nowhere else.
 */
#include "features/machine/machine.h"

#include "arch/csr.h"
#include "cmocka_tests.h"
#include "confine_stubs.h"
#include "random.h"

#define STATUS_WRITABLE 0x227888ul
#define STATUS_UXL 0x200000000ul
#define STATUS_SD (1ul << 63)
#define OTHERS ~(uint64_t)(MSTATUS_SIE | MSTATUS_SPIE | MSTATUS_SPP | MSTATUS_FS)

#define MRET 0x30200073
#define SRET 0x10200073
#define WFI 0x10500073

static const struct bundle made;
const struct bundle *bundle = &made;
struct machine machines[COTENANT_MAX_VHARTS];
struct machine_parked machine_parked[COTENANT_MAX_VHARTS];
struct clint_vhart clint_vharts[COTENANT_MAX_VHARTS];
static struct bundle_tenant description;
static struct tenant tenant = {.description = &description};
static struct hart hart;
static const struct bundle_vhart vhart_description;
static struct vhart vhart = {
    .tenant = &tenant, .description = &vhart_description, .world.hart = &hart};
static unsigned vector_calls;

void machine_set_vector(struct vhart *which)
{
    (void)which;
    vector_calls++;
}

void machine_set_entry(struct vhart *which)
{
    (void)which;
}

/* Of those with S-mode: test_machine_inner.c. */
void inner_return_from_machine(struct vhart *which)
{
    (void)which;
    fail();
}

void inner_return_from_supervisor(struct vhart *which)
{
    (void)which;
    fail();
}

void inner_wait(struct vhart *which)
{
    (void)which;
    fail();
}

static struct machine_csrs *fresh(void)
{
    machines[0] = (struct machine){.confinement.end = 16};
    machines[0].confinement.purpose = &machine_parked[0].rights;
    machine_parked[0].rights = RIGHTS_OWN;
    description = (struct bundle_tenant){0};
    vhart.world.mstatus = MSTATUS_MPP_S | MSTATUS_SXL_UXL_64;
    hart.loaded = &vhart;
    return &machines[0].csrs;
}

/* The bits of mstatus that a tenant can write, spread from the low bits of a number. */
static uint64_t spread(uint32_t number)
{
    uint64_t status = 0;

    for (unsigned bit = 0; bit < 64; bit++) {
        if ((STATUS_WRITABLE >> bit & 1) != 0) {
            status |= (uint64_t)(number & 1) << bit;
            number >>= 1;
        }
    }
    return status;
}

static void check_status(uint64_t hart_status, uint64_t value, bool fp)
{
    struct machine_csrs csrs = {.status = 0};
    uint64_t before = machine_status(&csrs, hart_status);
    uint64_t status = machine_write_status(&csrs, hart_status, value, fp);
    uint64_t after = machine_status(&csrs, status);
    uint64_t mpp = value & MSTATUS_MPP;

    assert_int_equal(status & OTHERS, hart_status & OTHERS);
    assert_int_equal(after & ~(STATUS_WRITABLE | STATUS_UXL | STATUS_SD), 0);
    assert_int_equal(after & STATUS_UXL, STATUS_UXL);
    assert_int_equal(after & 0x88, value & 0x88);
    assert_int_equal(after & (MSTATUS_MPRV | MSTATUS_TW), value & (MSTATUS_MPRV | MSTATUS_TW));
    assert_int_equal(after & MSTATUS_FS, (fp ? value : before) & MSTATUS_FS);
    assert_int_equal(after & MSTATUS_MPP,
                     mpp == 0 || mpp == MSTATUS_MPP ? mpp : before & MSTATUS_MPP);
    assert_true((after & MSTATUS_MPP) == 0 || (after & MSTATUS_MPP) == MSTATUS_MPP);
    /* What is read can be written back. */
    assert_int_equal(machine_write_status(&csrs, status, after, fp), status);
    assert_int_equal(machine_status(&csrs, status), after);
}

static void mstatus_holds_what_is_legal(void **state)
{
    uint64_t random = 1;
    (void)state;

    for (uint32_t old = 0; old < 32; old++) {
        uint64_t hart_status = MSTATUS_MPP_S | MSTATUS_SXL_UXL_64 | MSTATUS_TW |
                               (old & 1 ? MSTATUS_SIE : 0) | (old & 2 ? MSTATUS_SPIE : 0) |
                               (old & 4 ? MSTATUS_SPP : 0) | (uint64_t)(old >> 3) << 13;

        for (uint32_t number = 0; number < 1u << 8; number++) {
            uint64_t value = spread(number);

            check_status(hart_status, value, false);
            check_status(hart_status, value, true);
            random = random * 6364136223846793005u + 1442695040888963407u;
            check_status(hart_status, value | (random & ~STATUS_WRITABLE), true);
        }
    }
}

static void causes_and_interrupts_are_exchanged(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < 4096; number++) {
        assert_int_equal(machine_cause(machine_cause(number)), number);
        assert_int_equal(machine_cause(machine_cause(number | INTERRUPT)), number | INTERRUPT);
        assert_int_equal(machine_cause(number | INTERRUPT) & INTERRUPT, INTERRUPT);
        if (number != 9 && number != 11) {
            assert_int_equal(machine_cause(number), number);
        }
    }
    assert_int_equal(machine_cause(9), 11);
    assert_int_equal(machine_cause(INTERRUPT | 1), INTERRUPT | 3);
    assert_int_equal(machine_cause(INTERRUPT | 5), INTERRUPT | 7);
    assert_int_equal(machine_cause(INTERRUPT | 9), INTERRUPT | 11);
    for (uint64_t bits = 0; bits < 4096; bits++) {
        assert_int_equal(machine_interrupts(machine_interrupts_of_hart(bits)), bits & 0x888);
        assert_int_equal(machine_interrupts_of_hart(machine_interrupts(bits)), bits & 0x222);
    }
}

static void mtvec_is_direct_or_vectored(void **state)
{
    struct machine_csrs csrs = {.mtvec = 0x80001000};
    (void)state;

    for (uint64_t low = 0; low < 64; low++) {
        uint64_t before = csrs.mtvec;

        machine_write_mtvec(&csrs, 0x80002000 + low);
        assert_int_equal(csrs.mtvec, (low & 3) < 2 ? 0x80002000 + low : before);
        assert_int_equal(machine_vector(&csrs), csrs.mtvec & ~3ul);
        assert_int_equal(machine_is_vectored(&csrs), csrs.mtvec & 1);
        if (machine_is_vectored(&csrs)) {
            /* Supervisor interrupt n is taken where machine interrupt n + 2 would be. */
            assert_int_equal((machine_stvec(&csrs) & ~3ul) + 4 * 5, machine_vector(&csrs) + 4 * 7);
            assert_int_equal(machine_stvec(&csrs) & 3, 1);
        } else {
            assert_int_equal(machine_stvec(&csrs), csrs.mtvec);
        }
    }
}

static bool exists(uint32_t number)
{
    return (number >= 0x300 && number <= 0x306) || number == 0x30a || number == 0x320 ||
           (number >= 0x323 && number <= 0x344) || number == 0x3a0 || number == 0x3a2 ||
           (number >= 0x3b0 && number <= 0x3bf) || number == 0xb00 ||
           (number >= 0xb02 && number <= 0xb1f) || (number >= 0xf11 && number <= 0xf15);
}

static void every_number_is_a_csr_or_refused(void **state)
{
    (void)state;
    for (uint32_t number = 0; number < 4096; number++) {
        uint64_t value = 0;
        bool found;

        if ((number >> 8 & 3) != 3) {
            continue; /* not of machine mode: decode() leaves it alone */
        }
        fresh();
        vhart.world.registers[REGISTER_PC] = 0;
        found = machine_execute(&vhart, number << 20 | 0x2573); /* csrr a0, number */
        assert_int_equal(found, exists(number));
        assert_int_equal(vhart.world.registers[REGISTER_PC], found ? 4 : 0);
        vhart.world.registers[REGISTER_A0] = 0;
        found = machine_execute(&vhart, number << 20 | 0x51073); /* csrw number, a0 */
        assert_int_equal(found, exists(number) && number < 0xc00);
        (void)value;
    }
}

/* A write of all ones, and of all zeros, leaves what may be there. */
static void csrs_hold_what_is_legal(void **state)
{
    static const struct {
        uint32_t number;
        uint64_t ones;
    } legal[] = {
        {CSR_MISA, 0x8000000000101105},
        {CSR_MEDELEG, 0},
        {CSR_MIDELEG, 0},
        {CSR_MIE, 0x888},
        {CSR_MCOUNTEREN, 7},
        {CSR_MENVCFG, 1},
        {CSR_MCOUNTINHIBIT, 0},
        {CSR_MSCRATCH, UINT64_MAX},
        {CSR_MTVAL, UINT64_MAX},
        {CSR_PMPCFG0, 0x9f9f9f9f9f9f9f9f},
        {CSR_PMPADDR0, (1ul << 54) - 1},
        {CSR_MHPMCOUNTER3, 0},
        {CSR_MHPMEVENT31, 0},
    };
    (void)state;

    for (unsigned i = 0; i < sizeof(legal) / sizeof(legal[0]); i++) {
        uint64_t value = 1;

        fresh();
        csr_file_write("sstatus", 0);
        assert_true(machine_write_csr(&vhart, legal[i].number, UINT64_MAX));
        assert_true(machine_read_csr(&vhart, legal[i].number, &value));
        assert_int_equal(value, legal[i].ones);
        assert_true(machine_write_csr(&vhart, legal[i].number, 0));
        if (legal[i].number == CSR_MISA || (legal[i].ones & 0x80) != 0) {
            continue; /* fixed, or locked */
        }
        assert_true(machine_read_csr(&vhart, legal[i].number, &value));
        assert_int_equal(value, 0);
    }
    assert_int_equal(csr_file_read("mie") & 0x888, 0x888); /* the monitor's own stay enabled */
}

static void mret_goes_where_mstatus_says(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 16; bits++) {
        struct machine_csrs *csrs = fresh();
        bool to_machine = (bits & 4) != 0;

        csrs->status = bits & 8 ? MSTATUS_MPRV : 0;
        vhart.world.mstatus |= (bits & 1 ? MSTATUS_SIE : 0) | (bits & 2 ? MSTATUS_SPIE : 0) |
                               (to_machine ? MSTATUS_SPP : 0);
        csr_file_write("sepc", 0x80001234);
        assert_true(machine_execute(&vhart, MRET));
        assert_int_equal(vhart.world.registers[REGISTER_PC], 0x80001234);
        assert_int_equal(vhart.world.mstatus & MSTATUS_MPP, to_machine ? MSTATUS_MPP_S : 0);
        assert_int_equal(vhart.world.mstatus & MSTATUS_SIE, bits & 2 ? MSTATUS_SIE : 0);
        assert_int_equal(vhart.world.mstatus & (MSTATUS_SPIE | MSTATUS_SPP), MSTATUS_SPIE);
        assert_int_equal(csrs->status, to_machine && (bits & 8) ? MSTATUS_MPRV : 0);
    }
}

static uint32_t rewritten(uint32_t instruction)
{
    static _Alignas(4096) uint16_t code[2048];
    uint64_t pc = (uint64_t)(uintptr_t)&code[1];

    description.memory[0] = (struct bundle_range){(uint64_t)(uintptr_t)code, sizeof(code)};
    code[1] = (uint16_t)instruction;
    code[2] = (uint16_t)(instruction >> 16);
    machine_rewrite(&vhart, pc, instruction);
    return (uint32_t)code[2] << 16 | code[1];
}

static void instructions_become_their_twins(void **state)
{
    static const uint32_t twins[][2] = {
        {MRET, SRET},
        {0x34101073, 0x14101073}, /* csrw mepc, zero; csrw sepc, zero */
        {0x341025f3, 0x141025f3}, /* csrr a1, mepc */
        {0x340110f3, 0x140110f3}, /* csrrw ra, mscratch, sp */
        {0x343025f3, 0x143025f3}, /* csrr a1, mtval */
        {0x30047073, 0x10017073}, /* csrci mstatus, 8; csrci sstatus, 2 */
        {0x30046073, 0x10016073}, /* csrsi mstatus, 8; csrsi sstatus, 2 */
    };
    static const uint32_t kept[] = {
        WFI,        0x300025f3, /* csrr a1, mstatus */
        0x300475f3,             /* csrrci a1, mstatus, 8: what was before is wanted */
        0x30045073,             /* csrwi mstatus, 8: all of it */
        0x30087073,             /* csrci mstatus, 16 */
        0x342025f3,             /* csrr a1, mcause */
        0x30529073,             /* csrw mtvec, t0 */
        0x30402573,             /* csrr a0, mie */
    };
    (void)state;

    fresh();
    csr_file_write("satp", 0);
    for (unsigned i = 0; i < sizeof(twins) / sizeof(twins[0]); i++) {
        assert_int_equal(rewritten(twins[i][0]), twins[i][1]);
        assert_int_equal(rewritten(twins[i][1]), twins[i][1]);
    }
    for (unsigned i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        assert_int_equal(rewritten(kept[i]), kept[i]);
    }
    description.flags = COTENANT_TENANT_KEEP_CODE;
    assert_int_equal(rewritten(MRET), MRET);
    description.flags = 0;
    tenant.vhart_count = 2;
    assert_int_equal(rewritten(MRET), MRET);
    tenant.vhart_count = 1;
    csr_file_write("satp", 8ul << 60);
    assert_int_equal(rewritten(MRET), MRET);
}

/* Only the tenant's own memory, and only what is there. */
static void nothing_else_is_rewritten(void **state)
{
    static _Alignas(4096) uint16_t code[2048];
    uint64_t pc = (uint64_t)(uintptr_t)&code[2046];
    (void)state;

    fresh();
    csr_file_write("satp", 0);
    description.memory[0] = (struct bundle_range){(uint64_t)(uintptr_t)code, sizeof(code) - 2};
    code[2046] = (uint16_t)MRET;
    code[2047] = (uint16_t)(MRET >> 16);
    machine_rewrite(&vhart, pc, MRET);
    assert_int_equal(code[2047], MRET >> 16);
    description.memory[0].size = sizeof(code);
    code[2046]++;
    machine_rewrite(&vhart, pc, MRET);
    assert_int_equal(code[2047], MRET >> 16);
    code[2046]--;
    machine_rewrite(&vhart, pc, MRET);
    assert_int_equal(code[2047], SRET >> 16);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(mstatus_holds_what_is_legal),
        cmocka_unit_test(causes_and_interrupts_are_exchanged),
        cmocka_unit_test(mtvec_is_direct_or_vectored),
        cmocka_unit_test(every_number_is_a_csr_or_refused),
        cmocka_unit_test(csrs_hold_what_is_legal),
        cmocka_unit_test(mret_goes_where_mstatus_says),
        cmocka_unit_test(instructions_become_their_twins),
        cmocka_unit_test(nothing_else_is_rewritten),
    };

    csr_file_write("tp", (uint64_t)(uintptr_t)&hart);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
