/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Start, stop, shutdown and reboot: monitor/core/lifecycle.c, monitor/features/harts/hsm.c and carry_out() of
 * monitor/features/harts/requests.c.
 *
 * A tenant of three vharts, each of which may at any time start others, send them interrupts, stop
 * itself, shut the tenant down or reboot it. That a request is carried out some time after it was
 * posted is what hart_messages.pml proves; here a hart finds it whenever it looks. Every run is
 * finite; `finish` looks at its end.
 */
#define VHARTS 3
#ifdef SHARED_HART /* the first and the last vhart live on one hart */
#define HARTS 2
#define HOME(vhart) ((vhart) == 1)
#else
#define HARTS 3
#define HOME(vhart) (vhart)
#endif

/* How often each happens in a run. */
#ifndef STARTS
#define STARTS 3
#endif
#ifndef STOPS
#define STOPS 2
#endif
#ifndef HALTS
#define HALTS 2
#endif
#ifndef INTERRUPTS
#define INTERRUPTS 1
#endif

/* enum vhart_state */
#define VHART_STOPPED 0
#define VHART_START_PENDING 1
#define VHART_STARTED 2

/* enum tenant_state */
#define TENANT_RUNNING 0
#define TENANT_STOPPING 1
#define TENANT_STOPPED 2

/* struct vhart.requests */
#define REQUEST_HALT 1
#define REQUEST_IPI 2
#define REQUEST_START 4
#define REQUEST_LOAD 8

byte state[VHARTS];
byte requests[VHARTS];
bool loading[VHARTS]; /* has its hart for the loading */
bool loader_busy;
bool runs[VHARTS]; /* in its hart's schedule, not loading */
byte tenant = TENANT_RUNNING;
bool restart;
byte missing;
bool lock;

byte starts = STARTS, stops = STOPS, halts = HALTS, interrupts = INTERRUPTS;

/* For the properties only. */
bool first_word;       /* what the first one wanted who ended this life: reboot or not */
byte life;             /* of the tenant, counted */
byte accepted[VHARTS]; /* life in which hart_start said yes, + 1; 0: nothing is outstanding */
bool owed[VHARTS];     /* an interrupt was posted to it while it was started */
bool stale[VHARTS];    /* the interrupt among its requests is of its former life */

inline enter_shared()
{
    atomic { !lock -> lock = true }
}

inline leave_shared()
{
    lock = false
}

inline post(v, request)
{
    requests[v] = requests[v] | request
}

/* A start is under way: what lies there now was meant for the life before. */
inline mark_stale(v)
{
    if
    :: requests[v] & REQUEST_IPI -> stale[v] = true
    :: else
    fi
}

/* begin_life(): only on the vhart's own hart. */
inline begin_life(v)
{
    assert(tenant == TENANT_RUNNING);
    assert(!runs[v]);
#ifndef KEEP_INTERRUPT
    atomic { requests[v] = requests[v] & ~REQUEST_IPI; stale[v] = false };
#endif
    state[v] = VHART_STARTED;
    runs[v] = true
}

/* vhart_release(): likewise. */
inline release(v)
{
    atomic {
        state[v] = VHART_STOPPED;
        runs[v] = false;
        loading[v] = false;
        accepted[v] = 0;
        owed[v] = false
    };
#ifndef DROP_UNLOCKED
    requests[v] = 0
#endif
}

/* tenant_start() after a stop. */
inline tenant_start(h)
{
    atomic {
        life++;
        tenant = TENANT_RUNNING;
        loader_busy = true;
        mark_stale(0)
    };
    if
    :: HOME(0) == h -> loading[0] = true
    :: HOME(0) != h -> post(0, REQUEST_LOAD)
    fi
}

/* has_stopped() of core/teardown.c, by the console service, which is on hart 0. */
inline has_stopped()
{
    assert(!runs[0] && !runs[1] && !runs[2]);
    assert(!loading[0]);
    assert(restart == first_word);
    tenant = TENANT_STOPPED;
    loader_busy = false;
    if
    :: restart -> tenant_start(0)
    :: else
    fi
}

/* halt() */
inline halt(h, again)
{
    if
#ifndef HALT_TWICE
    :: tenant == TENANT_STOPPING
    :: else ->
#else
    :: true ->
#endif
        if
        :: tenant == TENANT_RUNNING -> first_word = again
        :: else
        fi;
        tenant = TENANT_STOPPING;
        restart = again;
        missing = 1;
        w = 0;
        do
        :: w == VHARTS -> break
        :: w < VHARTS && HOME(w) == h -> release(w); w++
        :: w < VHARTS && HOME(w) != h ->
            if
            :: state[w] != VHART_STOPPED || loader_busy ->
                missing++;
                post(w, REQUEST_HALT)
            :: else
            fi;
            w++
        od;
        w = 0;
        missing--
    fi
}

/* SBI hart_start of w by a vhart on hart h. */
inline hart_start(h, w)
{
    enter_shared();
    if
#ifdef START_WHILE_STOPPING
    :: state[w] == VHART_STOPPED && !loading[w] ->
#elif defined(START_UNCHECKED)
    :: tenant == TENANT_RUNNING ->
#else
    :: state[w] == VHART_STOPPED && tenant == TENANT_RUNNING ->
#endif
        assert(accepted[w] == 0);
        atomic { accepted[w] = life + 1; mark_stale(w) };
        if
        :: HOME(w) == h -> accepted[w] = 0; begin_life(w)
        :: HOME(w) != h -> state[w] = VHART_START_PENDING; post(w, REQUEST_START)
        fi
    :: else
    fi;
    leave_shared()
}

