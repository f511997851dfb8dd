/* SPDX-License-Identifier: BSD-2-Clause */
/* Chapters are those of the SBI specification 2.0. */
#include "sbi.h"

#include <stddef.h>

#include "console.h"
#include "guest.h"
#include "memory.h"

#define EXT_BASE 0x10
#define EXT_TIME 0x54494d45
#define EXT_IPI 0x735049
#define EXT_RFENCE 0x52464e43
#define EXT_HSM 0x48534d
#define EXT_SRST 0x53525354
#define EXT_DBCN 0x4442434e
#define EXT_SUSP 0x53555350

#define BASE_PROBE 3

enum { HSM_START, HSM_STOP, HSM_STATUS };
enum { HSM_STARTED, HSM_STOPPED };
enum { SRST_SHUTDOWN, SRST_COLD_REBOOT, SRST_WARM_REBOOT };
enum { SRST_NO_REASON, SRST_SYSTEM_FAILURE };
#define SUSP_TO_RAM 0

enum { DBCN_WRITE, DBCN_READ, DBCN_WRITE_BYTE };

struct answer {
    int64_t error;
    uint64_t value;
};

/* What the monitor serves is there as well (docs/abi/hosted.md). */
static struct answer serve_base(const uint64_t *arguments)
{
    static const uint64_t extensions[] = {EXT_BASE, EXT_TIME, EXT_IPI,  EXT_RFENCE,
                                          EXT_HSM,  EXT_SRST, EXT_DBCN, EXT_SUSP};
    struct answer answer = {SBI_SUCCESS, 0};

    if (arguments[6] != BASE_PROBE) {
        return (struct answer){SBI_NOT_SUPPORTED, 0};
    }
    for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
        answer.value |= extensions[i] == arguments[0];
    }
    return answer;
}

/* The call has been carried out; the vharts that it is for may sleep (docs/abi/hosted.md). */
static struct answer serve_ipi(const uint64_t *arguments)
{
    uint64_t mask = arguments[0], base = arguments[1];

    if (base == ~0ull) {
        mask = ~0ull;
        base = 0;
    }
    for (unsigned i = 0; i < 64; i++) {
        if ((mask >> i & 1) != 0 && guest_vhart_exists(base + i)) {
            guest_wake_vhart((unsigned)(base + i));
        }
    }
    return (struct answer){SBI_SUCCESS, 0};
}

static struct answer serve_hsm(unsigned vhart, const uint64_t *arguments)
{
    if (arguments[6] == HSM_STOP) {
        guest_stop_vhart(vhart);
        return (struct answer){SBI_FAILED, 0};
    }
    if (arguments[6] != HSM_START && arguments[6] != HSM_STATUS) {
        return (struct answer){SBI_NOT_SUPPORTED, 0};
    }
    if (!guest_vhart_exists(arguments[0])) {
        return (struct answer){SBI_INVALID_PARAM, 0};
    }
    vhart = (unsigned)arguments[0];
    if (arguments[6] == HSM_STATUS) {
        return (struct answer){SBI_SUCCESS, guest_vhart_runs(vhart) ? HSM_STARTED : HSM_STOPPED};
    }
    return (struct answer){guest_start_vhart(vhart, arguments[1], arguments[2]), 0};
}

/*
 * Linux gives no reason when it panics. With "reboot=panic_warm" on its command line it asks for a
 * warm reboot then, and only then.
 */
static struct answer serve_reset(const uint64_t *arguments)
{
    uint64_t type = arguments[0], reason = arguments[1];

    if (arguments[6] != 0) {
        return (struct answer){SBI_NOT_SUPPORTED, 0};
    }
    if (type > SRST_WARM_REBOOT) {
        return (struct answer){SBI_INVALID_PARAM, 0};
    }
    if (reason == SRST_SYSTEM_FAILURE || type == SRST_WARM_REBOOT) {
        guest_end(GUEST_PANIC);
    } else {
        guest_end(type == SRST_SHUTDOWN ? GUEST_POWEROFF : GUEST_REBOOT);
    }
    return (struct answer){SBI_FAILED, 0};
}

/* It goes on at the address when it is woken, or when it is restored. */
static struct answer serve_suspend(unsigned vhart, const uint64_t *arguments)
{
    if (arguments[6] != 0) {
        return (struct answer){SBI_NOT_SUPPORTED, 0};
    }
    if (arguments[0] != SUSP_TO_RAM) {
        return (struct answer){SBI_INVALID_PARAM, 0};
    }
    return (struct answer){guest_suspend(vhart, arguments[1], arguments[2]), 0};
}

static struct answer serve_debug_console(const uint64_t *arguments)
{
    uint8_t byte = (uint8_t)arguments[0];
    const uint8_t *bytes;

    switch (arguments[6]) {
    case DBCN_WRITE:
        bytes = memory_at(arguments[1], arguments[0]);
        if (arguments[2] != 0 || bytes == NULL) {
            return (struct answer){SBI_INVALID_PARAM, 0};
        }
        for (uint64_t i = 0; i < arguments[0]; i++) {
            console_put(bytes[i]);
        }
        return (struct answer){SBI_SUCCESS, arguments[0]};
    case DBCN_READ:
        return (struct answer){SBI_SUCCESS, 0};
    case DBCN_WRITE_BYTE:
        console_put(byte);
        return (struct answer){SBI_SUCCESS, 0};
    default:
        return (struct answer){SBI_NOT_SUPPORTED, 0};
    }
}

void sbi_serve(unsigned vhart, uint64_t *arguments)
{
    struct answer answer = {SBI_NOT_SUPPORTED, 0};

    switch (arguments[7]) {
    case EXT_BASE:
        answer = serve_base(arguments);
        break;
    case EXT_IPI:
        answer = serve_ipi(arguments);
        break;
    case EXT_HSM:
        answer = serve_hsm(vhart, arguments);
        break;
    case EXT_SRST:
        answer = serve_reset(arguments);
        break;
    case EXT_DBCN:
        answer = serve_debug_console(arguments);
        break;
    case EXT_SUSP:
        answer = serve_suspend(vhart, arguments);
        break;
    default:
        break;
    }
    arguments[0] = (uint64_t)answer.error;
    arguments[1] = answer.value;
}
