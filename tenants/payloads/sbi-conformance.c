/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves what the SBI 3.0 specification says of the extensions that a one-hart tenant sees. */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/trap.h"

#define UNKNOWN_EXTENSION 0x7e57ab1e
#define UNKNOWN_FUNCTION 0x7e57
/* A hart mask base that means all harts (section 3.1). */
#define ALL_HARTS UINT64_MAX
/* Bytes that a console holds on their way out: docs/abi/sbi.md. */
#define CONSOLE_RING 1024

const char payload_name[] = "sbi-conformance";

static volatile unsigned timer_interrupts;
static volatile unsigned software_interrupts;

static void on_timer(void)
{
    timer_interrupts++;
    sbi_set_timer(UINT64_MAX);
}

static void on_software(void)
{
    software_interrupts++;
    csr_clear(sip, INTERRUPT_SOFTWARE);
}

/* One call whose error code is known. */
static void expect(const char *what, uint64_t extension, uint64_t function, uint64_t arg0,
                   uint64_t arg1, uint64_t arg2, int64_t error)
{
    struct sbi_result result = sbi_call(extension, function, arg0, arg1, arg2);

    check(result.error == error, "%s: error %ld, expected %ld", what, result.error, error);
}

static void test_base(void)
{
    static const uint64_t present[] = {SBI_EXT_BASE, SBI_EXT_TIME, SBI_EXT_IPI,  SBI_EXT_RFENCE,
                                       SBI_EXT_HSM,  SBI_EXT_SRST, SBI_EXT_DBCN, SBI_EXT_SUSP,
                                       SBI_EXT_FWFT, SBI_EXT_STA,  SBI_EXT_PMU};
    struct sbi_result result;

    result = sbi_call(SBI_EXT_BASE, SBI_BASE_GET_SPEC_VERSION, 0, 0, 0);
    check(result.error == SBI_SUCCESS && result.value == SBI_SPEC_VERSION,
          "specification version 0x%lx", result.value);
    result = sbi_call(SBI_EXT_BASE, SBI_BASE_GET_IMPL_ID, 0, 0, 0);
    check(result.error == SBI_SUCCESS && result.value == COTENANT_SBI_IMPL_ID,
          "implementation id 0x%lx", result.value);
    for (uint64_t id = SBI_BASE_GET_IMPL_VERSION; id <= SBI_BASE_GET_MIMPID; id++) {
        result = sbi_call(SBI_EXT_BASE, id, SBI_EXT_BASE, 0, 0);
        check(result.error == SBI_SUCCESS, "base function %lu: error %ld", id, result.error);
    }
    for (unsigned i = 0; i < sizeof(present) / sizeof(present[0]); i++) {
        check(sbi_probe(present[i]), "extension 0x%lx is missing", present[i]);
    }
    check(!sbi_probe(UNKNOWN_EXTENSION), "an unknown extension is said to exist");
    expect("unknown extension", UNKNOWN_EXTENSION, 0, 0, 0, 0, SBI_ERR_NOT_SUPPORTED);
    for (unsigned i = 0; i < sizeof(present) / sizeof(present[0]); i++) {
        expect("unknown function", present[i], UNKNOWN_FUNCTION, 0, 0, 0, SBI_ERR_NOT_SUPPORTED);
    }
}

/*
 * A call changes a0 and a1 only (section 3). These are the registers that a compiler would not
 * expect to survive a function call; the others are needed by the code around any call.
 */
static void test_registers_kept(void)
{
    register uint64_t a0 __asm__("a0") = 0;
    register uint64_t a1 __asm__("a1") = 0;
    register uint64_t a2 __asm__("a2") = 0xa2a2a2a2a2a2a2a2;
    register uint64_t a3 __asm__("a3") = 0xa3a3a3a3a3a3a3a3;
    register uint64_t a4 __asm__("a4") = 0xa4a4a4a4a4a4a4a4;
    register uint64_t a5 __asm__("a5") = 0xa5a5a5a5a5a5a5a5;
    register uint64_t a6 __asm__("a6") = SBI_BASE_GET_SPEC_VERSION;
    register uint64_t a7 __asm__("a7") = SBI_EXT_BASE;
    register uint64_t t0 __asm__("t0") = 0x7070707070707070;
    register uint64_t t1 __asm__("t1") = 0x7171717171717171;
    register uint64_t t2 __asm__("t2") = 0x7272727272727272;
    register uint64_t t3 __asm__("t3") = 0x7373737373737373;
    register uint64_t t4 __asm__("t4") = 0x7474747474747474;
    register uint64_t t5 __asm__("t5") = 0x7575757575757575;
    register uint64_t t6 __asm__("t6") = 0x7676767676767676;

    __asm__ volatile("ecall"
                     : "+r"(a0), "+r"(a1), "+r"(a2), "+r"(a3), "+r"(a4), "+r"(a5), "+r"(a6),
                       "+r"(a7), "+r"(t0), "+r"(t1), "+r"(t2), "+r"(t3), "+r"(t4), "+r"(t5),
                       "+r"(t6)
                     :
                     : "memory");
    bool arguments_kept = a2 == 0xa2a2a2a2a2a2a2a2 && a3 == 0xa3a3a3a3a3a3a3a3 &&
                          a4 == 0xa4a4a4a4a4a4a4a4 && a5 == 0xa5a5a5a5a5a5a5a5 &&
                          a6 == SBI_BASE_GET_SPEC_VERSION && a7 == SBI_EXT_BASE;
    bool temporaries_kept = t0 == 0x7070707070707070 && t1 == 0x7171717171717171 &&
                            t2 == 0x7272727272727272 && t3 == 0x7373737373737373 &&
                            t4 == 0x7474747474747474 && t5 == 0x7575757575757575 &&
                            t6 == 0x7676767676767676;

    check(arguments_kept, "a call changed an argument register other than a0 and a1");
    check(temporaries_kept, "a call changed a temporary register");
}

