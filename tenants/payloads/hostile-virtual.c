/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * On a hart with the H extension, which it is not told of, it is in HS-mode and has guests of its
 * own in VS- and VU-mode. Proves that this is between the two of them: a guest that loses the hart
 * to another tenant goes on where it was, each exception of a guest comes to HS-mode as the hart
 * would bring it there, and the monitor does nothing in a guest's name.
 *
 * Arguments: rounds=N   (default 40): a guest runs for some milliseconds in each
 */
#include <stddef.h>

#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/random.h"

#define HSTATUS_GVA 0x40
#define HSTATUS_SPV 0x80
#define HSTATUS_SPVP 0x100
#define HSTATUS_VTW 0x200000
#define HGATP_SV39X4 (8ul << 60)

#define CAUSE_ECALL_FROM_U 8
#define CAUSE_ECALL_FROM_VS 10
#define CAUSE_FETCH_GUEST_PAGE 20
#define CAUSE_LOAD_GUEST_PAGE 21
#define CAUSE_VIRTUAL_INSTRUCTION 22
#define CAUSE_STORE_GUEST_PAGE 23

#define GIGABYTE_SHIFT 30
#define ENTRY_OF_GUEST 0xdf  /* V, R, W, X, U, A, D */
#define ENTRY_OF_KERNEL 0xcf /* the same without U */
#define ENTRY_OF_TABLE 0x01

/* Turns of the guest that computes: longer than the sleep of the other tenant. */
#define TURNS 2000000

/* Of struct visit, for the assembly below. */
#define VISIT_CAUSE 64
#define VISIT_OWN 96

const char payload_name[] = "hostile-virtual";

/* What a guest is given in a0 to a7, and what it ends with. */
struct visit {
    uint64_t a[8];
    uint64_t cause;
    uint64_t value;
    uint64_t status;  /* hstatus */
    uint64_t address; /* htval */
    uint64_t own[15]; /* ra, sp, gp, tp, s0 to s10 */
};

_Static_assert(offsetof(struct visit, cause) == VISIT_CAUSE, "");
_Static_assert(offsetof(struct visit, own) == VISIT_OWN, "");

/* As a guest, in VS-mode or, without sstatus.SPP, in VU-mode; to its first exception. */
void visit_guest(struct visit *visit, void (*guest)(void));

/* Guests. */
void guest_call(void);
void guest_compute(void);    /* a0 turns, a1 counts them; then it looks at a register of HS-mode */
void guest_hypervisor(void); /* the same at once */
void guest_machine(void);
void guest_wait(void);
void guest_load(void); /* from a1 to a0 */
void guest_store(void);
void guest_jump(void);

__asm__(".text\n.option push\n.option norvc\n.balign 4\n"
        ".macro own instruction\n"
        "\\instruction ra, 96(a0)\n\\instruction sp, 104(a0)\n\\instruction gp, 112(a0)\n"
        "\\instruction tp, 120(a0)\n\\instruction s0, 128(a0)\n\\instruction s1, 136(a0)\n"
        ".irp n, 2, 3, 4, 5, 6, 7, 8, 9, 10\n\\instruction s\\n, 128 + 8 * \\n(a0)\n.endr\n"
        ".endm\n"
        ".macro given instruction\n"
        ".irp n, 1, 2, 3, 4, 5, 6, 7\n\\instruction a\\n, 8 * \\n(a0)\n.endr\n"
        ".endm\n"
        ".globl visit_guest\nvisit_guest:\n"
        "own sd\n"
        "csrw sepc, a1\n"
        "csrr s0, stvec\nlla t0, 1f\ncsrw stvec, t0\ncsrw sscratch, a0\n"
        "li t0, 0x80\ncsrs hstatus, t0\n" /* SPV */
        "given ld\nld a0, 0(a0)\nsret\n"
        ".balign 4\n1:\n"
        "csrrw a0, sscratch, a0\ngiven sd\ncsrr t0, sscratch\nsd t0, 0(a0)\n"
        "csrr t0, scause\nsd t0, 64(a0)\ncsrr t0, stval\nsd t0, 72(a0)\n"
        "csrr t0, hstatus\nsd t0, 80(a0)\ncsrr t0, htval\nsd t0, 88(a0)\n"
        "li t0, 0x80\ncsrc hstatus, t0\ncsrw stvec, s0\n"
        "own ld\nret\n"
        ".globl guest_compute\nguest_compute:\n"
        "addi a1, a1, 1\nbltu a1, a0, guest_compute\n"
        ".globl guest_hypervisor\nguest_hypervisor: csrr a0, hgatp\necall\n"
        ".globl guest_call\nguest_call: ecall\n"
        ".globl guest_machine\nguest_machine: csrr a0, mhartid\necall\n"
        ".globl guest_wait\nguest_wait: wfi\necall\n"
        ".globl guest_load\nguest_load: ld a0, 0(a1)\necall\n"
        ".globl guest_store\nguest_store: sw a0, 0(a1)\necall\n"
        ".globl guest_jump\nguest_jump: jr a1\n"
        ".option pop\n");

