/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SBI section 8: remote fences.
 *
 * The caller itself fences the pages that it names; a range of many pages as a whole, so that the
 * work is bounded. Its other vharts fence everything: see features/harts/remote_fence.c.
 */
#include "core/hooks.h"
#include "core/messages.h"
#include "sbi/sbi.h"

#define PAGE_SIZE 4096
#define MOST_PAGES 16

/*
 * Section 8: start and size both zero, or size all ones, mean every address. A range that wraps
 * around does as well: the specification allows INVALID_ADDRESS, but OpenSBI fences, and a kernel
 * that does not look at the error would go on with stale translations.
 */
static bool fence_everything(uint64_t start, uint64_t size)
{
    return size > MOST_PAGES * PAGE_SIZE || (start == 0 && size == 0) || start + size < start;
}

/*
 * Pages that hold `size` bytes at `start`, which do not wrap around. Counted beforehand: behind the
 * last page of the address space there is no address to compare with.
 */
static uint64_t page_count(uint64_t start, uint64_t size)
{
    return (start % PAGE_SIZE + size + PAGE_SIZE - 1) / PAGE_SIZE;
}

static void fence_addresses(uint64_t start, uint64_t size)
{
    for (uint64_t i = 0; i < page_count(start, size); i++) {
        __asm__ volatile("sfence.vma %0" : : "r"(start + i * PAGE_SIZE) : "memory");
    }
}

static void fence_addresses_of(uint64_t start, uint64_t size, uint64_t asid)
{
    for (uint64_t i = 0; i < page_count(start, size); i++) {
        __asm__ volatile("sfence.vma %0, %1" : : "r"(start + i * PAGE_SIZE), "r"(asid) : "memory");
    }
}

/* Fences the running hart as `function` asks. */
static void fence_self(uint64_t function, uint64_t start, uint64_t size, uint64_t asid)
{
    if (function == SBI_RFENCE_FENCE_I) {
        FENCE_I();
    } else if (fence_everything(start, size)) {
        if (function == SBI_RFENCE_SFENCE_VMA) {
            __asm__ volatile("sfence.vma" : : : "memory");
        } else {
            __asm__ volatile("sfence.vma x0, %0" : : "r"(asid) : "memory");
        }
    } else if (function == SBI_RFENCE_SFENCE_VMA) {
        fence_addresses(start, size);
    } else {
        fence_addresses_of(start, size, asid);
    }
}

/* By function. */
static const struct {
    unsigned sent;
    unsigned received;
} events[] = {
    [SBI_RFENCE_FENCE_I] = {SBI_PMU_FW_FENCE_I_SENT, SBI_PMU_FW_FENCE_I_RECEIVED},
    [SBI_RFENCE_SFENCE_VMA] = {SBI_PMU_FW_SFENCE_VMA_SENT, SBI_PMU_FW_SFENCE_VMA_RECEIVED},
    [SBI_RFENCE_SFENCE_VMA_ASID] = {SBI_PMU_FW_SFENCE_VMA_ASID_SENT,
                                    SBI_PMU_FW_SFENCE_VMA_ASID_RECEIVED},
};

static struct sbi_result sbi_rfence(struct vhart *vhart, uint64_t function,
                                    const uint64_t *arguments)
{
    uint64_t start = arguments[2];
    uint64_t size = arguments[3];
    uint64_t targets;
    long error;

    if (function > SBI_RFENCE_SFENCE_VMA_ASID) {
        return sbi_error(SBI_ERR_NOT_SUPPORTED); /* the others need the hypervisor extension */
    }
    error = sbi_hart_mask(vhart->tenant, arguments[0], arguments[1], &targets);
    if (error != SBI_SUCCESS) {
        return sbi_error(error);
    }
    if ((targets >> vhart->world.vhart_id & 1) != 0) {
        fence_self(function, start, size, arguments[4]);
    }
    if (HAS(harts) && vhart->tenant->vhart_count > 1) {
        firmware_requests(vhart, targets, events[function].sent, events[function].received);
        remote_fence(vhart, targets, function == SBI_RFENCE_FENCE_I);
    }
    return sbi_value(0);
}

SBI_EXTENSION(SBI_EXT_RFENCE, sbi_rfence, SBI_AT_ONCE);
