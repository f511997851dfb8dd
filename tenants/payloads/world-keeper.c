/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that a vhart's state is its own: whatever register S-mode can reach holds what was written
 * to it while another tenant, with other values in the same registers, had the hart. Two of these
 * run on one hart, with different roles; the one of higher priority sleeps, the other computes and
 * is interrupted.
 *
 * It tries the number of each CSR of S- and U-mode and of the H extension, and says which are there
 * and what it can do:
 *
 *     world-keeper: csr=0x105 planted     it takes different values, and they are checked
 *     world-keeper: csr=0x... fixed       writes have no effect
 *     world-keeper: csr=0xc01 read-only
 *
 * General and floating-point registers, a reservation (lr.d), and a page that only this tenant's
 * page tables lead to are planted as well.
 *
 * Arguments: role=N     0 (default): is interrupted; 1: sleeps
 *            rounds=N   (default 50): a millisecond of sleep, or of computing, each
 */
#include <stddef.h>

#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/random.h"
#include "rt/sbi.h"
#include "rt/sv39.h"
#include "rt/trap.h"

/* SYSTEM instructions, with rd = a0 and rs1 = a1. */
#define CSRRW 0x00059573
#define CSRR 0x00002573
#define CSR_SHIFT 20
#define CSR_COUNT 4096
#define LEVEL(csr) ((csr) >> 8 & 3)
#define LEVEL_HYPERVISOR 2
#define IS_READ_ONLY(csr) ((csr) >> 10 == 3)

#define CSR_HVIP 0x645
#define HVIP_VSTIP 0x40
#define SSTATUS_VS_INITIAL 0x200
#define SSTATUS_MXR 0x80000
#define SSTATUS_SD (1ul << 63)
#define SATP_ASID_SHIFT 44
/* Instructions of the one that is interrupted, at least: longer than the sleep of the other. */
#define COMPUTING 100000
#define MOST_PLAIN 64

/* Words of struct world, and of struct area behind it, for the assembly below. */
#define WORLD_FCSR 512
#define WORLD_STVEC 520
#define WORLD_SATP 528
#define WORLD_SSTATUS 536
#define WORLD_SIE 544
#define WORLD_SIP 552
#define WORLD_SSCRATCH 560
#define WORLD_BEHIND_WINDOW 568
#define AREA_FOUND 576
#define AREA_OWN 1152
#define AREA_SLEEPS 1288
#define AREA_WINDOW 1296
#define AREA_BROKEN 1304
#define AREA_STORED 1312
#define AREA_LOCK 1320

const char payload_name[] = "world-keeper";

struct world {
    uint64_t x[32];
    uint64_t f[32];
    uint64_t fcsr;
    uint64_t stvec;
    uint64_t satp;
    uint64_t sstatus;
    uint64_t sie;
    uint64_t sip;
    uint64_t sscratch;
    uint64_t behind_window;
};

/* What the assembly is given and gives back. */
struct area {
    struct world planted;
    struct world found;
    uint64_t own[17]; /* ra, sp, gp, tp, s0 to s11; stvec */
    uint64_t sleeps;  /* in WFI, else it counts x31 down */
    uint64_t window;  /* address of the page behind a window */
    uint64_t broken;  /* a trap came: scause, and one more */
    uint64_t stored;  /* the store-conditional had an effect */
    uint64_t lock;
};

_Static_assert(offsetof(struct world, fcsr) == WORLD_FCSR, "");
_Static_assert(offsetof(struct world, behind_window) == WORLD_BEHIND_WINDOW, "");
_Static_assert(offsetof(struct area, found) == AREA_FOUND, "");
_Static_assert(offsetof(struct area, own) == AREA_OWN, "");
_Static_assert(offsetof(struct area, sleeps) == AREA_SLEEPS, "");
_Static_assert(offsetof(struct area, window) == AREA_WINDOW, "");
_Static_assert(offsetof(struct area, lock) == AREA_LOCK, "");

/* A CSR that is none of those that the assembly plants. */
struct plain {
    uint32_t csr;
    uint64_t planted;
};

static struct area area __attribute__((used));
static uint64_t page[512] __attribute__((aligned(4096)));
static struct plain plains[MOST_PLAIN];
static unsigned plain_count;

/* Of area: plants, gives the hart away, and finds. Interrupts are off, translation is on. */
void plant_and_find(struct area *area);
/* Where stvec points meanwhile: nothing may trap. */
void trapped(void);

