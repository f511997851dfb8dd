/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves what SBI 3.0 says of firmware features (section 18), in a tenant of one hart. */
#include "rt/check.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/suspend.h"
#include "rt/trap.h"

const char payload_name[] = "sbi-fwft";

static void expect_set(uint64_t feature, uint64_t value, uint64_t flags, int64_t error)
{
    struct sbi_result result = sbi_call(SBI_EXT_FWFT, SBI_FWFT_SET, feature, value, flags);

    check(result.error == error && result.value == 0,
          "set 0x%lx to 0x%lx, flags 0x%lx: error %ld, expected %ld", feature, value, flags,
          result.error, error);
}

static void expect_get(uint64_t feature, int64_t error, uint64_t value)
{
    struct sbi_result result = sbi_call(SBI_EXT_FWFT, SBI_FWFT_GET, feature, 0, 0);

    check(result.error == error && result.value == value,
          "get 0x%lx: error %ld, value %lu, expected %ld and %lu", feature, result.error,
          result.value, error, value);
}

/* "feature is reserved or is platform-specific and unimplemented": DENIED. */
static void test_what_is_not_there(void)
{
    static const uint64_t reserved[] = {6,          0x3fffffff, 0x40000000, 0x7fffffff,
                                        0x80000000, 0xbfffffff, 0xc0000000, 0xffffffff};

    for (unsigned i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++) {
        expect_set(reserved[i], 0, 0, SBI_ERR_DENIED);
        expect_get(reserved[i], SBI_ERR_DENIED, 0);
    }
    for (uint64_t feature = SBI_FWFT_LANDING_PAD; feature <= SBI_FWFT_POINTER_MASKING_PMLEN;
         feature++) {
        expect_set(feature, 1, 0, SBI_ERR_NOT_SUPPORTED);
        expect_get(feature, SBI_ERR_NOT_SUPPORTED, 0);
    }
}

static void amo(void *address)
{
    __asm__ volatile("amoadd.d zero, %0, (%1)" : : "r"(1ul), "r"(address) : "memory");
}

/*
 * Who handles an exception does not show in it: an atomic access has to be aligned either way. Its
 * cause differs among harts (QEMU has a load's), so it is compared.
 */
static uint64_t test_misaligned_access(void)
{
    static uint64_t words[2] = {0x1122334455667788, 0};
    volatile uint8_t *bytes = (volatile uint8_t *)words;
    struct trap_fault fault;
    uint64_t value;

    __asm__ volatile("ld %0, 0(%1)" : "=r"(value) : "r"(bytes + 1) : "memory");
    check(value == 0x11223344556677, "a misaligned load reads 0x%lx", value);
    check(!trap_try(amo, (void *)(uintptr_t)(bytes + 1), &fault), "a misaligned AMO went through");
    return fault.cause;
}

static void test_misaligned_delegation(void)
{
    uint64_t cause = test_misaligned_access();
    struct suspend_result result;

    for (uint64_t value = 0; value <= 1; value++) {
        expect_set(SBI_FWFT_MISALIGNED_EXC_DELEG, value, 0, SBI_SUCCESS);
        expect_get(SBI_FWFT_MISALIGNED_EXC_DELEG, SBI_SUCCESS, value);
        /* The identifier is a uint32_t. */
        expect_get(SBI_FWFT_MISALIGNED_EXC_DELEG | 1ul << 32, SBI_SUCCESS, value);
        check(test_misaligned_access() == cause, "delegation %lu changes the cause", value);
    }
    /* In case of failure the value is not modified. */
    expect_set(SBI_FWFT_MISALIGNED_EXC_DELEG, 2, 0, SBI_ERR_INVALID_PARAM);
    expect_set(SBI_FWFT_MISALIGNED_EXC_DELEG, UINT64_MAX, 0, SBI_ERR_INVALID_PARAM);
    expect_set(SBI_FWFT_MISALIGNED_EXC_DELEG, 0, 2, SBI_ERR_INVALID_PARAM);
    expect_set(SBI_FWFT_MISALIGNED_EXC_DELEG, 0, 1ul << 63, SBI_ERR_INVALID_PARAM);
    expect_get(SBI_FWFT_MISALIGNED_EXC_DELEG, SBI_SUCCESS, 1);

    /* Locked until the hart is reset; a non-retentive suspend retains value and lock. */
    expect_set(SBI_FWFT_MISALIGNED_EXC_DELEG, 0, SBI_FWFT_SET_LOCK, SBI_SUCCESS);
    expect_set(SBI_FWFT_MISALIGNED_EXC_DELEG, 1, 0, SBI_ERR_DENIED_LOCKED);
    expect_set(SBI_FWFT_MISALIGNED_EXC_DELEG, 2, 0, SBI_ERR_DENIED_LOCKED);
    expect_set(SBI_FWFT_MISALIGNED_EXC_DELEG, 1, 2, SBI_ERR_INVALID_PARAM);
    csr_set(sip, INTERRUPT_SOFTWARE);
    csr_write(sie, INTERRUPT_SOFTWARE);
    suspend(SBI_EXT_HSM, SBI_HSM_HART_SUSPEND, SBI_HSM_SUSPEND_NON_RETENTIVE, &result);
    check(result.resumed == 1, "hart_suspend returned, error %ld", result.error);
    expect_set(SBI_FWFT_MISALIGNED_EXC_DELEG, 1, 0, SBI_ERR_DENIED_LOCKED);
    expect_get(SBI_FWFT_MISALIGNED_EXC_DELEG, SBI_SUCCESS, 0);
}

void main(void)
{
    interrupts_disable();
    check(sbi_probe(SBI_EXT_FWFT), "extension FWFT is missing");
    check(sbi_call(SBI_EXT_FWFT, 2, 0, 0, 0).error == SBI_ERR_NOT_SUPPORTED, "function 2 exists");
    test_what_is_not_there();
    test_misaligned_delegation();
    check_pass();
}
