/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Messages to a hart: monitor/features/harts/messages.c, the waiting of vharts, and the hart's choice of who
 * runs (monitor/entry/run.c, fast_switch.c).
 *
 * A hart with two vharts, of which the higher one must not be disturbed by requests for the lower
 * one. Two other harts post interrupts (SBI send_ipi) to both. Every run is finite; `finish` looks
 * at its end: nothing that was posted lies about.
 */
#define POSTERS 2
#define POSTS 2   /* of each */
#define TIMERS 1  /* times that the timer of a waiting vhart goes off */

/* Who runs, as published in scheduler.running; the numbers are the priorities. */
#define NOBODY 0
#define LOW 1
#define HIGH 2

/* Both of one priority: nothing hides from posters who runs. */
#ifndef EQUAL
#define EQUAL false
#endif

#define BIT(vhart) (1 << (vhart))

bool requests[3]; /* vhart.requests: the interrupt; 0 is not used */
byte mail;        /* hart.mail */
bool msip;
byte running = LOW;
byte late_running; /* the hart's store that others do not see yet, + 1; 0: none */

bool unseen[3];   /* unseen[] is schedulable.switches + 1 */
byte late_switch; /* whose count of switches is another such store; 0: none */

bool waits[3];   /* in the scheduler's waiting list */
bool pending[3]; /* its SSIP */

/* For the properties only: software interrupts raised for LOW since HIGH got the hart. */
byte disturbed;

/* Each poster may have looked before HIGH came, and the hart itself finds older mail once. */
inline raise(v)
{
    atomic {
        msip = true;
        if
        :: running == HIGH && v == LOW && !EQUAL ->
            disturbed++;
            assert(disturbed <= POSTERS + 1)
        :: else
        fi
    }
}

/* messages_post() */
inline post(v)
{
    requests[v] = true;
#ifdef NO_POST_FENCE
    seen = running;
#endif
    mail = mail | BIT(v);
#ifndef NO_POST_FENCE
    seen = running;
#endif
#ifdef ALWAYS_KICK
    raise(v);
#else
    if
    :: seen > v && !EQUAL
    :: else ->
        if
        :: unseen[v]
        :: else -> raise(v)
        fi
    fi;
#endif
    seen = 0
}

proctype poster()
{
    byte posts = POSTS, seen;

    do
    :: posts > 0 ->
        posts--;
        if
        :: post(LOW)
        :: post(HIGH)
        fi
    :: posts == 0 -> break
    od
}

proctype store_buffer()
{
end:
    do
    :: d_step { late_running != 0 -> running = late_running - 1; late_running = 0 }
    :: d_step { late_switch != 0 -> unseen[late_switch] = false; late_switch = 0 }
    od
}

inline full_fence()
{
    d_step {
        if
        :: late_running != 0 -> running = late_running - 1; late_running = 0
        :: else
        fi;
        if
        :: late_switch != 0 -> unseen[late_switch] = false; late_switch = 0
        :: else
        fi
    }
}

/* carry_out() */
inline carry_out(v)
{
    if
    :: taken & BIT(v) ->
        d_step {
            if
            :: requests[v] ->
                requests[v] = false;
                pending[v] = true;
                waits[v] = false;
#ifdef NOTE_ALWAYS
                unseen[v] = true
#else
                unseen[v] = now != v
#endif
            :: else
            fi
        }
    :: else
    fi
}

proctype hart()
{
    byte now = LOW, next, taken, timers = TIMERS;

tenant:
end:
    if
    :: msip -> goto software_interrupt
    :: pending[now] -> pending[now] = false; goto tenant /* it handles its interrupt */
    :: timers > 0 && now == LOW && waits[HIGH] -> /* that of the higher one goes off */
        timers--;
        waits[HIGH] = false;
        goto schedule
    :: !pending[now] ->
        if
        :: waits[now] = true; goto schedule /* WFI that traps */
        :: now == LOW -> goto native_wait   /* the lowest one may wait natively */
        fi
    fi;

native_wait:
end_native_wait:
    if
    :: msip -> goto software_interrupt
    :: timers > 0 && waits[HIGH] -> timers--; waits[HIGH] = false; goto schedule
    fi;

software_interrupt: /* requests_take() */
#ifndef CLEAR_LATE
    msip = false;
#endif
    full_fence();
    d_step { taken = mail; mail = 0 };
#ifdef CLEAR_LATE
    msip = false;
#endif
    do /* take_turn(): which is the first one depends on whose turn it is */
    :: taken == 0 -> break
    :: taken & BIT(HIGH) -> carry_out(HIGH); taken = taken & ~BIT(HIGH); goto look
    :: taken & BIT(LOW) -> carry_out(LOW); taken = taken & ~BIT(LOW); goto look
look:
        if
        :: taken != 0 -> /* the hart is wanted: the rest stays in the mail */
            mail = mail | taken;
            taken = 0;
#ifndef NO_WAKE
            msip = true
#endif
        :: true
        fi
    od;

schedule: /* hart_schedule() */
    if
    :: !waits[HIGH] -> next = HIGH
    :: waits[HIGH] && !waits[LOW] -> next = LOW
    :: waits[HIGH] && waits[LOW] -> next = NOBODY
    fi;
    if
    :: next != now ->
        now = next;
        disturbed = 0;
#ifndef UNCOUNTED
        late_switch = now;
#endif
#ifdef IDLE_UNPUBLISHED
        if
        :: now != NOBODY -> late_running = now + 1
        :: else
        fi;
#else
        late_running = now + 1;
#endif
#ifndef NO_SWITCH_FENCE
        full_fence();
#endif
#ifndef NO_MAIL_CHECK
        if
        :: mail == 0 /* messages_missed() */
        :: mail == BIT(LOW) -> raise(LOW)
        :: else -> raise(HIGH)
        fi
#endif
    :: else
    fi;
    next = 0;
    if
    :: now != NOBODY -> goto tenant
    :: else
    fi;
end_idle: /* WFI of the monitor */
    if
    :: msip -> goto software_interrupt
    :: timers > 0 ->
        timers--;
        if
        :: waits[HIGH] = false
        :: waits[LOW] = false
        fi;
        goto schedule
    fi
}

/* When nothing moves any more, all that was posted has arrived. */
proctype finish()
{
    timeout ->
    assert(!msip && mail == 0);
    assert(!requests[LOW] && !requests[HIGH]);
    assert(!pending[LOW] && !pending[HIGH])
}

init
{
    byte i;

    atomic {
        waits[HIGH] = true;
        do
        :: i < POSTERS -> run poster(); i++
        :: else -> break
        od;
        run hart();
        run store_buffer();
        run finish()
    }
}