#define TEXT(text) #text
#define NUMBER(text) TEXT(text)
#define EACH_OF(instruction, base)                                                                 \
    ".irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, "  \
    "25, 26, 27, 28, 29, 30, 31\n" instruction " x\\n, (8 * \\n)(" base ")\n.endr\n"
#define EACH_F(instruction, offset)                                                                \
    ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, "   \
    "23, 24, 25, 26, 27, 28, 29, 30, 31\n" instruction " f\\n, (" offset                           \
    " + 8 * \\n)(a0)\n.endr\n"
#define CALLEE_SAVED(instruction)                                                                  \
    instruction " ra, 0+" NUMBER(AREA_OWN) "(a0)\n" instruction " sp, 8+" NUMBER(                  \
        AREA_OWN) "(a0)\n" instruction                                                             \
                  " gp, 16+" NUMBER(AREA_OWN) "(a0)\n" instruction " tp, 24+" NUMBER(              \
                      AREA_OWN) "(a0)\n"                                                           \
                                ".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11\n" instruction       \
                                " s\\n, (32 + 8 * \\n + " NUMBER(AREA_OWN) ")(a0)\n.endr\n"
/* Numbers of CSRs, so that both worlds are told apart by one place in the text. */
#define PLANT(csr, offset) "ld t0, " NUMBER(offset) "(a0)\ncsrw " #csr ", t0\n"
#define FIND(csr, offset) "csrr t0, " #csr "\nsd t0, " NUMBER(AREA_FOUND + offset) "(a0)\n"

__asm__(
    ".text\n"
    ".option push\n.option arch, +f, +d\n"
    ".balign 4\n.globl plant_and_find\nplant_and_find:\n" CALLEE_SAVED("sd")          /* */
    "csrr t0, stvec\nsd t0, 128+" NUMBER(AREA_OWN) "(a0)\n"                           /* */
    PLANT(fcsr, WORLD_FCSR)                                                           /* */
    EACH_F("fld", "256")                                                              /* */
    PLANT(stvec, WORLD_STVEC) PLANT(sscratch, WORLD_SSCRATCH)                         /* */
    PLANT(satp, WORLD_SATP) PLANT(sie, WORLD_SIE)                                     /* */
    "ld t0, " NUMBER(WORLD_SIP) "(a0)\ncsrs sip, t0\n"                                /* */
                                "addi t1, a0, " NUMBER(AREA_LOCK) "\nlr.d t0, (t1)\n" /* */
    PLANT(sstatus, WORLD_SSTATUS)                                                     /* */
    "ld t0, " NUMBER(AREA_SLEEPS) "(a0)\nbnez t0, 2f\n"                               /* */
    EACH_OF(
        "ld",
        "a0") "ld a0, 80(a0)\n"                            /* */
              "1: addi x31, x31, -1\nbnez x31, 1b\nj 3f\n" /* */
              "2:\n" EACH_OF(
                  "ld",
                  "a0") "ld a0, 80(a0)\n"             /* */
                        "wfi\n"                       /* */
                        "3: csrrw a0, sscratch, a0\n" /* */
                        "sd t0, 40+" NUMBER(
                            AREA_FOUND) "(a0)\n" /* */
                                        "sd t1, 48+" NUMBER(
                                            AREA_FOUND) "(a0)\n" /* */
                                                        "addi t1, a0, " NUMBER(
                                                            AREA_LOCK) "\nsc.d t0, zero, "
                                                                       "(t1)\nseqz t0, t0\n" /* */
                                                                       "sd t0, " NUMBER(
                                                                           AREA_STORED) "(a0)\n" /* */
                                                                                        ".irp n, "
                                                                                        "1, 2, 3, "
                                                                                        "4, 7, 8, "
                                                                                        "9, 11, "
                                                                                        "12, 13, "
                                                                                        "14, 15, "
                                                                                        "16, 17, "
                                                                                        "18, 19, "
                                                                                        "20, 21, "
                                                                                        "22, 23, "
                                                                                        "24, 25, "
                                                                                        "26, 27, "
                                                                                        "28, 29, "
                                                                                        "30, "
                                                                                        "31\nsd "
                                                                                        "x\\n, (8 "
                                                                                        "* \\n "
                                                                                        "+ " NUMBER(
                                                                                            AREA_FOUND) ")(a0)\n.endr\n" /* */
                                                                                                        "csrr t0, sscratch\nsd t0, 80+" NUMBER(
                                                                                                            AREA_FOUND) "(a0)\n" /* */
                                                                                                                        "sd a0, " NUMBER(
                                                                                                                            AREA_FOUND +
                                                                                                                            WORLD_SSCRATCH) "(a0)\n" /* */
                                                                                                                                            "ld t1, " NUMBER(
                                                                                                                                                AREA_WINDOW) "(a0)\nld t0, (t1)\n" /* */
                                                                                                                                                             "sd t0, " NUMBER(
                                                                                                                                                                 AREA_FOUND +
                                                                                                                                                                 WORLD_BEHIND_WINDOW) "(a0)\n" /* */
    FIND(fcsr, WORLD_FCSR) EACH_F("fsd", NUMBER(AREA_FOUND) " + 256")    /* */
    FIND(stvec, WORLD_STVEC) FIND(satp, WORLD_SATP) FIND(sie, WORLD_SIE) /* */
    FIND(sip, WORLD_SIP) FIND(sstatus, WORLD_SSTATUS)                    /* */
    "4: ld t0, 128+" NUMBER(AREA_OWN) "(a0)\ncsrw stvec, t0\n"           /* */
    CALLEE_SAVED("ld")                                                   /* */
    "csrw sscratch, tp\ncsrw sie, zero\ncsrci sip, 2\nret\n"             /* */
    ".balign 4\n.globl trapped\ntrapped:\n"                              /* */
    "lla a0, area\ncsrr t0, scause\naddi t0, t0, 1\n"                    /* */
    "sd t0, " NUMBER(AREA_BROKEN) "(a0)\nj 4b\n"                         /* */
                                  ".option pop\n");

