/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The floor under an invocation of another protection domain: two traps from user mode, two changes
 * of page tables, two returns to user mode, and nothing else. The domains say themselves where they
 * want to go, and nothing is checked or kept; `floor_fence` is with the fence behind each change of
 * page tables that a hart without ASIDs needs. As those of components, a domain's pages have 4 KiB,
 * so that after a fence the hart walks through three tables for each, and the kernel's are global.
 * tenants/components does the same with what a kernel owes; `cotenant bench components` and `rtl`
 * compare its figure and this one.
 */
#include "bench/samples.h"
#include "rt/console.h"
#include "rt/csr.h"
#include "rt/platform.h"
#include "rt/sbi.h"

#define ENTRIES 512
#define GIGABYTE_SHIFT 30
#define MEGAPAGE_SHIFT 21
#define PAGE_SHIFT 12
#define ENTRY_SHIFT 10
#define USER_INDEX 128
#define PTE_TABLE 0x01  /* V */
#define PTE_KERNEL 0xef /* V R W X G A D */
#define PTE_USER 0xdf   /* V R W X U A D */
#define ASID_SHIFT 44
#define STVEC_VECTORED 1
#define COUNTERS_CYCLE 1
#define RUN_US 300

static uint64_t roots[2][ENTRIES] __attribute__((aligned(4096)));
static uint64_t middles[2][ENTRIES] __attribute__((aligned(4096)));
static uint64_t leaves[2][ENTRIES] __attribute__((aligned(4096)));
static uint64_t samples[SAMPLES];

/* Runs the domains until the timer interrupt; they write to `samples`, as they see it. */
void floor_run(uint64_t caller_satp, uint64_t callee_satp, uint64_t offset, uint64_t *samples_seen,
               const char *entry);
extern const char floor_entry[];
extern const char floor_entry_fence[];

/*
 * Traps come to the entry, and the timer interrupt, which is the end, 20 bytes behind it. A hart
 * may want stvec to be more aligned with vectored interrupts, and clears bits that are not: Rocket
 * wants 256 bytes, four for each of 64 causes. In user mode: s0 and s1 the page tables, s2 the
 * distance from our addresses to the domains', s3 where the next sample goes, s4 how many are left.
 */
__asm__("    .text\n"
        "    .balign 256\n"
        "floor_entry:\n"
        "    .option push\n"
        "    .option norvc\n"
        "    csrw satp, a2\n"
        "    csrw sepc, a3\n"
        "    sret\n"
        "    nop\n"
        "    nop\n"
        "    j floor_end\n"
        "    .balign 256\n"
        "floor_entry_fence:\n"
        "    csrw satp, a2\n"
        "    csrw sepc, a3\n"
        "    sfence.vma zero, a4\n"
        "    sret\n"
        "    nop\n"
        "    j floor_end\n"
        "    .option pop\n"
        "    .globl floor_run\n"
        "floor_run:\n"
        "    addi sp, sp, -64\n"
        "    sd ra, 0(sp)\n"
        "    sd s0, 8(sp)\n"
        "    sd s1, 16(sp)\n"
        "    sd s2, 24(sp)\n"
        "    sd s3, 32(sp)\n"
        "    sd s4, 40(sp)\n"
        "    csrr t0, stvec\n"
        "    sd t0, 48(sp)\n"
        "    csrr t0, sscratch\n"
        "    sd t0, 56(sp)\n"
        "    csrw sscratch, sp\n"
        "    mv s0, a0\n"
        "    mv s1, a1\n"
        "    mv s2, a2\n"
        "    mv s3, a3\n"
        "    addi t0, a4, 1\n"
        "    csrw stvec, t0\n"
        "    li a4, 0\n"
        "    lla t0, floor_user\n"
        "    add t0, t0, s2\n"
        "    csrw sepc, t0\n"
        "    csrw satp, s0\n"
        "    sfence.vma\n"
        "    li s4, 33\n"
        "    sret\n"
        "floor_end:\n"
        "    csrw satp, zero\n"
        "    sfence.vma\n"
        "    csrr sp, sscratch\n"
        "    ld t0, 56(sp)\n"
        "    csrw sscratch, t0\n"
        "    ld t0, 48(sp)\n"
        "    csrw stvec, t0\n"
        "    ld ra, 0(sp)\n"
        "    ld s0, 8(sp)\n"
        "    ld s1, 16(sp)\n"
        "    ld s2, 24(sp)\n"
        "    ld s3, 32(sp)\n"
        "    ld s4, 40(sp)\n"
        "    addi sp, sp, 64\n"
        "    ret\n"
        /* From here on in user mode. The caller: */
        "floor_user:\n"
        "    rdcycle t0\n"
        "    mv a2, s1\n"
        "    lla a3, floor_callee\n"
        "    ecall\n"
        "1:  rdcycle t1\n"
        "    sub t1, t1, t0\n"
        "    sd t1, 0(s3)\n"
        "    addi s3, s3, 8\n"
        "    addi s4, s4, -1\n"
        "    bnez s4, floor_user\n"
        "2:  j 2b\n"
        /* The other domain: */
        "floor_callee:\n"
        "    mv a2, s0\n"
        "    lla a3, 1b\n"
        "    ecall\n");

