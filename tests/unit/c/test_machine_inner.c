/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tenants in machine mode with S-mode below: which mode has the hart after each trap and return,
 * what of the hart's registers is whose, and what machine mode may take away from S-mode.
 */
#include "arch/csr.h"
#include "arch/timer.h"
#include "cmocka_tests.h"
#include "confine_stubs.h"
#include "features/machine/machine.h"

#define MRET 0x30200073
#define SRET 0x10200073
#define SATP_SV39 (8ul << 60)

static const struct bundle made;
const struct bundle *bundle = &made;
struct machine machines[COTENANT_MAX_VHARTS];
struct machine_parked machine_parked[COTENANT_MAX_VHARTS];
struct clint_vhart clint_vharts[COTENANT_MAX_VHARTS];
static struct bundle_tenant description;
static struct bundle_vhart vhart_description;
static struct tenant tenant = {.description = &description};
static uint64_t time_now;
static struct hart hart = {.mtime = &time_now};
static struct plic_vhart plic;
static struct vhart vhart = {
    .tenant = &tenant, .description = &vhart_description, .plic = &plic, .world.hart = &hart};
static unsigned reflections;

void trap_reflect(struct vhart *which, uint64_t cause, uint64_t value)
{
    (void)which;
    (void)cause;
    (void)value;
    reflections++;
}

void machine_set_vector(struct vhart *which)
{
    (void)which;
    fail();
}

void machine_set_entry(struct vhart *which)
{
    (void)which; /* it has one entry for ever */
}

static struct inner *fresh(void)
{
    description.flags = COTENANT_TENANT_S_MODE;
    machines[0] = (struct machine){.inner = {.in_machine = true, .status = MSTATUS_MPP}};
    machines[0].csrs.mtvec = 0x80001000;
    machine_parked[0] = (struct machine_parked){.mtimecmp = TIME_NEVER, .rights = RIGHTS_OWN};
    machines[0].confinement.purpose = &machine_parked[0].rights;
    clint_vharts[0] = (struct clint_vhart){0};
    plic.machine_line = false;
    memcpy(vhart_description.pmp_config, (const uint8_t[16]){0x1f, 0x0f, [8] = 0x19}, 16);
    vhart.world.mstatus = MSTATUS_SXL_UXL_64 | MSTATUS_TW;
    vhart.world.medeleg = 0;
    vhart.world.pmp_config[0] = 0x0f1f;
    vhart.world.pmp_config[1] = 0x19;
    vhart.world.registers[REGISTER_PC] = 0x80000000;
    hart.loaded = &vhart;
    reflections = 0;
    time_now = 0;
    csr_file_write("mie", INTERRUPTS_MACHINE);
    csr_file_write("mip", 0);
    csr_file_write("satp", 0);
    return &machines[0].inner;
}

