// SPDX-License-Identifier: BSD-2-Clause
/*
 * Lets two worlds change places, by switch.S, and looks whether they did: each plants values of its
 * own in S-mode before the first switch and does not touch them again. Behind the last switch B's
 * must be in the hart, and after one more A's. What only machine mode can write is set for each
 * world here. In memory a world's place holds other values at first, so that what is not saved is
 * missed.
 */
#include <stddef.h>

#include "board.h"
#include "print.h"
#include "world.h"

#define PTE_KERNEL 0xcful /* V R W X A D */
#define PTE_PAGE_SHIFT 10
#define PAGE_SHIFT 12
#define GIGABYTE_SHIFT 30
#define GIGABYTES 4
#define SATP_SV39 (8ul << SATP_MODE_SHIFT)
#define MTVEC_VECTORED 1
/* Entries of the PMP: the first opens everything, the second is there to be told apart. */
#define PMP_OPEN (PMP_MODE_NAPOT | PMP_RIGHTS)
#define PMP_SECOND(rights) ((uint64_t)(PMP_MODE_NAPOT | (rights)) << 8)
/* What worlds say of themselves in mstatus, and what they cannot. */
#define MSTATUS_PLANTED (MSTATUS_SUM | MSTATUS_MXR)
#define MSTATUS_WORLD (MSTATUS_MPP_S | MSTATUS_TW | MSTATUS_SXL_UXL_64)
#define DELEGATED_A (EXCEPTIONS_DELEGATED & ~EXCEPTION_ILLEGAL_INSTRUCTION)
#define DELEGATED_B (DELEGATED_A & ~0x8000)

/* Made by `floor_switch` in switch.S. */
struct floor {
    const char *out;   /* and what mtvec is set to, which is vectored */
    const char *a;     /* where A begins, */
    const char *stays; /* and where it is then */
    const char *b;
    const char *ends;
    uint64_t rounds; /* so often each way */
    uint64_t has_sstc;
    uint64_t has_envcfg;
    uint64_t has_fp;
};

extern const struct floor switch_plain, switch_fp, switch_sstc, switch_sstc_fp, switch_old;

struct floor_run {
    const char *name; /* NULL: there is no more */
    const struct floor *floor;
    uint64_t has_pages; /* each world has page tables of its own */
};

static const struct floor_run runs_new[] = {
    {"switch_plain", &switch_plain, 1}, {"switch_fp", &switch_fp, 1},
    {"switch_sstc", &switch_sstc, 1},   {"switch_sstc_fp", &switch_sstc_fp, 1},
    {"switch_old", &switch_old, 1},     {0},
};

static const struct floor_run runs_old[] = {
    {"bare", &switch_old, 0},
    {"pages", &switch_old, 1},
    {0},
};

enum { T0 = 5, T1 = 6, T2 = 7, S0 = 8, S1 = 9, A0 = 10, A2 = 12, S2 = 18, T6 = 31 };

static struct world worlds[3] __attribute__((aligned(64)));
static struct world *const a = &worlds[0], *const b = &worlds[1], *const seen = &worlds[2];
static struct world planted[2];
static uint64_t roots[2][512] __attribute__((aligned(4096)));
static uint64_t reserved;

static uint64_t now(void)
{
    return *(volatile uint64_t *)MTIME;
}

static uint64_t make_pages(unsigned number)
{
    for (uint64_t i = 0; i < GIGABYTES; i++) {
        roots[number][i] =
            i << GIGABYTE_SHIFT >> PAGE_SHIFT << PTE_PAGE_SHIFT | (uint64_t)PTE_KERNEL;
    }
    return SATP_SV39 | (uint64_t)roots[number] >> PAGE_SHIFT;
}

/* Values that differ between the worlds and registers, and that each register can hold. */
static void make_planted(struct world *world, uint64_t mark)
{
    for (unsigned i = 0; i < 32; i++) {
        world->x[i] = mark << 56 | mark << 8 | i;
        world->f[i] = mark << 48 | mark << 16 | i;
    }
    world->sscratch = mark << 32 | 1;
    world->sepc = mark << 24 | 8;
    world->stval = mark << 24 | 0xc;
    world->stvec = mark << 24 | 0x100;
}

static void make_worlds(const struct floor_run *run)
{
    struct world *own_a = &planted[0], *own_b = &planted[1];

    make_planted(own_a, 0x2a);
    make_planted(own_b, 0x3b);
    own_a->scause = 13;
    own_b->scause = 1ul << 63 | 5;
    own_a->scounteren = 1;
    own_b->scounteren = 5;
    own_a->senvcfg = 1;
    own_b->senvcfg = 0x40;
    own_a->fcsr = 0x21;
    own_b->fcsr = 0x42;
    own_a->mstatus = MSTATUS_SUM | MSTATUS_FS_INITIAL;
    own_b->mstatus = MSTATUS_MXR | MSTATUS_FS_INITIAL;
    own_a->mie = INTERRUPTS_MACHINE | INTERRUPT_SSI;
    own_b->mie = INTERRUPTS_MACHINE | INTERRUPT_STI;
    own_a->pending = INTERRUPT_SSI;
    own_b->pending = 0;
    own_a->medeleg = DELEGATED_A;
    own_b->medeleg = DELEGATED_B;
    own_a->pmpcfg0 = PMP_OPEN | PMP_SECOND(PMP_READ);
    own_b->pmpcfg0 = PMP_OPEN | PMP_SECOND(PMP_READ | PMP_WRITE);
    own_a->satp = run->has_pages ? make_pages(0) : 0;
    own_b->satp = run->has_pages ? make_pages(1) : 0;
    own_a->deadline = INT64_MAX;
    own_b->deadline = INT64_MAX - 1;
    own_b->x[T0] = MSIP;
    own_b->x[T1] = 1;
    own_b->x[T2] = 0x3b7;
    own_b->x[A0] = (uint64_t)&reserved;
    own_b->x[A2] = 1;
    own_b->x[S0] = now();
    own_b->x[S1] = board_period;
    own_b->x[S2] = (uint64_t)&b->deadline;
    reserved = own_b->x[T2];
}