static uint64_t entry(uint64_t address, uint64_t flags)
{
    return address >> PAGE_SHIFT << ENTRY_SHIFT | flags;
}

/* The kernel's gigabyte, and for the user, at USER_INDEX, the 2 MiB of it in which we are. */
static uint64_t make_space(unsigned number)
{
    uint64_t megapage = (uintptr_t)roots >> MEGAPAGE_SHIFT << MEGAPAGE_SHIFT;
    uint64_t gigabyte = megapage >> GIGABYTE_SHIFT;

    roots[number][gigabyte] = entry(gigabyte << GIGABYTE_SHIFT, PTE_KERNEL);
    roots[number][USER_INDEX] = entry((uintptr_t)middles[number], PTE_TABLE);
    middles[number][megapage >> MEGAPAGE_SHIFT & (ENTRIES - 1)] =
        entry((uintptr_t)leaves[number], PTE_TABLE);
    for (uint64_t page = 0; page < ENTRIES; page++) {
        leaves[number][page] = entry(megapage + (page << PAGE_SHIFT), PTE_USER);
    }
    return SATP_MODE_SV39 | (uint64_t)(number + 1) << ASID_SHIFT | (uintptr_t)roots[number] >> 12;
}

static unsigned next_sample;

static uint64_t sample(void)
{
    return samples[next_sample++ % SAMPLES];
}

static void measure(const char *name, uint64_t caller, uint64_t callee, uint64_t offset,
                    const char *entry)
{
    uint64_t overhead = bench_overhead();

    sbi_set_timer(clock_now() + clock_ticks(RUN_US));
    csr_write(sie, INTERRUPT_TIMER);
    floor_run(caller, callee, offset, (uint64_t *)((uintptr_t)samples + offset), entry);
    csr_write(sie, 0);
    for (unsigned i = 0; i < SAMPLES; i++) {
        samples[i] -= overhead;
    }
    next_sample = 0;
    bench_sample(name, sample);
}

void main(void)
{
    uint64_t gigabyte = (uintptr_t)roots >> GIGABYTE_SHIFT;
    uint64_t offset = (USER_INDEX - gigabyte) << GIGABYTE_SHIFT;
    uint64_t caller = make_space(0);
    uint64_t callee = make_space(1);

    csr_write(scounteren, COUNTERS_CYCLE);
    csr_clear(sstatus, SSTATUS_SPP);
    measure("floor", caller, callee, offset, floor_entry);
    measure("floor_fence", caller, callee, offset, floor_entry_fence);
    bench_finish();
}
