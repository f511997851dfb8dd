/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves that memory and devices of others are out of reach: reads, writes and executes each given
 * address, directly and through page tables of its own in every form, also using foreign memory as
 * page tables. Each attempt has to end in an access fault that names the right address.
 *
 * Arguments: touch=0x...,0x...  8-byte aligned addresses that are not this tenant's and that nobody
 *                               emulates for it: monitor, other tenants, CLINT, reset device...
 *            lock=0x...         at the end, use this as the root page table: from then on not even
 *                               the trap entry can be fetched. Everybody else has to go on; the
 *                               monitor may call this tenant crashed. No PASS comes.
 */
#include <stddef.h>

#include "rt/arguments.h"
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sv39.h"
#include "rt/trap.h"

#define VALUE 0x6d656d6f72792121

/* amoadd.d a0, a1, (a0) and lr.d a0, (a0) */
#define INSTRUCTION_AMOADD 0x00b5352f
#define INSTRUCTION_LR 0x1005352f

const char payload_name[] = "hostile-memory";

/* Where nothing is, or nothing that a tenant should see, on any board. */
static const uint64_t always[] = {
    0x0,
    0x1000,
    0x00ffffff00000000,
    0x0080000000000000,
};

static uint64_t attempts;

/* `faulted` and *fault are what an access to `address` gave; `why` says which access it was. */
static void expect_fault(const char *why, uint64_t address, bool faulted, uint64_t cause,
                         uint64_t value, const struct trap_fault *fault)
{
    attempts++;
    check(faulted, "%s of 0x%lx was let through", why, address);
    check(fault->cause == cause, "%s of 0x%lx: cause %lu, expected %lu", why, address, fault->cause,
          cause);
    check(fault->value == value, "%s of 0x%lx: stval 0x%lx, expected 0x%lx", why, address,
          fault->value, value);
    check((fault->status & SSTATUS_SPP) != 0, "%s of 0x%lx: sstatus 0x%lx", why, address,
          fault->status);
}

/* Tries every kind of access to virtual address `at`, which leads to `address`. */
static void try_accesses(const char *how, uint64_t address, uint64_t at)
{
    struct trap_fault fault;
    uint64_t registers[32] = {0};
    uint64_t value = 0;
    uint8_t byte;
    bool done;

    done = trap_try_read64(at, &value, &fault);
    expect_fault(how, address, !done, CAUSE_LOAD_ACCESS, at, &fault);
    check(value == 0, "%s of 0x%lx gave a value although it faulted", how, address);
    done = trap_try_read8(at + 5, &byte, &fault);
    expect_fault(how, address, !done, CAUSE_LOAD_ACCESS, at + 5, &fault);
    done = trap_try_write64(at, VALUE, &fault);
    expect_fault(how, address, !done, CAUSE_STORE_ACCESS, at, &fault);
    done = trap_try_write8(at + 5, 0x55, &fault);
    expect_fault(how, address, !done, CAUSE_STORE_ACCESS, at + 5, &fault);
    done = trap_try_execute(at, &fault);
    expect_fault(how, address, !done, CAUSE_FETCH_ACCESS, at, &fault);
    check(fault.pc == at, "%s of 0x%lx: sepc 0x%lx", how, address, fault.pc);

    registers[10] = at;
    registers[11] = VALUE;
    /* An atomic operation loads and stores; the machine may report either. */
    done = trap_try_instruction(INSTRUCTION_AMOADD, registers, &fault);
    expect_fault(how, address, !done,
                 fault.cause == CAUSE_LOAD_ACCESS ? CAUSE_LOAD_ACCESS : CAUSE_STORE_ACCESS, at,
                 &fault);
    done = trap_try_instruction(INSTRUCTION_LR, registers, &fault);
    expect_fault(how, address, !done, CAUSE_LOAD_ACCESS, at, &fault);
}

static void try_address(uint64_t address)
{
    static const struct {
        enum sv39_window kind;
        const char *how;
    } windows[] = {
        {SV39_LEAF_4K, "access by a 4 KiB page"},
        {SV39_LEAF_2M, "access by a 2 MiB page"},
        {SV39_LEAF_1G, "access by a 1 GiB page"},
        {SV39_TABLE_LEVEL1, "use as a page table of level 1"},
        {SV39_TABLE_LEVEL0, "use as a page table of level 0"},
    };

    try_accesses("direct access", address, address);
    sv39_enable();
    for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
        try_accesses(windows[i].how, address, sv39_open_window(windows[i].kind, address));
    }
    sv39_disable();
}

void main(void)
{
    const char *list = platform_argument("touch");
    uint64_t lock = platform_number("lock", 0);
    uint64_t address;

    for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++) {
        try_address(always[i]);
    }
    while (list != NULL && argument_number(&list, &address)) {
        print("hostile-memory: trying 0x%lx\n", address);
        try_address(address);
        list += *list == ',';
    }
    print("hostile-memory: attempts=%lu, all faulted\n", attempts);
    if (lock != 0) {
        print("hostile-memory: locking itself up\n");
        csr_write(satp, SATP_MODE_SV39 | lock >> 12);
        __asm__ volatile("sfence.vma" : : : "memory");
    }
    check_pass();
}