static void test_timer(void)
{
    interrupts_disable();
    csr_write(sie, INTERRUPT_TIMER);
    sbi_set_timer(0);
    check((csr_read(sip) & INTERRUPT_TIMER) != 0, "a deadline in the past is not pending at once");
    sbi_set_timer(UINT64_MAX);
    check((csr_read(sip) & INTERRUPT_TIMER) == 0,
          "a later deadline does not clear the pending one");

    interrupts_enable();
    sbi_set_timer(clock_now());
    clock_spin(1000);
    check(timer_interrupts == 1, "%u timer interrupts for one past deadline", timer_interrupts);
    sbi_set_timer(clock_now() + clock_ticks(2000));
    check(timer_interrupts == 1, "a deadline ahead fired early");
    while (timer_interrupts == 1) {
        wait_for_interrupt();
    }
    clock_spin(1000);
    check(timer_interrupts == 2, "%u timer interrupts for two deadlines", timer_interrupts);
    interrupts_disable();
}

static void test_ipi(void)
{
    csr_write(sie, INTERRUPT_SOFTWARE);
    expect("IPI to itself", SBI_EXT_IPI, SBI_IPI_SEND_IPI, 1, 0, 0, SBI_SUCCESS);
    clock_spin(100);
    check((csr_read(sip) & INTERRUPT_SOFTWARE) != 0, "an IPI to itself is not pending");
    interrupts_enable();
    clock_spin(100);
    check(software_interrupts == 1, "%u software interrupts for one IPI", software_interrupts);
    expect("IPI to all", SBI_EXT_IPI, SBI_IPI_SEND_IPI, 0, ALL_HARTS, 0, SBI_SUCCESS);
    clock_spin(100);
    check(software_interrupts == 2, "%u software interrupts for two IPIs", software_interrupts);
    expect("IPI to nobody", SBI_EXT_IPI, SBI_IPI_SEND_IPI, 0, 0, 0, SBI_SUCCESS);
    expect("IPI to hart 1", SBI_EXT_IPI, SBI_IPI_SEND_IPI, 2, 0, 0, SBI_ERR_INVALID_PARAM);
    expect("IPI to harts 0 and 63", SBI_EXT_IPI, SBI_IPI_SEND_IPI, 1ull << 63 | 1, 0, 0,
           SBI_ERR_INVALID_PARAM);
    expect("IPI with a base beyond", SBI_EXT_IPI, SBI_IPI_SEND_IPI, 1, 64, 0,
           SBI_ERR_INVALID_PARAM);
    expect("IPI to nobody, with a base beyond", SBI_EXT_IPI, SBI_IPI_SEND_IPI, 0, 64, 0,
           SBI_SUCCESS);
    expect("IPI with a wrapping base", SBI_EXT_IPI, SBI_IPI_SEND_IPI, 4, UINT64_MAX - 1, 0,
           SBI_ERR_INVALID_PARAM);
    clock_spin(100);
    check(software_interrupts == 2, "a refused IPI was delivered");
    csr_set(sip, INTERRUPT_SOFTWARE);
    clock_spin(100);
    check(software_interrupts == 3, "the own SSIP bit gives no interrupt");
    interrupts_disable();
}

static void test_rfence(void)
{
    for (uint64_t function = SBI_RFENCE_FENCE_I; function <= SBI_RFENCE_SFENCE_VMA_ASID;
         function++) {
        struct sbi_result result;

        result = sbi_call6(SBI_EXT_RFENCE, function, 1, 0, 0x1000, 0x2000, 1, 0);
        check(result.error == SBI_SUCCESS, "fence %lu: error %ld", function, result.error);
        result = sbi_call6(SBI_EXT_RFENCE, function, 0, ALL_HARTS, 0, UINT64_MAX, 1, 0);
        check(result.error == SBI_SUCCESS, "fence %lu of all: error %ld", function, result.error);
        result = sbi_call6(SBI_EXT_RFENCE, function, 1, 0, UINT64_MAX - 0xfff, 0x2000, 1, 0);
        check(result.error == SBI_SUCCESS, "fence %lu, wrapping: error %ld", function,
              result.error);
        result = sbi_call6(SBI_EXT_RFENCE, function, 2, 0, 0, 0x1000, 1, 0);
        check(result.error == SBI_ERR_INVALID_PARAM, "fence %lu of hart 1: error %ld", function,
              result.error);
    }
    /* Hypervisor fences need the hypervisor extension. */
    for (uint64_t function = SBI_RFENCE_HFENCE_GVMA_VMID; function <= SBI_RFENCE_HFENCE_VVMA;
         function++) {
        expect("hypervisor fence", SBI_EXT_RFENCE, function, 1, 0, 0, SBI_ERR_NOT_SUPPORTED);
    }
}

