/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands of the user against a tenant that lives: monitor/core/tenant_commands.c with
 * monitor/core/lifecycle.c.
 *
 * Two harts. The console, whose commands come at any time, is on hart 0, with vhart 1 of the tenant;
 * vhart 0, which also loads the images, is on hart 1. The tenant starts and stops its second vhart,
 * shuts itself down and reboots as it likes. What is left of a stop when both harts have let go of
 * it is done by the console service later (core/teardown.c). What the shared lock guards is one step here; between
 * taking requests and carrying them out others may come. Every run is finite; `finish` looks at its
 * end.
 */
#define VHARTS 2
#define HART_OF(vhart) (1 - (vhart))

/* How often each happens in a run. */
#ifndef COMMANDS
#define COMMANDS 4
#endif
#ifndef ENDS
#define ENDS 3
#endif
#ifndef STARTS
#define STARTS 3
#endif

/* enum vhart_state */
#define VHART_STOPPED 0
#define VHART_START_PENDING 1
#define VHART_STARTED 2

/* enum tenant_state */
#define EMPTY 0
#define LOADED 1
#define RUNNING 2
#define STOPPED 3
#define STOPPING 4
#define LOADING 5

/* enum tenant_purpose */
#define TO_RUN 0
#define TO_LOAD 1
#define TO_DESTROY 2

/* enum loader_phase */
#define IDLE 0
#define WIPE 1
#define COPY 2
#define DONE 3

/* struct vhart.requests */
#define REQUEST_HALT 1
#define REQUEST_START 2
#define REQUEST_LOAD 4

/* What the tenant's memory holds. */
#define USED 0
#define CLEAR 1
#define IMAGES 2

byte tenant = EMPTY;
byte state[VHARTS];
byte requests[VHARTS];
bool runs[VHARTS]; /* in its hart's schedule, not loading */
bool loading;      /* vhart 0 has its hart for the loading */
byte phase = IDLE;
byte purpose;
byte missing;
bool goes_on;
byte next_purpose;

byte commands = COMMANDS, ends = ENDS, starts = STARTS;

/* For the properties only. */
byte memory = CLEAR;
byte want = EMPTY; /* what the last one asked for who was not refused */
byte life;         /* counted */
byte start_life;   /* in which vhart 1 was asked to start */

inline begin_life(v)
{
    assert(tenant == RUNNING && !runs[v] && phase == IDLE);
    if
    :: v == 0 -> assert(memory == IMAGES); memory = USED
    :: else -> assert(start_life == life)
    fi;
    state[v] = VHART_STARTED;
    runs[v] = true
}

/* vhart_start_here(), on the vhart's own hart. */
inline vhart_start_here(v)
{
    if
#ifdef START_UNCHECKED
    :: true -> begin_life(v)
#else
    :: state[v] == VHART_START_PENDING && tenant == RUNNING -> begin_life(v)
    :: else
#endif
    fi
}

/* A start by hart h. */
inline vhart_start(h, v)
{
    state[v] = VHART_START_PENDING;
    if
    :: HART_OF(v) == h -> vhart_start_here(v)
    :: else -> requests[v] = requests[v] | REQUEST_START
    fi
}

/* tenant_run() */
inline tenant_run(h)
{
    tenant = RUNNING;
    life++;
    vhart_start(h, 0)
}

/* tenant_prepare() */
inline tenant_prepare(h, goal)
{
    assert(!loading);
    tenant = (goal == TO_RUN -> RUNNING : LOADING);
    purpose = goal;
    phase = WIPE;
    if
    :: HART_OF(0) == h -> loading = true
    :: else -> requests[0] = requests[0] | REQUEST_LOAD
    fi
}

/* vhart_release() */
inline release(v)
{
    state[v] = VHART_STOPPED;
    runs[v] = false;
    loading = (v == 0 -> false : loading);
    requests[v] = 0
}

/* has_stopped() of core/teardown.c: the last piece, by the console service. */
inline has_stopped(h)
{
    tenant = STOPPED;
    phase = IDLE;
    if
    :: goes_on -> tenant_prepare(h, next_purpose)
    :: else
    fi
}

/* halt(), and what it comes to is `wanted`. */
inline halt(h, again, goal, wanted)
{
    if
    :: tenant == STOPPING
    :: else ->
        want = wanted;
        tenant = STOPPING;
        goes_on = again;
        next_purpose = goal;
        missing = 1;
        /* Its own vhart, then the other one. */
        release(1 - h);
        if
#ifdef FORGET_LOADER
        :: state[h] != VHART_STOPPED ->
#else
        :: state[h] != VHART_STOPPED || phase != IDLE ->
#endif
#ifndef DO_NOT_WAIT
            missing++;
#endif
            requests[h] = requests[h] | REQUEST_HALT
        :: else
        fi;
        missing--
    fi
}