static bool is_role_one;

/* A value that the other tenant does not plant at this place. */
static uint64_t value_of(struct random *random, bool one)
{
    return (random_next(random) & ~1ul) | (one ? 1 : 0);
}

static bool try_csr(uint32_t instruction, uint32_t csr, uint64_t *value)
{
    uint64_t registers[32] = {[11] = *value};
    struct trap_fault fault;

    if (!trap_try_instruction(csr << CSR_SHIFT | instruction, registers, &fault)) {
        check(fault.cause == CAUSE_ILLEGAL_INSTRUCTION, "CSR 0x%x: scause %lu", csr, fault.cause);
        return false;
    }
    *value = registers[10];
    return true;
}

static uint64_t read_csr(uint32_t csr)
{
    uint64_t value = 0;

    check(try_csr(CSRR, csr, &value), "CSR 0x%x cannot be read any more", csr);
    return value;
}

static uint64_t write_csr(uint32_t csr, uint64_t value)
{
    check(try_csr(CSRRW, csr, &value), "CSR 0x%x cannot be written", csr);
    return read_csr(csr);
}

/* Those of the assembly, stimecmp, which is planted by each sleep, and views: vsie, vsip, hip. */
static bool is_planted_apart(uint32_t csr)
{
    static const uint16_t apart[] = {0x001, 0x002, 0x003, 0x100, 0x104, 0x105, 0x140,
                                     0x144, 0x14d, 0x180, 0x204, 0x244, 0x644};

    for (unsigned i = 0; i < sizeof(apart) / sizeof(apart[0]); i++) {
        if (csr == apart[i]) {
            return true;
        }
    }
    return false;
}

/* Whether different values can be written; then it is one of plains. */
static bool takes_values(uint32_t csr)
{
    uint64_t before = read_csr(csr);
    bool takes = write_csr(csr, UINT64_MAX) != write_csr(csr, 0);

    write_csr(csr, before);
    if (takes) {
        check(plain_count < MOST_PLAIN, "more CSRs than expected");
        plains[plain_count++].csr = csr;
    }
    return takes;
}

static void find_registers(void)
{
    for (uint32_t csr = 0; csr < CSR_COUNT; csr++) {
        uint64_t value = 0;

        if (LEVEL(csr) > LEVEL_HYPERVISOR || !try_csr(CSRR, csr, &value)) {
            continue;
        }
        print("world-keeper: csr=0x%03x %s\n", csr,
              IS_READ_ONLY(csr)                            ? "read-only"
              : is_planted_apart(csr) || takes_values(csr) ? "planted"
                                                           : "fixed");
    }
}

