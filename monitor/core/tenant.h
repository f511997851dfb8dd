/* SPDX-License-Identifier: BSD-2-Clause */
/* A tenant: one operating system with its memory, vharts, devices and console. */
#ifndef COTENANT_CORE_TENANT_H
#define COTENANT_CORE_TENANT_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/bundle.h"
#include "core/loader.h"
#include "core/monitor_log.h"
#include "core/vhart.h"
#include "core/vuart.h"

struct vplic;

enum tenant_state {
    TENANT_EMPTY,    /* its memory holds no images */
    TENANT_LOADED,   /* its images are in place, it has not run since */
    TENANT_RUNNING,  /* at least one of its vharts is started, or it is being loaded to start */
    TENANT_DORMANT,  /* suspended to RAM, and another of its group is in the foreground */
    TENANT_STOPPED,  /* has shut down or was stopped */
    TENANT_CRASHED,  /* could not go on; see its log line */
    TENANT_STOPPING, /* some of its harts still have to let go of it */
    TENANT_LOADING,  /* its memory is being filled or cleared, and it will not start by itself */
};

/* What its memory is being filled or cleared for. */
enum tenant_purpose {
    TENANT_TO_RUN,     /* running */
    TENANT_TO_LOAD,    /* loaded */
    TENANT_TO_DESTROY, /* empty */
};

/* What follows when a tenant has stopped. */
struct tenant_outcome {
    enum tenant_state state; /* TENANT_STOPPED or TENANT_CRASHED */
    bool goes_on;            /* and then `purpose` */
    enum tenant_purpose purpose;
    uint32_t missing;   /* harts that have not let go of it yet, and who asks them */
    const char *reason; /* to be told on the log, or NULL */
    bool starts_again;  /* and that, after it */
    uint8_t first;      /* and before that, the values of tenant.crash from this one on */
    uint16_t later; /* vharts of the hart that asks, a bit each, that let go in core/teardown.c */
    struct monitor_log_parts parts; /* of the line with all this */
};

/* Why a vhart could not continue; in the order of the message. */
enum crash_value {
    /* Of the trap that has no handler, */
    CRASH_CAUSE,
    CRASH_ADDRESS,
    /* CSRs of the trap before, which is the one that the handler was wanted for, unless the vhart
     * went there by itself. */
    CRASH_SCAUSE,
    CRASH_SEPC,
    CRASH_STVAL,
    /* Where it was. */
    CRASH_PC,
    CRASH_RA,
    CRASH_VALUES,
};

/* Where give_back_step() goes on: in the table of core/give_back.h, and there. */
struct given_back {
    uint32_t giver;
    uint16_t next; /* behind the table: of the interrupts */
    bool waits;    /* a program of another tenant still works for a device: no step at once */
    bool done;     /* for teardown_step(): nothing is left */
};

struct tenant {
    const struct bundle_tenant *description;
    uint32_t index;
    uint32_t vhart_count;
    uint32_t uart_line; /* the source by which its virtual UART interrupts now, */
    bool uart_level;    /* and its level */
    enum tenant_state state;
    struct vhart *vharts; /* vhart_count of them */
    struct tenant_outcome outcome;
    uint64_t crash[CRASH_VALUES];
    struct given_back given_back;
    enum tenant_purpose purpose; /* while the loader works */
    bool used;                   /* its memory is no more as it was at boot */
    struct loader loader;
    struct vplic *plic; /* of features/plic; NULL without it */
    /* Through whose machine context its sources come, or NULL: see features/plic/routing.c. */
    struct hart *source_hart;
    uint32_t lives;    /* how often it was started since boot, */
    uint32_t suspends; /* and has suspended to RAM */
    struct vuart uart; /* last: all else is within reach of one load */
};

extern struct tenant tenants[COTENANT_MAX_TENANTS];
extern uint32_t tenant_count;
/* Those that stop and that core/teardown.h has something to do for, a bit each; the shared lock's.
 */
extern uint32_t tenants_stopping;
/* The bundle that the machine was started from, checked. */
extern const struct bundle *bundle;

/* It has no hart and is not about to have one: empty, loaded, dormant, stopped or crashed. */
bool tenant_is_at_rest(const struct tenant *tenant);

/* "empty", "loaded", ... */
const char *tenant_state_name(enum tenant_state state);

static inline uint32_t tenant_vhart_count(const struct tenant *tenant)
{
    return SEVERAL_VHARTS ? tenant->vhart_count : 1;
}

/* Its floating-point registers are kept. */
static inline bool tenant_uses_fp(const struct tenant *tenant)
{
    return (tenant->description->flags & COTENANT_TENANT_FP) != 0;
}

/* What a user can ask of a tenant at run time. */
enum tenant_command {
    COMMAND_LOAD,    /* puts the images in place, and does not start */
    COMMAND_START,   /* loads if it is not loaded, and starts */
    COMMAND_STOP,    /* takes its harts, devices and interrupts; its memory is lost at a start */
    COMMAND_RESTART, /* stops and starts anew */
    COMMAND_DESTROY, /* stops and clears its memory */
    COMMAND_SWITCH,  /* into the foreground of its group, when the active one has suspended */
    COMMAND_COUNT,
};

/* "load", "start", ...: what a user types. */
extern const char *const tenant_command_names[COMMAND_COUNT];

#endif
