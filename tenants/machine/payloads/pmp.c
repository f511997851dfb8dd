/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User mode as a kernel with memory protection runs it: its own PMP entries say what each task may
 * access, and are written anew at each switch. What it prints is what the bare machine prints.
 *
 * Arguments: hostile=ADDRESS   lets user mode have all there is by its entries, and tries there
 * what is another's: in vain; and what QEMU does not do as the specification says
 */
#include <stdbool.h>

#include "machine/machine.h"
#include "machine/tell.h"
#include "rt/console.h"
#include "rt/platform.h"

#define READ 0x1ul
#define WRITE 0x2ul
#define EXECUTE 0x4ul
#define TOR 0x8ul
#define NA4 0x10ul
#define NAPOT 0x18ul
#define LOCKED 0x80ul
#define ALL ((1ul << 54) - 1)
#define UART 0x10000000ul
#define PAGE 4096ul
#define ROUNDS 20
#define NEVER UINT64_MAX

static _Alignas(16) uint8_t handler_stack[4096];
static _Alignas(4096) volatile uint64_t data[4][512];
static volatile bool told; /* the next trap is not printed */

/* What user mode does: its stack pointer is the address. A page of its own. */
extern const char user_code[];
void user_load(void);
void user_load_byte(void);
void user_store(void);
void user_add(void);
void user_atomic(void);
void user_jump(void);
void user_spin(void);
__asm__(".pushsection .text.user, \"ax\"\n"
        ".balign 4096\n"
        "user_code:\n"
        "user_load: ld t0, 0(sp)\n"
        "ecall\n"
        "user_load_byte: lbu t0, 0(sp)\n"
        "ecall\n"
        "user_store: sd zero, 0(sp)\n"
        "ecall\n"
        "user_add: ld t0, 0(sp)\n"
        "addi t0, t0, 1\n"
        "sd t0, 0(sp)\n"
        "ecall\n"
        "user_atomic: amoadd.d t0, sp, (sp)\n"
        "ecall\n"
        "user_jump: jr sp\n"
        "user_spin: j user_spin\n"
        ".balign 4096\n"
        ".popsection\n");

void machine_trap(uint64_t *registers, uint64_t entry)
{
    uint64_t cause = CSR_READ(mcause);
    uint64_t pc = CSR_READ(mepc);
    uint64_t mpp = CSR_READ(mstatus) & MSTATUS_MPP;

    (void)registers;
    (void)entry;
    if (!told) {
        print("  mcause=0x%lx mtval=0x%lx mpp=%lu\n", cause, CSR_READ(mtval), mpp >> 11);
    }
    if (cause == (CAUSE_INTERRUPT | 7)) {
        REGISTER64(MTIMECMP) = NEVER;
    }
    if (mpp == 0) {
        CSR_SET(mstatus, MSTATUS_MPP);
        CSR_WRITE(mepc, machine_user_done);
    } else {
        CSR_WRITE(mepc, pc + ((*(const uint16_t *)pc & 3) == 3 ? 4 : 2));
    }
}

static void try(const char *what, void (*function)(void), uint64_t address)
{
    print("%s 0x%lx\n", what, address);
    machine_call_user(function, (void *)address);
    CSR_CLEAR(mstatus, MSTATUS_MIE);
}

static void try_all(uint64_t address)
{
    try("load", user_load, address);
    try("store", user_store, address);
    try("add", user_add, address);
    try("atomic", user_atomic, address);
    try("jump", user_jump, address);
}

static uint64_t napot(const volatile void *base, uint64_t size)
{
    return (uint64_t)base >> 2 | (size / 8 - 1);
}

/* Those of a task: its code, and `rights` to a page. */
static void protect(const volatile void *page, uint64_t rights)
{
    CSR_WRITE(pmpcfg0, 0ul);
    CSR_WRITE(pmpaddr0, napot(user_code, PAGE));
    CSR_WRITE(pmpaddr1, napot(page, PAGE));
    CSR_WRITE(pmpcfg0, (NAPOT | rights) << 8 | NAPOT | READ | EXECUTE);
}

