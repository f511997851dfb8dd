/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The control protocol: how programs ask the monitor about tenants and command them.
 * docs/control.md says what every verb does.
 *
 * A request is a struct control_request and then `length` bytes of data; the answer is a struct
 * control_answer and then `length` bytes of data. One request at a time: what is sent before the
 * answer has been taken waits. All integers are little endian. What does not begin with the magic
 * number is dropped byte by byte.
 *
 * The same bytes travel over the control port of a tenant, and in frames over the console line
 * (console.h) for the program that holds that.
 */
#ifndef COTENANT_ABI_CONTROL_H
#define COTENANT_ABI_CONTROL_H

#include "limits.h"

/* "CTRL" in memory order: struct control_request.magic and struct control_answer.magic. */
#define COTENANT_CONTROL_MAGIC 0x4c525443
/* Raised whenever something in this file changes in a way that old programs do not understand. */
#define COTENANT_CONTROL_VERSION 2
/* Most bytes of data of a request or an answer. */
#define COTENANT_CONTROL_MOST_DATA 4096

/*
 * Verbs. In brackets what they use of the request beside `tenant`; all else has to be 0.
 */
/* struct control_version; needs no right and no tenant. */
#define COTENANT_CONTROL_VERSION_GET 1
/* struct control_tenant. */
#define COTENANT_CONTROL_TENANT_GET 2
/* struct control_vhart. [item: number of the vhart] */
#define COTENANT_CONTROL_VHART_GET 3
/* A command of tenant_commands. [item: COTENANT_COMMAND_*] Refused: 4 bytes, the tenant's state. */
#define COTENANT_CONTROL_COMMAND 4
/* What the tenant has printed. [position] struct control_text, text. */
#define COTENANT_CONTROL_CONSOLE_READ 5
/* Types into the tenant's console. [data] 4 bytes: how many bytes found room. */
#define COTENANT_CONTROL_CONSOLE_WRITE 6
/* What the monitor has said; no tenant. [position] struct control_text, text. */
#define COTENANT_CONTROL_LOG_READ 7
/* The rings of trace.h; no tenant. [position: offset; item: bytes] The bytes there are. */
#define COTENANT_CONTROL_TRACE_READ 8
/* Memory of a tenant that does not run. [position: physical address; item: bytes] The bytes. */
#define COTENANT_CONTROL_MEMORY_READ 9
/* [position: physical address; data] */
#define COTENANT_CONTROL_MEMORY_WRITE 10

/* struct dormant_state of dormant.h, of a tenant that is dormant. */
#define COTENANT_CONTROL_STATE_GET 11
/* Makes a tenant at rest dormant, whose memory has been filled. [data: struct dormant_state] */
#define COTENANT_CONTROL_STATE_SET 12

/* The tenant's watch. [item: COTENANT_WATCH_*; position: microseconds, 0: as before] */
#define COTENANT_CONTROL_WATCH 13

/*
 * Zeros of a tenant that does not run, as numbers. Both verbs: [position: physical address; item:
 * bytes, at most COTENANT_CONTROL_MOST_ZEROS; both multiples of 8], and they do less when an
 * interrupt comes, but something.
 */
/*
 * The first bytes that are not zero. struct control_found, then up to COTENANT_CONTROL_MOST_FOUND
 * bytes from there; none: up to there all are zero.
 */
#define COTENANT_CONTROL_MEMORY_FIND 14
/* Makes them zero. 4 bytes: how many of them are now. */
#define COTENANT_CONTROL_MEMORY_CLEAR 15
#define COTENANT_CONTROL_MOST_ZEROS 65536
/* With this an answer fills a page, which is what Linux gives for an answer at once. */
#define COTENANT_CONTROL_MOST_FOUND 4072

/* struct control_answer.status */
#define COTENANT_CONTROL_OK 0
/* Not this version; the monitor's is in the answer. */
#define COTENANT_CONTROL_BAD_VERSION 1
#define COTENANT_CONTROL_BAD_VERB 2
/* Data where there may be none, too much of it, or none where it is needed. */
#define COTENANT_CONTROL_BAD_LENGTH 3
/* A vhart, command, address or position that does not exist; something that has to be 0. */
#define COTENANT_CONTROL_BAD_ARGUMENT 4
/* No such tenant, or one that the caller must not see. */
#define COTENANT_CONTROL_NO_TENANT 5
/* The caller may see the tenant but not do this. */
#define COTENANT_CONTROL_DENIED 6
/* The state of the tenant does not allow it. */
#define COTENANT_CONTROL_REFUSED 7