static void mret_and_traps_go_where_mstatus_says(void **state)
{
    static const uint64_t modes[] = {0, MSTATUS_MPP_S, MSTATUS_MPP};
    (void)state;

    for (unsigned i = 0; i < 3 * 4; i++) {
        uint64_t mode = modes[i / 4];
        struct inner *inner = fresh();

        inner->status = mode | MSTATUS_MPRV | (i & 1 ? MSTATUS_MPIE : 0);
        inner->mepc = 0x80000400;
        inner->satp = SATP_SV39 | 5;
        inner->scounteren = 2;
        inner->mie = INTERRUPT_STI | INTERRUPT_MTI;
        assert_true(machine_execute(&vhart, MRET));
        assert_int_equal(vhart.world.registers[REGISTER_PC], 0x80000400);
        assert_int_equal(inner->in_machine, mode == MSTATUS_MPP);
        assert_int_equal(inner->status, MSTATUS_MPIE | (i & 1 ? MSTATUS_MIE : 0) |
                                            (mode == MSTATUS_MPP ? MSTATUS_MPRV : 0));
        assert_int_equal(vhart.world.mstatus & MSTATUS_MPP, mode == MSTATUS_MPP_S ? mode : 0);
        if (mode == MSTATUS_MPP) {
            assert_int_equal(csr_file_read("satp"), 0);
            continue;
        }
        assert_int_equal(csr_file_read("satp"), SATP_SV39 | 5);
        assert_int_equal(csr_file_read("mie"), INTERRUPTS_MACHINE | INTERRUPT_STI);

        csr_file_write("satp", SATP_SV39 | 6); /* S-mode has changed it, and its sie */
        csr_file_write("mie", INTERRUPTS_MACHINE | INTERRUPT_SSI);
        inner_enter_machine(&vhart, 9, 7);
        assert_true(inner->in_machine);
        assert_int_equal(inner->status & MSTATUS_MPP, mode);
        assert_int_equal(inner->status & MSTATUS_MIE, 0);
        assert_int_equal(inner->mepc, 0x80000400);
        assert_int_equal(inner->mcause, 9);
        assert_int_equal(inner->mtval, 7);
        assert_int_equal(inner->satp, SATP_SV39 | 6);
        assert_int_equal(inner->mie, INTERRUPT_SSI | INTERRUPT_MTI);
        assert_int_equal(csr_file_read("satp"), 0);
        assert_int_equal(vhart.world.mstatus & MSTATUS_MPP, 0);
        assert_int_equal(vhart.world.registers[REGISTER_PC], 0x80001000);
    }
}

static void exceptions_go_by_medeleg(void **state)
{
    (void)state;
    for (uint64_t cause = 0; cause < 16; cause++) {
        struct inner *inner = fresh();

        inner->in_machine = false;
        inner->medeleg = 1ul << cause;
        inner_take_exception(&vhart, cause, 0);
        assert_int_equal(reflections, 1);
        assert_false(inner->in_machine);
        inner_take_exception(&vhart, cause + 1, 0);
        assert_int_equal(reflections, 1);
        assert_true(inner->in_machine);
        vhart.world.registers[REGISTER_PC] = 0x80001100;
        inner_take_exception(&vhart, cause, 0); /* machine mode's own are never delegated */
        assert_int_equal(reflections, 1);
        assert_int_equal(inner->mcause, cause);
    }
    reflections = 0;
    vhart.world.registers[REGISTER_PC] = 0x80001000;
    inner_enter_machine(&vhart, CAUSE_FETCH_ACCESS, 0x80001000);
    assert_int_equal(reflections, 1); /* which finds the handler that it was for, and it crashes */
    assert_int_equal(csr_file_read("stvec"), 0x80001000);
}

/* The hart is never left with more than the tenant's mode may have. */
static void the_hart_is_what_the_mode_may_have(void **state)
{
    (void)state;
    for (uint32_t bits = 0; bits < 32; bits++) {
        struct inner *inner = fresh();

        inner->in_machine = (bits & 1) != 0;
        vhart_description.flags = bits & 2 ? COTENANT_VHART_WFI_YIELDS : 0;
        inner->status = bits & 4 ? MSTATUS_TVM | MSTATUS_TSR : 0;
        inner->medeleg = UINT64_MAX;
        inner->mideleg = INTERRUPTS_SUPERVISOR;
        inner->mie = INTERRUPT_MTI;
        machine_parked[0].mtimecmp = bits & 8 ? 5 : 50;
        time_now = 10;
        inner->status |= bits & 16 ? MSTATUS_MIE : 0;
        inner_settle(&vhart);
        if ((bits & 8) != 0 && (!(bits & 1) || (bits & 16) != 0)) {
            assert_int_equal(inner->mcause, INTERRUPT | 7);
        } else {
            assert_int_equal(inner->in_machine, bits & 1);
        }
        assert_int_equal(vhart.world.medeleg & ~(uint64_t)EXCEPTIONS_DELEGATED, 0);
        assert_int_equal(machine_parked[0].mideleg & ~(uint64_t)INTERRUPTS_SUPERVISOR, 0);
        if (inner->in_machine) {
            assert_int_equal(vhart.world.medeleg, 0);
            assert_int_equal(machine_parked[0].mideleg, 0);
            assert_int_equal(vhart.world.mstatus & MSTATUS_TW, MSTATUS_TW);
        } else {
            assert_int_equal((vhart.world.mstatus & MSTATUS_TW) != 0, (bits & 2) != 0);
            assert_int_equal((vhart.world.medeleg & EXCEPTION_ILLEGAL_INSTRUCTION) == 0,
                             (bits & 2) != 0);
            assert_int_equal(vhart.world.mstatus & MSTATUS_TVM, bits & 4 ? MSTATUS_TVM : 0);
        }
        assert_int_equal(csr_file_read("mie") & INTERRUPTS_MACHINE, INTERRUPTS_MACHINE);
    }
}