static void try_tasks(void)
{
    print("tasks\n");
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned task = round % 2;

        protect(data[task], READ | WRITE);
        told = true;
        machine_call_user(user_add, (void *)data[task]);
        told = false;
        if (round < 4) {
            try("of the other", user_add, (uint64_t)data[1 - task]);
        }
    }
    print("counted %lu %lu\n", data[0][0], data[1][0]);
    try_all((uint64_t)data[1]);
    try_all((uint64_t)data[2]);
    protect(data[1], READ);
    try_all((uint64_t)data[1]);
    protect(data[1], EXECUTE);
    try_all((uint64_t)data[1]);
    CSR_WRITE(pmpcfg0, NAPOT);
    print("its code too is machine mode's\n");
    try_all((uint64_t)data[1]);
}

/* Entries that are parts of later ones, finer than a page, and between two addresses. */
static void try_forms(void)
{
    print("forms\n");
    CSR_WRITE(pmpcfg0, 0ul);
    CSR_WRITE(pmpaddr0, (uint64_t)&data[0][2] >> 2);
    CSR_WRITE(pmpaddr1, napot(&data[0][4], 16));
    CSR_WRITE(pmpaddr2, (uint64_t)data[1] >> 2);
    CSR_WRITE(pmpaddr3, (uint64_t)&data[3][8] >> 2);
    CSR_WRITE(pmpaddr4, napot(user_code, PAGE));
    CSR_WRITE(pmpaddr5, napot(data[0], PAGE));
    CSR_WRITE(pmpcfg0, (NAPOT | READ | WRITE) << 40 | (NAPOT | READ | EXECUTE) << 32 |
                           (TOR | READ) << 24 | NAPOT << 8 | NA4);
    try("load", user_load, (uint64_t)&data[0][1]);
    try("load", user_load_byte, (uint64_t)&data[0][2]);
    try("load", user_load_byte, (uint64_t)&data[0][2] + 4);
    try("store", user_store, (uint64_t)&data[0][3]);
    try("store", user_store, (uint64_t)&data[0][4]);
    try("load", user_load, (uint64_t)&data[0][5]);
    try("store", user_store, (uint64_t)&data[0][6]);
    try("load", user_load, (uint64_t)&data[1][0]);
    try("load", user_load, (uint64_t)&data[3][7]);
    try("store", user_store, (uint64_t)&data[3][7]);
    try("load", user_load, (uint64_t)&data[3][8]);
    for (unsigned i = 0; i < 512; i += 64) {
        try("load", user_load, (uint64_t)&data[2][i]);
    }
    WRITE_AND_READ(pmpcfg0, 0);
    WRITE_AND_READ(pmpaddr0, ALL);
    WRITE_AND_READ(pmpcfg0, NAPOT | READ | WRITE | EXECUTE);
    try("load", user_load, (uint64_t)data[2]);
    try("store", user_store, (uint64_t)data[3]);
}

/* Devices are behind the entries as well. */
static void try_devices(void)
{
    print("devices\n");
    protect(data[0], READ | WRITE);
    try("load", user_load_byte, UART + 5);
    try("load", user_load, MTIMECMP);
    try("store", user_store, MTIMECMP);
    CSR_WRITE(pmpaddr2, napot((void *)UART, PAGE));
    CSR_SET(pmpcfg0, (NAPOT | READ) << 16);
    try("load", user_load_byte, UART + 5);
    try("load", user_load, MTIMECMP);
    CSR_WRITE(pmpaddr2, napot((void *)(MTIMECMP & ~(PAGE - 1)), PAGE));
    try("load", user_load, MTIMECMP);
    try("store", user_store, MTIMECMP);
}

static void try_timer(void)
{
    print("timer\n");
    protect(data[0], READ | WRITE);
    CSR_WRITE(mie, INTERRUPT_MTI);
    for (unsigned i = 0; i < 3; i++) {
        REGISTER64(MTIMECMP) = REGISTER64(MTIME) + 1000;
        try("spin", user_spin, 0);
    }
    CSR_WRITE(mie, 0ul);
}

