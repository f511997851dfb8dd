/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * SBI section 12: debug console. It shares the rings of the tenant's virtual UART. A call moves a
 * bounded number of bytes and says how many, as the specification allows; it never waits. Only
 * console_write_byte does, which section 12.3 wants: the tenant makes the call again until there is
 * room, in its own time, and interrupts come in between.
 */
#include "core/work.h"
#include "sbi/sbi.h"

/* Bytes that one call moves at most. */
#define MOST_BYTES 8

static uint32_t bounded(uint64_t length)
{
    return length < MOST_BYTES ? (uint32_t)length : MOST_BYTES;
}

static struct sbi_result transfer(struct tenant *tenant, uint64_t function,
                                  const uint64_t *arguments)
{
    uint64_t length = arguments[0];
    uint64_t address = arguments[1];
    uint32_t moved;

    if (length == 0) {
        return sbi_value(0);
    }
    if (!sbi_owns_memory(tenant, address, arguments[2], length)) {
        return sbi_error(SBI_ERR_INVALID_PARAM);
    }
    if (function == SBI_DBCN_WRITE) {
        moved = vuart_console_write(&tenant->uart, (const uint8_t *)address, bounded(length));
        work_post();
    } else {
        moved = vuart_console_read(&tenant->uart, (uint8_t *)address, bounded(length));
    }
    vuart_refresh(tenant);
    return sbi_value(moved);
}

static struct sbi_result write_byte(struct tenant *tenant, uint8_t byte)
{
    if (vuart_console_write(&tenant->uart, &byte, 1) == 0) {
        return sbi_repeat();
    }
    work_post();
    vuart_refresh(tenant);
    return sbi_value(0);
}

static struct sbi_result sbi_dbcn(struct vhart *vhart, uint64_t function, const uint64_t *arguments)
{
    switch (function) {
    case SBI_DBCN_WRITE:
    case SBI_DBCN_READ:
        return transfer(vhart->tenant, function, arguments);
    case SBI_DBCN_WRITE_BYTE:
        return write_byte(vhart->tenant, (uint8_t)arguments[0]);
    default:
        return sbi_error(SBI_ERR_NOT_SUPPORTED);
    }
}

SBI_EXTENSION(SBI_EXT_DBCN, sbi_dbcn, SBI_SHARED);