static void mprv_takes_rights_away_and_gives_back_no_more(void **state)
{
    struct inner *inner = fresh();
    (void)state;

    inner->status = MSTATUS_MPRV | MSTATUS_MPP_S;
    assert_true(inner_modifies_privilege(&vhart));
    inner_settle(&vhart);
    assert_int_equal(vhart.world.pmp_config[0], 0x0c1c);
    assert_int_equal(vhart.world.pmp_config[1], 0x18);
    assert_int_equal(csr_file_read("pmpcfg0"), 0x0c1c);
    inner_settle(&vhart);
    assert_int_equal(vhart.world.pmp_config[0], 0x0c1c);
    inner->status = MSTATUS_MPRV | MSTATUS_MPP; /* as by machine mode itself */
    inner_settle(&vhart);
    assert_int_equal(vhart.world.pmp_config[0], 0x0f1f);
    assert_int_equal(vhart.world.pmp_config[1], 0x19);
    assert_int_equal(csr_file_read("pmpcfg2"), 0x19);
}

/* Whichever hart has written it. */
static void msip_interrupts_machine_mode(void **state)
{
    struct inner *inner = fresh();
    uint64_t pending;
    (void)state;

    inner->in_machine = false;
    inner->mie = INTERRUPT_MSI;
    vhart.world.mstatus |= MSTATUS_MPP_S;
    inner_settle(&vhart);
    assert_int_equal(machine_parked[0].deadline, TIME_NEVER);
    clint_vharts[0].msip = 1;
    assert_true(machine_read_csr(&vhart, CSR_MIP, &pending));
    assert_int_equal(pending, INTERRUPT_MSI);
    inner_settle(&vhart);
    assert_true(inner->in_machine);
    assert_int_equal(inner->mcause, INTERRUPT | 3);
    assert_int_equal(inner->status & MSTATUS_MPP, MSTATUS_MPP_S);
    assert_int_equal(machine_parked[0].deadline, TIME_NEVER);
}

/* Its M-mode context has something: before msip, and whatever S-mode has in its own. */
static void the_interrupt_controller_interrupts_machine_mode(void **state)
{
    struct inner *inner = fresh();
    uint64_t pending;
    (void)state;

    inner->in_machine = false;
    inner->mie = INTERRUPT_MSI | INTERRUPT_MEI;
    inner->mideleg = INTERRUPTS_SUPERVISOR;
    csr_file_write("mip", INTERRUPT_SEI);
    csr_file_write("mie", INTERRUPTS_MACHINE | INTERRUPT_SEI);
    inner_settle(&vhart);
    assert_false(inner->in_machine);
    clint_vharts[0].msip = 1;
    plic.machine_line = true;
    assert_true(machine_read_csr(&vhart, CSR_MIP, &pending));
    assert_int_equal(pending, INTERRUPT_MSI | INTERRUPT_MEI | INTERRUPT_SEI);
    assert_true(machine_read_csr(&vhart, CSR_SIP, &pending));
    assert_int_equal(pending, INTERRUPT_SEI);
    inner_settle(&vhart);
    assert_true(inner->in_machine);
    assert_int_equal(inner->mcause, INTERRUPT | 11);
    inner->status |= MSTATUS_MIE;
    plic.machine_line = false;
    inner_settle(&vhart);
    assert_int_equal(inner->mcause, INTERRUPT | 3);
}