/* Loads and stores of machine mode as by user mode. */
static void modified(uint64_t address)
{
    uint64_t status = CSR_READ(mstatus);
    uint64_t value = 0;

    print("as by user mode 0x%lx\n", address);
    __asm__ volatile("csrw mstatus, %2\n"
                     "ld %0, 0(%1)\n"
                     "csrw mstatus, %2\n" /* an exception has left user mode in MPP */
                     "sd zero, 8(%1)\n"
                     "csrw mstatus, %3\n"
                     : "+&r"(value)
                     : "r"(address), "r"((status & ~MSTATUS_MPP) | MSTATUS_MPRV), "r"(status)
                     : "memory");
    print("0x%lx\n", value);
}

static void try_modified(void)
{
    print("MPRV\n");
    data[0][0] = 0x1234;
    protect(data[0], READ | WRITE);
    modified((uint64_t)data[0]);
    modified((uint64_t)data[1]);
    protect(data[0], READ);
    modified((uint64_t)data[0]);
}

/* QEMU's own mret leaves MPRV as it is, unlike privileged ISA 3.1.6.3. */
static void try_mret(void)
{
    print("mret\n");
    protect(data[0], READ | WRITE);
    CSR_WRITE(pmpaddr2, napot(0, 1ul << 32)); /* its stack too */
    CSR_SET(pmpcfg0, (NAPOT | READ | WRITE) << 16);
    for (unsigned i = 0; i < 2; i++) {
        CSR_SET(mstatus, MSTATUS_MPRV | MSTATUS_MPP);
        try("to user mode", user_load, (uint64_t)data[0]);
        print("mprv %lu\n", CSR_READ(mstatus) >> 17 & 1);
    }
}

/* Those that are locked are machine mode's too, until the next reset. */
static void try_locked(void)
{
    print("locked\n");
    CSR_WRITE(pmpaddr7, napot(data[3], PAGE));
    CSR_SET(pmpcfg0, (LOCKED | NAPOT | READ) << 56);
    WRITE_AND_READ(pmpaddr7, 0);
    CSR_CLEAR(pmpcfg0, 0xfful << 56);
    print("pmpcfg0 0x%lx\n", CSR_READ(pmpcfg0));
    print("load 0x%lx\n", data[3][0]);
    print("store\n");
    data[3][0] = 1;
    try("load", user_load, (uint64_t)data[3]);
    try("store", user_store, (uint64_t)data[3]);
    try("load", user_load, (uint64_t)data[2]);
    data[2][0] = 2;
}

static void try_hostile(uint64_t address)
{
    print("hostile\n");
    CSR_WRITE(pmpcfg0, 0ul);
    CSR_WRITE(pmpaddr0, ALL);
    for (unsigned i = 0; i < 3; i++) {
        static const uint64_t forms[] = {NAPOT, TOR, NAPOT << 8};

        CSR_WRITE(pmpaddr1, i == 2 ? ALL >> 3 : 0); /* not all of it: by blocks */
        CSR_WRITE(pmpcfg0, (READ | WRITE | EXECUTE) << (i == 2 ? 8 : 0) | forms[i]);
        try_all(address);
        try("load", user_load, (uint64_t)data[0]);
        modified(address);
    }
}

void main(void)
{
    uint64_t hostile = platform_number("hostile", 0);

    CSR_WRITE(mtvec, machine_direct);
    CSR_WRITE(mscratch, handler_stack + sizeof(handler_stack));
    REGISTER64(MTIMECMP) = NEVER;
    for (unsigned turn = 0; turn < 2; turn++) { /* the second time it may be other instructions */
        data[0][0] = 0;
        data[1][0] = 0;
        data[2][0] = 0x30200073;
        try_tasks();
        try_forms();
        try_devices();
        try_timer();
        try_modified();
    }
    if (hostile != 0) {
        try_mret();
        try_hostile(hostile);
    }
    try_locked();
    print("PASS pmp\n");
}
