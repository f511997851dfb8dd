/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that what the hart leaves to the monitor looks to a tenant as if the hart did it: reads of
 * the time CSR from S- and U-mode, misaligned loads and stores of all kinds, across pages, and with
 * the right exception where they cannot be done. It passes as well on harts that do all of it.
 */
#include <stdbool.h>
#include <string.h>

#include "bench/results.h"
#include "rt/csr.h"
#include "rt/sv39.h"
#include "rt/trap.h"

#define NAME "rtl-fp-emulation"
#define PAGE 4096
#define CAUSE_ECALL_FROM_U 8
#define COUNTER_TIME 0x2
#define PATTERN 0x8182838485868788

#define require(condition, ...)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            results_fail(NAME, __VA_ARGS__);                                                       \
        }                                                                                          \
    } while (false)

static uint8_t pages[2][PAGE] __attribute__((aligned(PAGE)));

static void test_time_from_s(void)
{
    uint64_t first = csr_read(time);
    uint64_t last = first;

    for (unsigned i = 0; i < 20; i++) {
        uint64_t now = csr_read(time);

        require(now >= last, "time went back from %lu to %lu", last, now);
        last = now;
    }
    require(last > first, "time stands still at %lu", first);
}

/* Reads the time in U-mode, then calls: ends with one exception or the other. */
static void read_time_in_u(void *argument)
{
    (void)argument;
    csr_clear(sstatus, SSTATUS_SPP);
    __asm__ volatile("lla t0, 1f\n"
                     "csrw sepc, t0\n"
                     "sret\n"
                     "1: csrr t0, time\n"
                     "ecall\n" ::
                         : "t0", "memory");
}

static void test_time_from_u(void)
{
    struct trap_fault fault;

    csr_set(scounteren, COUNTER_TIME);
    require(!trap_try(read_time_in_u, NULL, &fault) && fault.cause == CAUSE_ECALL_FROM_U,
            "U-mode with scounteren.TM: exception %lu", fault.cause);
    csr_clear(scounteren, COUNTER_TIME);
    require(!trap_try(read_time_in_u, NULL, &fault) && fault.cause == CAUSE_ILLEGAL_INSTRUCTION,
            "U-mode without scounteren.TM: exception %lu", fault.cause);
    csr_set(scounteren, COUNTER_TIME);
}

#define LOAD(instruction, type, address)                                                           \
    ({                                                                                             \
        uint64_t loaded;                                                                           \
        __asm__ volatile(instruction " %0, 0(%1)" : "=r"(loaded) : "r"(address) : "memory");       \
        require(loaded == (uint64_t)(type)expected, instruction " at offset %u: 0x%lx", offset,    \
                loaded);                                                                           \
    })

#define STORE(instruction, size, address)                                                          \
    do {                                                                                           \
        memset(pages, 0, 64);                                                                      \
        __asm__ volatile(instruction " %0, 0(%1)" : : "r"(PATTERN), "r"(address) : "memory");      \
        memcpy(&found, address, sizeof(found));                                                    \
        require(found == (PATTERN & mask(size)), instruction " at offset %u: 0x%lx", offset,       \
                found);                                                                            \
    } while (false)

static uint64_t mask(unsigned size)
{
    return UINT64_MAX >> (64 - 8 * size);
}

static void test_integers(void)
{
    for (unsigned offset = 1; offset < 8; offset++) {
        uint8_t *address = &pages[0][offset];
        uint64_t expected = PATTERN;
        uint64_t found;

        memcpy(address, &expected, sizeof(expected));
        LOAD("lh", int16_t, address);
        LOAD("lhu", uint16_t, address);
        LOAD("lw", int32_t, address);
        LOAD("lwu", uint32_t, address);
        LOAD("ld", uint64_t, address);
        STORE("sh", 2, address);
        STORE("sw", 4, address);
        STORE("sd", 8, address);
    }
}