/* begin_anew() */
inline begin_anew(h, goal, wanted)
{
    if
    :: tenant == RUNNING -> halt(h, true, goal, wanted)
    :: else -> want = wanted; tenant_prepare(h, goal)
    fi
}

#define ENDED (tenant == STOPPED)

/* tenant_command() by the console of hart 0; a command that is refused is none. */
inline command()
{
    if
    :: tenant == EMPTY || ENDED -> begin_anew(0, TO_LOAD, LOADED)
    :: tenant == LOADED -> want = RUNNING; tenant_run(0)
    :: tenant == EMPTY || ENDED -> begin_anew(0, TO_RUN, RUNNING)
    :: tenant == RUNNING || tenant == LOADING -> halt(0, false, TO_RUN, STOPPED)
    :: tenant == STOPPING && next_purpose == TO_RUN ->
        want = STOPPED
#ifndef KEEP_GOING
        ; goes_on = false
#endif
    :: tenant == RUNNING || ENDED -> begin_anew(0, TO_RUN, RUNNING)
    :: tenant == LOADED || tenant == RUNNING || ENDED -> begin_anew(0, TO_DESTROY, EMPTY)
    :: tenant == STOPPING -> skip
    fi
}

/* carry_out_shared() */
inline carry_out(h, v)
{
    if
    :: (taken & REQUEST_HALT) && tenant == STOPPING -> release(v); missing--
    :: else
    fi;
    if
    :: taken & REQUEST_START -> vhart_start_here(v)
    :: else
    fi;
    if
    :: (taken & REQUEST_LOAD) && !loading &&
#ifndef LOAD_UNCHECKED
        (tenant == RUNNING || tenant == LOADING) && phase != IDLE
#else
        true
#endif
        -> loading = true
    :: else
    fi
}

/* finish_loading() */
inline finish_loading()
{
    if
    :: tenant == RUNNING || tenant == LOADING ->
        phase = IDLE;
        loading = false;
        if
        :: purpose == TO_RUN -> tenant_run(1)
        :: purpose == TO_LOAD -> tenant = LOADED
        :: purpose == TO_DESTROY -> tenant = EMPTY
        fi
    :: else
    fi
}

/* A piece of the loader's work, which no lock guards. */
inline load_step()
{
    assert(!runs[0] && !runs[1]);
    if
    :: phase == WIPE -> memory = CLEAR; phase = (purpose == TO_DESTROY -> DONE : COPY)
    :: phase == COPY -> assert(memory == CLEAR); memory = IMAGES; phase = DONE
    fi
}

proctype hart(byte h)
{
    byte taken;

end:
    do
    :: atomic { requests[1 - h] != 0 -> taken = requests[1 - h]; requests[1 - h] = 0 };
        atomic { carry_out(h, 1 - h); taken = 0 }
    :: h == 0 && commands > 0 -> atomic { commands--; command() }
    :: atomic { h == 0 && tenant == STOPPING && missing == 0 -> has_stopped(0) }
    :: atomic { h == 1 && loading && (phase == WIPE || phase == COPY) -> load_step() }
    :: h == 1 && loading && phase == DONE -> atomic {
            if
            :: loading && phase == DONE -> finish_loading()
            :: else
            fi
        };
        /* A tenant that is being stopped waits for the message. */
        tenant != STOPPING || requests[0] != 0
    /* What the tenant does is its choice. */
    :: atomic { runs[1 - h] && ends > 0 -> ends--; halt(h, false, TO_RUN, STOPPED) }
    :: atomic { runs[1 - h] && ends > 0 -> ends--; halt(h, true, TO_RUN, RUNNING) }
    :: atomic { h == 1 && runs[0] && starts > 0 && tenant == RUNNING &&
            state[1] == VHART_STOPPED -> starts--; start_life = life; vhart_start(h, 1) }
    od
}

/* When nothing moves any more. */
proctype finish()
{
    timeout ->
    assert(tenant == want);
    assert(requests[0] == 0 && requests[1] == 0);
    assert(!loading && phase == IDLE);
    assert(state[0] != VHART_START_PENDING && state[1] != VHART_START_PENDING);
    assert((tenant == RUNNING) == runs[0]);
    assert(tenant == RUNNING || !runs[1]);
    /* What it left was wiped, and what was loaded is there. */
    assert(tenant != EMPTY || memory == CLEAR);
    assert(tenant != LOADED || memory == IMAGES)
}

/* At any moment: nobody runs in a tenant that has stopped, or whose memory is being filled. */
active proctype judge()
{
    assert(!((runs[0] || runs[1]) && (tenant == STOPPED || tenant == LOADED || tenant == EMPTY ||
                                      tenant == LOADING)))
}

init
{
    atomic {
        run hart(0);
        run hart(1);
        run finish()
    }
}