static void csrs_hold_what_is_legal(void **state)
{
    static const struct {
        uint32_t number;
        uint64_t ones;
    } legal[] = {
        {CSR_MEDELEG, 0xb3ff}, {CSR_MIDELEG, 0x222},       {CSR_MIE, 0xaaa},
        {CSR_SCOUNTEREN, 7},   {CSR_MEPC, UINT64_MAX - 1}, {CSR_MSCRATCH, UINT64_MAX},
    };
    (void)state;

    for (unsigned i = 0; i < sizeof(legal) / sizeof(legal[0]); i++) {
        uint64_t value = 1;

        fresh();
        assert_true(machine_write_csr(&vhart, legal[i].number, UINT64_MAX));
        assert_true(machine_read_csr(&vhart, legal[i].number, &value));
        assert_int_equal(value, legal[i].ones);
    }
    /* Nothing of mstatus is the hart's but what S-mode could change itself. */
    fresh();
    assert_true(machine_write_csr(&vhart, CSR_MSTATUS, UINT64_MAX));
    assert_int_equal(vhart.world.mstatus, MSTATUS_SXL_UXL_64 | MSTATUS_TW | MSTATUS_SIE |
                                              MSTATUS_SPIE | MSTATUS_SPP | MSTATUS_SUM |
                                              MSTATUS_MXR);
    /* None of the monitor's own, of debugging, or of the hypervisor's. */
    for (uint32_t number = 0; number < 4096; number++) {
        uint64_t value;

        if (number == 0x15d || (number >= 0x600 && number < 0x700) ||
            (number >= 0x7a0 && number < 0x800) || (number >= 0x200 && number < 0x300)) {
            assert_false(machine_read_csr(&vhart, number, &value));
            assert_false(machine_write_csr(&vhart, number, 0));
        }
    }
}

/* stimecmp is S-mode's while STCE says so, which takes Sstc: sections 3.1.18 and 4.1.10. */
static void stimecmp_is_there_with_sstc(void **state)
{
    uint64_t value;
    (void)state;

    fresh();
    hart.features = 0;
    assert_false(machine_read_csr(&vhart, CSR_STIMECMP, &value));
    assert_true(machine_write_csr(&vhart, CSR_MENVCFG, UINT64_MAX));
    assert_true(machine_read_csr(&vhart, CSR_MENVCFG, &value));
    assert_int_equal(value, 1);
    hart.features = HART_SSTC;
    csr_file_write("0x14d", 5);
    assert_true(machine_write_csr(&vhart, CSR_STIMECMP, 7)); /* without STCE it makes STIP */
    assert_true(machine_read_csr(&vhart, CSR_STIMECMP, &value));
    assert_int_equal(value, 7);
    assert_int_equal(csr_file_read("0x14d"), 5);
    assert_true(machine_write_csr(&vhart, CSR_MENVCFG, UINT64_MAX));
    assert_true(machine_read_csr(&vhart, CSR_MENVCFG, &value));
    assert_int_equal(value, MENVCFG_STCE | 1);
    assert_int_equal(csr_file_read("0x14d"), 7);
    assert_true(machine_write_csr(&vhart, CSR_STIMECMP, 8));
    assert_true(machine_write_csr(&vhart, CSR_MIP, INTERRUPT_STI)); /* which is read only now */
    assert_int_equal(csr_file_read("0x14d"), 8);
    assert_true(machine_write_csr(&vhart, CSR_MENVCFG, 0));
    assert_int_equal(csr_file_read("0x14d"), TIME_NEVER);
    assert_true(machine_read_csr(&vhart, CSR_STIMECMP, &value));
    assert_int_equal(value, 8);
    assert_true(machine_write_csr(&vhart, CSR_MIP, INTERRUPT_STI));
    assert_int_equal(csr_file_read("0x14d"), 0);
    hart.features = 0;
}