/* Compressed forms, forced by their registers. */
static void test_compressed(void)
{
    register uint8_t *address __asm__("a5") = &pages[0][3];
    register uint64_t value __asm__("a4") = PATTERN;

    __asm__ volatile("c.sd %0, 0(%1)" : : "r"(value), "r"(address) : "memory");
    value = 0;
    __asm__ volatile("c.ld %0, 0(%1)" : "=r"(value) : "r"(address) : "memory");
    require(value == PATTERN, "c.sd and c.ld: 0x%lx", value);
    __asm__ volatile("c.lw %0, 0(%1)" : "=r"(value) : "r"(address) : "memory");
    require(value == (uint64_t)(int32_t)PATTERN, "c.lw: 0x%lx", value);
}

static void test_floating(void)
{
    uint8_t *address = &pages[0][5];
    uint64_t bits;
    uint64_t expected = 0x4009216872b020c5;

    csr_set(sstatus, SSTATUS_FS_INITIAL);
    memcpy(address, &expected, sizeof(expected));
    __asm__ volatile("fld fs3, 0(%1)\nfmv.x.d %0, fs3" : "=r"(bits) : "r"(address) : "memory");
    require(bits == expected, "fld: 0x%lx", bits);
    __asm__ volatile("flw ft11, 0(%1)\nfmv.x.d %0, ft11" : "=r"(bits) : "r"(address) : "memory");
    require(bits == (0xffffffff00000000 | (uint32_t)expected), "flw: 0x%lx", bits);
    __asm__ volatile("fmv.d.x fa4, %0\nfsd fa4, 0(%1)" : : "r"(PATTERN), "r"(address) : "memory");
    memcpy(&bits, address, sizeof(bits));
    require(bits == PATTERN, "fsd: 0x%lx", bits);
    __asm__ volatile("fmv.d.x fa4, %0\nfsw fa4, 4(%1)" : : "r"(~PATTERN), "r"(address) : "memory");
    memcpy(&bits, address, sizeof(bits));
    require(bits == ((uint32_t)PATTERN | (uint64_t)(uint32_t)~PATTERN << 32), "fsw: 0x%lx", bits);
    csr_clear(sstatus, SSTATUS_FS);
}

static void test_across_pages(void)
{
    uint64_t expected = PATTERN;
    uint64_t value;
    struct trap_fault fault;
    uint64_t window;
    uint64_t edge;

    memcpy(&pages[0][PAGE - 3], &expected, sizeof(expected));
    sv39_enable();
    __asm__ volatile("ld %0, 0(%1)" : "=r"(value) : "r"(&pages[0][PAGE - 3]) : "memory");
    require(value == PATTERN, "across two pages: 0x%lx", value);
    /* The page behind the window is not mapped. */
    window = sv39_open_window(SV39_LEAF_4K, (uintptr_t)pages[0]);
    edge = window + PAGE;
    require(!trap_try_read64(edge - 3, &value, &fault) && fault.cause == CAUSE_LOAD_PAGE &&
                fault.value == edge,
            "load into a missing page: exception %lu at 0x%lx", fault.cause, fault.value);
    require(!trap_try_write64(edge - 3, 0, &fault) && fault.cause == CAUSE_STORE_PAGE &&
                fault.value == edge,
            "store into a missing page: exception %lu at 0x%lx", fault.cause, fault.value);
    memcpy(&value, &pages[0][PAGE - 3], 3);
    require((value & mask(3)) == (PATTERN & mask(3)), "half a store was done");
    sv39_disable();
}

static void misaligned_atomic(void *argument)
{
    __asm__ volatile("amoadd.w zero, zero, (%0)" : : "r"(argument) : "memory");
}

static void test_atomics_keep_their_exception(void)
{
    struct trap_fault fault;

    /* QEMU calls it a load. */
    require(!trap_try(misaligned_atomic, &pages[0][1], &fault) &&
                fault.cause >= CAUSE_LOAD_MISALIGNED && fault.cause <= CAUSE_STORE_ACCESS,
            "misaligned amoadd.w: exception %lu", fault.cause);
}

void main(void)
{
    results_open();
    test_time_from_s();
    test_time_from_u();
    test_integers();
    test_compressed();
    test_floating();
    test_across_pages();
    test_atomics_keep_their_exception();
    results_pass(NAME);
}