static void test_hsm(void)
{
    struct sbi_result result = sbi_call(SBI_EXT_HSM, SBI_HSM_HART_GET_STATUS, platform.hart, 0, 0);

    check(result.error == SBI_SUCCESS && result.value == SBI_HSM_STATE_STARTED,
          "own status: error %ld, state %lu", result.error, result.value);
    expect("status of hart 77", SBI_EXT_HSM, SBI_HSM_HART_GET_STATUS, 77, 0, 0,
           SBI_ERR_INVALID_PARAM);
    expect("start of itself", SBI_EXT_HSM, SBI_HSM_HART_START, platform.hart, platform.memory_base,
           0, SBI_ERR_ALREADY_AVAILABLE);
    expect("start of itself at 0", SBI_EXT_HSM, SBI_HSM_HART_START, platform.hart, 0, 0,
           SBI_ERR_INVALID_ADDRESS);
    expect("start of hart 77", SBI_EXT_HSM, SBI_HSM_HART_START, 77, platform.memory_base, 0,
           SBI_ERR_INVALID_PARAM);
    expect("suspend of a reserved type", SBI_EXT_HSM, SBI_HSM_HART_SUSPEND, 1, 0, 0,
           SBI_ERR_INVALID_PARAM);
    /* A pending interrupt ends a retentive suspend at once. */
    csr_write(sie, INTERRUPT_TIMER);
    sbi_set_timer(clock_now() + clock_ticks(1000));
    expect("retentive suspend", SBI_EXT_HSM, SBI_HSM_HART_SUSPEND, SBI_HSM_SUSPEND_RETENTIVE, 0, 0,
           SBI_SUCCESS);
    sbi_set_timer(UINT64_MAX);
}

static void test_srst(void)
{
    expect("reset of a reserved type", SBI_EXT_SRST, SBI_SRST_SYSTEM_RESET, 3, 0, 0,
           SBI_ERR_INVALID_PARAM);
    expect("reset for a reserved reason", SBI_EXT_SRST, SBI_SRST_SYSTEM_RESET,
           SBI_SRST_TYPE_SHUTDOWN, 2, 0, SBI_ERR_INVALID_PARAM);
}

static void test_dbcn(void)
{
    static char text[] = "DBCN text\n";
    char buffer[16];
    struct sbi_result result;
    uint64_t end = platform.memory_base + platform.memory_size;

    console_write(text, sizeof(text) - 1);
    result = sbi_call(SBI_EXT_DBCN, SBI_DBCN_WRITE, 0, (uintptr_t)text, 0);
    check(result.error == SBI_SUCCESS && result.value == 0, "empty write: error %ld, value %lu",
          result.error, result.value);
    result = sbi_call(SBI_EXT_DBCN, SBI_DBCN_READ, sizeof(buffer), (uintptr_t)buffer, 0);
    check(result.error == SBI_SUCCESS && result.value <= sizeof(buffer),
          "read: error %ld, value %lu", result.error, result.value);
    /* More than its ring has room for: each call waits for it. */
    for (unsigned i = 0; i < CONSOLE_RING + 128; i++) {
        expect("byte", SBI_EXT_DBCN, SBI_DBCN_WRITE_BYTE, i % 64 == 63 ? '\n' : '.', 0, 0,
               SBI_SUCCESS);
    }
    for (uint64_t function = SBI_DBCN_WRITE; function <= SBI_DBCN_READ; function++) {
        expect("address 0", SBI_EXT_DBCN, function, 8, 0, 0, SBI_ERR_INVALID_PARAM);
        expect("high half of the address", SBI_EXT_DBCN, function, 1, (uintptr_t)buffer, 1,
               SBI_ERR_INVALID_PARAM);
        expect("end of memory", SBI_EXT_DBCN, function, 16, end - 8, 0, SBI_ERR_INVALID_PARAM);
        expect("beginning before memory", SBI_EXT_DBCN, function, 16, platform.memory_base - 8, 0,
               SBI_ERR_INVALID_PARAM);
        expect("wrapping length", SBI_EXT_DBCN, function, UINT64_MAX, (uintptr_t)buffer, 0,
               SBI_ERR_INVALID_PARAM);
    }
}

void main(void)
{
    trap_set_handler(CAUSE_INTERRUPT_TIMER, on_timer);
    trap_set_handler(CAUSE_INTERRUPT_SOFTWARE, on_software);
    test_base();
    test_registers_kept();
    test_timer();
    test_ipi();
    test_rfence();
    test_hsm();
    test_srst();
    test_dbcn();
    check_pass();
}