/* SBI hart_stop by v: vhart_stop(). */
inline hart_stop(h, v)
{
    enter_shared();
    if
#ifndef STOP_DROPS_HALT
    :: tenant == TENANT_STOPPING
#endif
    :: else ->
        release(v);
        if
        :: state[0] == VHART_STOPPED && state[1] == VHART_STOPPED && state[2] == VHART_STOPPED ->
            halt(h, false)
        :: else
        fi
    fi;
    leave_shared();
#ifdef DROP_UNLOCKED
    requests[v] = 0
#endif
}

/* SBI send_ipi to w by a vhart on hart h. */
inline send_ipi(h, w)
{
    if
    :: HOME(w) == h
    :: HOME(w) != h ->
        atomic {
            post(w, REQUEST_IPI);
            stale[w] = false; /* or it cannot be told from this one */
            owed[w] = (state[w] == VHART_STARTED)
        }
    fi
}

/* carry_out(): `taken` is what the exchange has returned. */
inline carry_out(h, v)
{
    if
    :: (taken & REQUEST_IPI) && state[v] == VHART_STARTED ->
        assert(!taken_stale);
        owed[v] = false
    :: else
    fi;
    if
    :: taken & (REQUEST_HALT | REQUEST_START | REQUEST_LOAD) ->
        enter_shared();
        if
        :: (taken & REQUEST_HALT) && tenant == TENANT_STOPPING ->
            release(v);
            missing--
        :: else
        fi;
        if
        :: (taken & REQUEST_START) && state[v] == VHART_START_PENDING && tenant == TENANT_RUNNING ->
            assert(accepted[v] == life + 1);
            accepted[v] = 0;
            begin_life(v)
        :: else
        fi;
        if
        :: (taken & REQUEST_LOAD) && tenant == TENANT_RUNNING && state[v] == VHART_STOPPED &&
            !loading[v] -> loading[v] = true
        :: else
        fi;
        leave_shared()
    :: else
    fi
}

/* tenant_load_step(): the last one. */
inline end_of_loading(v)
{
    enter_shared();
    if
    :: tenant == TENANT_RUNNING ->
        atomic { loading[v] = false; loader_busy = false };
        begin_life(v)
    :: else
    fi;
    leave_shared()
}

/* Something to do for vhart x of hart h. */
#define HAS_WORK(h, x) \
    (HOME(x) == h && (requests[x] != 0 || (loading[x] && tenant == TENANT_RUNNING) || \
                      (runs[x] && starts + stops + halts + interrupts > 0)))

proctype hart(byte h)
{
    byte v, w, taken;
    bool taken_stale, again;

end:
    do
    :: atomic {
            if
            :: HAS_WORK(h, 0) -> v = 0
            :: HAS_WORK(h, 1) -> v = 1
            :: HAS_WORK(h, 2) -> v = 2
            fi
        };
        if
        :: atomic {
                requests[v] != 0 ->
                taken = requests[v];
                requests[v] = 0;
                taken_stale = stale[v];
                stale[v] = false
            };
            carry_out(h, v);
            atomic { taken = 0; taken_stale = false }
        :: loading[v] && tenant == TENANT_RUNNING -> end_of_loading(v)
        :: runs[v] -> /* what the tenant does is its choice */
            if
            :: atomic { starts > 0 -> starts-- };
                if
                :: v != 1 -> w = 1
                :: v != 2 -> w = 2
                :: v != 0 -> w = 0
                fi;
                hart_start(h, w)
            :: atomic { interrupts > 0 -> interrupts-- };
                if
                :: v != 1 -> w = 1
                :: v != 2 -> w = 2
                :: v != 0 -> w = 0
                fi;
                send_ipi(h, w)
            :: atomic { stops > 0 -> stops-- }; hart_stop(h, v)
            :: atomic { halts > 0 -> halts-- };
                if
                :: again = false
                :: again = true
                fi;
                enter_shared();
                halt(h, again);
                leave_shared();
                again = false
            :: else
            fi
        :: else
        fi;
        v = 0;
        w = 0
    :: h == 0 && tenant == TENANT_STOPPING && missing == 0 ->
        enter_shared();
        if
        :: tenant == TENANT_STOPPING && missing == 0 -> has_stopped()
        :: else
        fi;
        leave_shared()
    od
}

/* When nothing moves any more: no halt, no start, no interrupt is left over. */
proctype finish()
{
    byte v;

    timeout ->
    assert(!lock);
    assert(tenant != TENANT_STOPPING);
    do
    :: v < VHARTS ->
        assert(state[v] != VHART_START_PENDING);
        assert(accepted[v] == 0);
        assert(!owed[v]);
        assert(tenant == TENANT_RUNNING || (state[v] == VHART_STOPPED && !runs[v]));
        v++
    :: else -> break
    od;
    /* A tenant that runs has somebody who runs. */
    assert(tenant == TENANT_STOPPED || runs[0] || runs[1] || runs[2])
}

init
{
    byte h;

    atomic {
        state[0] = VHART_STARTED;
        runs[0] = true;
        do
        :: h < HARTS -> run hart(h); h++
        :: else -> break
        od;
        run finish()
    }
}