/* A table of guest-physical addresses has four pages. */
static uint64_t table[2048] __attribute__((aligned(16384)));
static uint64_t own_table[512] __attribute__((aligned(4096)));
static struct visit visit;

/* Visits a guest in VS-mode, or VU-mode, which ends with `cause`. */
static void expect(const char *name, void (*guest)(void), bool supervisor, uint64_t cause)
{
    uint64_t mode = supervisor ? HSTATUS_SPVP : 0;

    csr_clear(sstatus, SSTATUS_SPP | SSTATUS_SPIE);
    csr_set(sstatus, supervisor ? SSTATUS_SPP : 0);
    visit_guest(&visit, guest);
    check(visit.cause == cause, "%s: scause %lu", name, visit.cause);
    check((visit.status & (HSTATUS_SPV | HSTATUS_SPVP)) == (HSTATUS_SPV | mode),
          "%s: hstatus 0x%lx", name, visit.status);
}

static void expect_at(const char *name, void (*guest)(void), uint64_t address, uint64_t cause)
{
    visit.a[1] = address;
    expect(name, guest, true, cause);
    check(visit.value == address, "%s: stval 0x%lx", name, visit.value);
    check((visit.status & HSTATUS_GVA) != 0, "%s: hstatus 0x%lx", name, visit.status);
}

/* Memory of others. QEMU says of it what would be said of a page that is not there. */
static void expect_foreign(const char *name, void (*guest)(void), uint64_t cause, uint64_t other)
{
    visit.a[1] = platform.memory_base + platform.memory_size;
    csr_set(sstatus, SSTATUS_SPP);
    visit_guest(&visit, guest);
    check(visit.cause == cause || visit.cause == other, "%s: scause %lu", name, visit.cause);
}

static void hfence_vvma(void)
{
    __asm__ volatile(".insn 0x22000073" : : : "memory");
}

static void hfence_gvma(void)
{
    __asm__ volatile(".insn 0x62000073" : : : "memory");
}

/* Guest-physical addresses are physical ones. */
static void test_exceptions(void)
{
    csr_write(hgatp, 0);
    hfence_gvma();
    expect("a call", guest_call, true, CAUSE_ECALL_FROM_VS);
    expect("a call from VU-mode", guest_call, false, CAUSE_ECALL_FROM_U);
    expect("a register of M-mode", guest_machine, true, CAUSE_ILLEGAL_INSTRUCTION);
    expect("a register of HS-mode", guest_hypervisor, true, CAUSE_VIRTUAL_INSTRUCTION);
    /* The hart is shared, so that WFI traps to the monitor. */
    expect("a wait", guest_wait, true, CAUSE_ECALL_FROM_VS);
    csr_set(hstatus, HSTATUS_VTW);
    expect("a refused wait", guest_wait, true, CAUSE_VIRTUAL_INSTRUCTION);
    csr_clear(hstatus, HSTATUS_VTW);
    expect_foreign("a foreign load", guest_load, CAUSE_LOAD_ACCESS, CAUSE_LOAD_GUEST_PAGE);
    expect_foreign("a foreign store", guest_store, CAUSE_STORE_ACCESS, CAUSE_STORE_GUEST_PAGE);
    expect_foreign("a foreign jump", guest_jump, CAUSE_FETCH_ACCESS, CAUSE_FETCH_GUEST_PAGE);
}