/* The commands, in the order of enum tenant_command. */
#define COTENANT_COMMAND_LOAD 0
#define COTENANT_COMMAND_START 1
#define COTENANT_COMMAND_STOP 2
#define COTENANT_COMMAND_RESTART 3
#define COTENANT_COMMAND_DESTROY 4
#define COTENANT_COMMAND_SWITCH 5

/* struct control_tenant.state, in the order of enum tenant_state. */
#define COTENANT_STATE_EMPTY 0
#define COTENANT_STATE_LOADED 1
#define COTENANT_STATE_RUNNING 2
#define COTENANT_STATE_DORMANT 3
#define COTENANT_STATE_STOPPED 4
#define COTENANT_STATE_CRASHED 5
#define COTENANT_STATE_STOPPING 6
#define COTENANT_STATE_LOADING 7

/* struct control_tenant.rights: what the caller may do with it. It may always see itself. */
#define COTENANT_RIGHT_SEE 0x1
#define COTENANT_RIGHT_CONTROL 0x2
/* It is the caller. */
#define COTENANT_RIGHT_SELF 0x4

/* struct control_vhart.schedule */
#define COTENANT_SCHEDULE_OFF 0
#define COTENANT_SCHEDULE_READY 1
#define COTENANT_SCHEDULE_WAITING 2
#define COTENANT_SCHEDULE_THROTTLED 3
#define COTENANT_SCHEDULE_RUNNING 4

#ifndef __ASSEMBLER__

#include <stdint.h>

struct control_request {
    uint32_t magic;
    uint8_t version;
    uint8_t verb;
    uint16_t reserved;
    uint32_t tag;    /* comes back in the answer */
    uint32_t length; /* bytes of data behind this structure */
    uint32_t tenant; /* index */
    uint32_t item;
    uint64_t position;
};

struct control_answer {
    uint32_t magic;
    uint8_t version;
    uint8_t verb;
    uint16_t status; /* COTENANT_CONTROL_OK... */
    uint32_t tag;
    uint32_t length; /* bytes of data behind this structure */
};

struct control_version {
    uint32_t implementation; /* COTENANT_SBI_IMPL_VERSION */
    uint32_t tenants;
    uint32_t harts;
    uint32_t log_dropped; /* messages of the monitor that found no room */
    uint64_t time_ns;     /* since the machine's timer started */
    uint64_t trace_size;  /* bytes of all rings of trace.h, or 0 */
};

struct control_range {
    uint64_t base;
    uint64_t size;
};

struct control_tenant {
    char name[COTENANT_NAME_SIZE];
    uint32_t state;
    uint32_t rights;
    uint32_t vharts;
    uint32_t flags;           /* COTENANT_TENANT_* of bundle.h */
    uint32_t console_used;    /* bytes that it has printed since boot, modulo 2^32 */
    uint32_t console_lost;    /* that found no room on the line */
    uint32_t watch_policy;    /* COTENANT_WATCH_* of bundle.h */
    uint32_t watch_within_us; /* 0: never given */
    uint32_t hangs;           /* times that it has hung since boot */
    uint32_t group;           /* of those that take turns; COTENANT_NONE of bundle.h: in none */
    uint64_t entry;
    uint64_t devicetree;
    struct control_range memory[COTENANT_MAX_MEMORY_RANGES];
};

struct control_vhart {
    uint32_t hart; /* mhartid */
    uint32_t priority;
    uint32_t started; /* as SBI HSM counts: 0 stopped, 1 start pending, 2 started */
    uint32_t schedule;
    uint64_t time_ns; /* the moment of what follows */
    uint64_t cpu_ns;  /* without waiting that was seen: docs/control.md */
    uint64_t switches;
    uint64_t interrupts;
    uint64_t faults;
    uint64_t stolen_ns; /* while the tenant has steal-time accounting on */
    uint32_t slice_us;
    uint32_t budget_us; /* 0: no limit */
    uint32_t period_us;
    uint32_t budget_used_us; /* in the present or the last period */
    /* The longest from a moment that it waited for to the end of its waiting, since it started. */
    uint64_t lateness_ns;
};

/*
 * Text is numbered from the first byte since boot on, modulo 2^32. What is older than the ring that
 * it was written to is gone: then the text begins later than at the position that was asked for.
 */
struct control_text {
    uint32_t position; /* of the first byte of the text */
    uint32_t end;      /* of the newest byte there is, plus one */
};

struct control_found {
    uint64_t position; /* of the bytes that follow: a multiple of 8 */
};

#endif

#endif