/* SEIP is the line of the interrupt controller or the bit of machine mode: section 3.1.9. */
static void seip_is_of_both(void **state)
{
    static const struct {
        uint32_t instruction;
        bool sets; /* what is software's, if it was so before; if not */
        bool sets_anew;
    } accesses[] = {
        {0x34459573, true, true},   /* csrrw a0, mip, a1 */
        {0x3445a573, true, true},   /* csrrs a0, mip, a1 */
        {0x3445b573, false, false}, /* csrrc a0, mip, a1 */
        {0x34402573, true, false},  /* csrr a0, mip */
        {0x34416573, true, false},  /* csrrsi a0, mip, 2 */
        {0x34417573, true, false},  /* csrrci a0, mip, 2 */
        {0x34405573, false, false}, /* csrrwi a0, mip, 0 */
    };
    (void)state;

    for (unsigned i = 0; i < 4 * sizeof(accesses) / sizeof(accesses[0]); i++) {
        bool line = (i & 1) != 0;
        bool before = (i & 2) != 0;
        bool after = before ? accesses[i / 4].sets : accesses[i / 4].sets_anew;
        uint64_t value;

        fresh();
        hart.features = 0;
        if (line) {
            vhart_raise_interrupt(&vhart, INTERRUPT_SEI);
        }
        assert_true(machine_write_csr(&vhart, CSR_MIP, before ? INTERRUPT_SEI : 0));
        inner_settle(&vhart);
        vhart.world.registers[11] = INTERRUPT_SEI;
        assert_true(machine_execute(&vhart, accesses[i / 4].instruction));
        inner_settle(&vhart);
        assert_int_equal(vhart.world.registers[10] & INTERRUPT_SEI,
                         line || before ? INTERRUPT_SEI : 0);
        assert_int_equal(machine_parked[0].external, after ? INTERRUPT_SEI : 0);
        assert_true(machine_read_csr(&vhart, CSR_MIP, &value));
        assert_int_equal(value & INTERRUPT_SEI, line || after ? INTERRUPT_SEI : 0);
        assert_int_equal(csr_file_read("mip") & INTERRUPT_SEI, value & INTERRUPT_SEI);
        /* The line alone is the world's, which a world switch brings back. */
        assert_int_equal(vhart.world.pending & INTERRUPT_SEI, line ? INTERRUPT_SEI : 0);
        /* It falls, and what is software's stays. */
        vhart_clear_interrupt(&vhart, INTERRUPT_SEI);
        inner_settle(&vhart);
        assert_int_equal(csr_file_read("mip") & INTERRUPT_SEI, after ? INTERRUPT_SEI : 0);
    }
}

static void senvcfg_is_the_harts(void **state)
{
    uint64_t value;
    (void)state;

    fresh();
    hart.features = 0;
    assert_false(machine_read_csr(&vhart, CSR_SENVCFG, &value));
    assert_false(machine_write_csr(&vhart, CSR_SENVCFG, 1));
    hart.features = HART_ENVCFG;
    assert_true(machine_write_csr(&vhart, CSR_SENVCFG, 1));
    assert_int_equal(csr_file_read("0x10a"), 1);
    hart.features = 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(mret_and_traps_go_where_mstatus_says),
        cmocka_unit_test(exceptions_go_by_medeleg),
        cmocka_unit_test(the_hart_is_what_the_mode_may_have),
        cmocka_unit_test(mprv_takes_rights_away_and_gives_back_no_more),
        cmocka_unit_test(msip_interrupts_machine_mode),
        cmocka_unit_test(the_interrupt_controller_interrupts_machine_mode),
        cmocka_unit_test(csrs_hold_what_is_legal),
        cmocka_unit_test(stimecmp_is_there_with_sstc),
        cmocka_unit_test(seip_is_of_both),
        cmocka_unit_test(senvcfg_is_the_harts),
    };

    csr_file_write("tp", (uint64_t)(uintptr_t)&hart);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