static void plant(struct random *random)
{
    struct world *planted = &area.planted;

    for (unsigned i = 1; i < 32; i++) {
        planted->x[i] = value_of(random, is_role_one);
        planted->f[i] = value_of(random, is_role_one);
    }
    planted->f[0] = value_of(random, is_role_one);
    if (!is_role_one) {
        planted->x[31] = COMPUTING + random_below(random, COMPUTING);
    }
    planted->fcsr = random_below(random, 64) << 1 | (is_role_one ? 1 : 0);
    planted->stvec = (uintptr_t)trapped;
    planted->sscratch = (uintptr_t)&area;
    planted->satp = (csr_read(satp) & ~(0xfffful << SATP_ASID_SHIFT)) |
                    (random_below(random, 0x8000) << 1 | (is_role_one ? 1 : 0)) << SATP_ASID_SHIFT;
    planted->sstatus =
        (csr_read(sstatus) & ~(uint64_t)(SSTATUS_SPIE | SSTATUS_SPP | SSTATUS_SUM | SSTATUS_MXR)) |
        SSTATUS_FS | (is_role_one ? SSTATUS_SPIE | SSTATUS_SUM : SSTATUS_SPP | SSTATUS_MXR);
    planted->sie = INTERRUPT_TIMER | (is_role_one ? INTERRUPT_SOFTWARE : INTERRUPT_EXTERNAL);
    planted->sip = is_role_one ? 0 : INTERRUPT_SOFTWARE;
    page[0] = value_of(random, is_role_one);
    planted->behind_window = page[0];
    area.sleeps = is_role_one;
    for (unsigned i = 0; i < plain_count; i++) {
        plains[i].planted = write_csr(plains[i].csr, value_of(random, is_role_one));
    }
}

static void same(const char *name, unsigned number, uint64_t planted, uint64_t found)
{
    check(planted == found, "%s %u is 0x%lx, was 0x%lx", name, number, found, planted);
}

static void look(uint64_t deadline, bool has_stimecmp)
{
    const struct world *planted = &area.planted;
    const struct world *found = &area.found;

    check(area.broken == 0, "a trap with scause %lu", area.broken - 1);
    for (unsigned i = 1; i < 31; i++) {
        same("register x", i, planted->x[i], found->x[i]);
    }
    same("register x", 31, is_role_one ? planted->x[31] : 0, found->x[31]);
    for (unsigned i = 0; i < 32; i++) {
        same("register f", i, planted->f[i], found->f[i]);
    }
    same("fcsr", 0x003, planted->fcsr, found->fcsr);
    same("stvec", 0x105, planted->stvec, found->stvec);
    same("sscratch", 0x140, planted->sscratch, found->sscratch);
    same("satp", 0x180, planted->satp, found->satp);
    same("sstatus", 0x100, planted->sstatus & ~SSTATUS_SD, found->sstatus & ~SSTATUS_SD);
    same("sie", 0x104, planted->sie, found->sie);
    same("sip", 0x144, planted->sip, found->sip & INTERRUPT_SOFTWARE);
    same("window", 0, planted->behind_window, found->behind_window);
    check(!area.sleeps || !area.stored, "a reservation outlived a stay of others");
    for (unsigned i = 0; i < plain_count; i++) {
        /* QEMU lets M-mode write no VSTIP where there is vstimecmp. */
        uint64_t ignored = plains[i].csr == CSR_HVIP && has_stimecmp ? HVIP_VSTIP : 0;

        same("CSR", plains[i].csr, plains[i].planted & ~ignored,
             read_csr(plains[i].csr) & ~ignored);
    }
    if (has_stimecmp) {
        same("stimecmp", 0x14d, deadline, csr_read(0x14d));
    }
}

void main(void)
{
    uint64_t rounds = platform_number("rounds", 50);
    struct random random = random_from(platform_number("role", 0) + 1);
    uint64_t unused = 0;
    bool has_stimecmp;

    is_role_one = platform_number("role", 0) != 0;
    interrupts_disable();
    csr_set(sstatus, SSTATUS_FS_INITIAL | SSTATUS_VS_INITIAL);
    find_registers();
    print("world-keeper: %u others planted\n", plain_count);
    has_stimecmp = try_csr(CSRR, 0x14d, &unused);
    sv39_enable();
    area.window = sv39_open_window(SV39_LEAF_4K, (uintptr_t)page);
    for (uint64_t round = 0; round < rounds; round++) {
        uint64_t deadline = csr_read(time) + platform.timebase_hz / (is_role_one ? 1000 : 50);

        sbi_set_timer(deadline);
        plant(&random);
        plant_and_find(&area);
        look(deadline, has_stimecmp);
        if (!is_role_one && round % 8 == 0) {
            clock_sleep(500); /* with values of its own loaded by a switch out of idleness, too */
        }
    }
    sv39_disable();
    check_pass();
}