/*
 * Where the first gigabyte of its addresses should be translated, no access is allowed: the address
 * of each fault is that of a device which the monitor emulates for the tenant, not for its guest.
 */
static void test_devices(void)
{
    uint64_t own = platform.memory_base >> GIGABYTE_SHIFT;

    own_table[0] = (platform.memory_base + platform.memory_size) >> 2 | ENTRY_OF_TABLE;
    own_table[own] = own << (GIGABYTE_SHIFT - 2) | ENTRY_OF_KERNEL;
    csr_write(vsatp, SATP_MODE_SV39 | (uintptr_t)own_table >> 12);
    hfence_vvma();
    expect_at("a load of the UART", guest_load, platform.uart_base, CAUSE_LOAD_ACCESS);
    expect_at("a store to the UART", guest_store, platform.uart_base, CAUSE_STORE_ACCESS);
    expect_at("a store to the PLIC", guest_store, platform.plic_base + 4, CAUSE_STORE_ACCESS);
    expect_at("a jump to the PLIC", guest_jump, platform.plic_base, CAUSE_FETCH_ACCESS);
    csr_write(vsatp, 0);
    hfence_vvma();
}

/* Of guest-physical addresses, only the gigabyte of this program is there. */
static void test_guest_pages(void)
{
    uint64_t own = platform.memory_base >> GIGABYTE_SHIFT;

    csr_write(hgatp, HGATP_SV39X4 | (uintptr_t)table >> 12);
    hfence_gvma();
    expect("no page of its own", guest_call, true, CAUSE_FETCH_GUEST_PAGE);
    check(visit.address == (uintptr_t)guest_call >> 2, "htval 0x%lx", visit.address);
    table[own] = own << (GIGABYTE_SHIFT - 2) | ENTRY_OF_GUEST;
    hfence_gvma();
    expect("a call behind pages", guest_call, true, CAUSE_ECALL_FROM_VS);
    expect_at("a load without a page", guest_load, 4096, CAUSE_LOAD_GUEST_PAGE);
    expect_at("a store without a page", guest_store, 4096, CAUSE_STORE_GUEST_PAGE);
}

/* Others have the hart meanwhile. */
static void test_a_guest_goes_on(struct random *random)
{
    uint64_t secret = random_next(random);

    csr_write(vsscratch, secret);
    visit = (struct visit){.a = {TURNS, 0, secret, ~secret, 1, 2, 3, 4}};
    expect("computing", guest_compute, true, CAUSE_VIRTUAL_INSTRUCTION);
    check(visit.a[1] == TURNS && visit.a[2] == secret && visit.a[3] == ~secret && visit.a[7] == 4,
          "the guest has other registers: %lu turns", visit.a[1]);
    check(csr_read(vsscratch) == secret, "vsscratch is 0x%lx", csr_read(vsscratch));
}

void main(void)
{
    uint64_t rounds = platform_number("rounds", 40);
    struct random random = random_from(1);

    csr_clear(sstatus, SSTATUS_SIE);
    csr_write(sie, 0);
    for (uint64_t round = 0; round < rounds; round++) {
        table[platform.memory_base >> GIGABYTE_SHIFT] = 0;
        test_exceptions();
        test_devices();
        test_guest_pages();
        test_a_guest_goes_on(&random);
    }
    check_pass();
}