/* What the monitor would have put there at a tenant's start. */
static void make_place(struct world *world, const struct world *own, const char *entry)
{
    *world = (struct world){
        .mstatus = MSTATUS_WORLD,
        .mie = INTERRUPTS_MACHINE,
        .medeleg = own->medeleg,
        .pmpcfg0 = own->pmpcfg0,
        .deadline = UINT64_MAX,
    };
    world->x[0] = (uint64_t)entry;
    world->x[T6] = (uint64_t)own;
}

static void set_hart(const struct floor_run *run)
{
    CSR_WRITE(mtvec, (uint64_t)run->floor->out | MTVEC_VECTORED);
    CSR_WRITE(mscratch, b);
    CSR_WRITE(mcounteren, COUNTERS_BASIC); /* stimecmp, too */
    CSR_WRITE(mideleg, INTERRUPTS_SUPERVISOR);
    CSR_WRITE(pmpaddr0, UINT64_MAX);
    CSR_WRITE(pmpaddr1, 0ul);
    CSR_WRITE(satp, 0ul);
    CSR_WRITE(mip, 0ul);
    CSR_WRITE(mie, b->mie);
    CSR_WRITE(medeleg, b->medeleg);
    CSR_WRITE(pmpcfg0, b->pmpcfg0);
    CSR_WRITE(mstatus, b->mstatus);
    CSR_WRITE(mepc, b->x[0]);
    if (board_is_new) {
        CSR_WRITE(0x30a, run->floor->has_sstc ? MENVCFG_STCE : 0); /* menvcfg */
    }
    if (run->floor->has_sstc) {
        CSR_WRITE(0x14d, UINT64_MAX); /* stimecmp */
    }
    *(volatile uint64_t *)MTIMECMP = UINT64_MAX;
}

static void check_registers(const char *whose, const struct world *own, const struct floor *floor)
{
    for (unsigned i = 1; i < 32; i++) {
        check_nth(whose, "x", i, seen->x[i], own->x[i]);
    }
    for (unsigned i = 0; floor->has_fp && i < 32; i++) {
        check_nth(whose, "f", i, seen->f[i], own->f[i]);
    }
    if (floor->has_fp) {
        check(whose, "fcsr", seen->fcsr, own->fcsr);
    }
}

static void check_csrs(const char *whose, const struct world *own, const struct floor *floor)
{
    uint64_t pending = own->pending | (own == &planted[1] ? INTERRUPT_STI : 0);

    check(whose, "mstatus", seen->mstatus & (MSTATUS_PLANTED | MSTATUS_TW | MSTATUS_MPP),
          (own->mstatus & MSTATUS_PLANTED) | MSTATUS_TW | MSTATUS_MPP_S);
    check(whose, "sscratch", CSR_READ(sscratch), own->sscratch);
    check(whose, "sepc", CSR_READ(sepc), own->sepc);
    check(whose, "scause", CSR_READ(scause), own->scause);
    check(whose, "stval", CSR_READ(stval), own->stval);
    check(whose, "stvec", CSR_READ(stvec), own->stvec);
    check(whose, "scounteren", CSR_READ(scounteren), own->scounteren);
    check(whose, "mie", CSR_READ(mie), own->mie);
    check(whose, "mip", CSR_READ(mip) & INTERRUPTS_SUPERVISOR, pending);
    check(whose, "medeleg", CSR_READ(medeleg), own->medeleg);
    check(whose, "pmpcfg0", CSR_READ(pmpcfg0), own->pmpcfg0);
    check(whose, "satp", CSR_READ(satp), own->satp);
    if (floor->has_envcfg) {
        check(whose, "senvcfg", CSR_READ(0x10a), own->senvcfg);
    }
    if (floor->has_sstc) {
        check(whose, "stimecmp", CSR_READ(0x14d), own->deadline);
    }
}

static void check_world(const char *whose, const struct world *own, const struct floor *floor,
                        const char *place)
{
    check(whose, "pc", seen->x[0], (uint64_t)place);
    check_registers(whose, own, floor);
    check_csrs(whose, own, floor);
}

/* B is in the hart and has asked for the check: one switch more, and the next interrupt is A's. */
static void go_to_a(const struct floor *floor)
{
    *(volatile uint32_t *)MSIP = 0;
    CSR_WRITE(mtvec, floor_check);
    b->deadline = now() + board_period;
    if (floor->has_sstc) {
        CSR_WRITE(0x14d, b->deadline); /* stimecmp */
    }
    floor_go(floor->out, NULL);
    *(volatile uint64_t *)MTIMECMP = UINT64_MAX;
}

static void measure(const struct floor_run *run)
{
    const struct floor *floor = run->floor;

    make_worlds(run);
    make_place(a, &planted[0], floor->a);
    make_place(b, &planted[1], floor->b);
    set_hart(run);
    floor_go(floor_enter, &planted[1]);
    planted[1].x[S0] += floor->rounds * board_period;
    planted[1].deadline = planted[1].x[S0];
    check_world("B", &planted[1], floor, floor->ends);
    go_to_a(floor);
    check_world("A", &planted[0], floor, floor->stays);
    print_checked(run->name);
}

void main(void)
{
    for (const struct floor_run *run = board_is_new ? runs_new : runs_old; run->name != NULL;
         run++) {
        measure(run);
    }
    print_end();
}
