/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The shared lock: monitor/features/harts/shared_lock.c.
 *
 * Each hart takes the lock again and again, by shared_enter() or by shared_try_enter(), which gives
 * up when a machine interrupt is pending. Each atomic instruction is a step; a compare-and-swap
 * fails if the word has changed since it was read.
 */
#ifndef HARTS
#define HARTS 3
#endif
#define WATCHED (HARTS - 1) /* harts differ in nothing but their place in the circle */

#define NONE HARTS

/* The word: who owns the lock, and bits for each hart that waits, and that sleeps meanwhile. */
#define WORD(owner, waiting) ((owner) | ((waiting) << 3))
#define OWNER(word) ((word) & 7)
#define WAITING(word) (((word) >> 3) & ((1 << HARTS) - 1))
#define ASLEEP(word) ((word) >> (3 + HARTS))
#define BIT(hart) (1 << (hart))
#define ASLEEP_BIT(hart) (1 << (HARTS + (hart))) /* among those of WAITING */
#define QUEUE(word) ((word) >> 3)
#define IN_QUEUE(hart) (BIT(hart) | ASLEEP_BIT(hart))

short word = WORD(NONE, 0);
bool woken[HARTS]; /* by messages_wake(): the software interrupt, with nothing in the mail */

/* Stores of the owner to what the lock protects, which others do not see yet. */
bool late[HARTS];

/* For the properties only. */
byte inside = NONE; /* who has the lock */
byte overtaken;     /* times that others got the lock while the watched hart's bit was set */
#ifdef LIVENESS
bool wants;         /* the watched hart has come for the lock and does not give up */
byte give_ups = 2;  /* how often harts still give up; a release may try again after each */
#define MAY_GIVE_UP (give_ups > 0)
#define COUNT_GIVE_UP give_ups--
#define COMES(want) if :: h == WATCHED -> wants = want :: else fi
#else
#define MAY_GIVE_UP true
#define COUNT_GIVE_UP skip
#define COMES(want) skip
#endif

/* From this moment on the lock is hart h's. */
inline has_got(h)
{
    assert(inside == NONE);
    inside = h;
    if
    :: h == WATCHED -> overtaken = 0
    :: h != WATCHED && (WAITING(word) & BIT(WATCHED)) ->
        overtaken++;
        assert(overtaken < HARTS)
    :: else
    fi
}

#ifdef UNFAIR
#define CANDIDATE(h, step) (step)
#else
#define CANDIDATE(h, step) ((h + 1 + step) % HARTS)
#endif

/* The first one that waits after h in a circle, or NONE. */
inline next_waiting(h)
{
    d_step {
        next = NONE;
        i = 0;
        do
        :: i < HARTS && next == NONE ->
            if
            :: WAITING(now) & BIT(CANDIDATE(h, i)) -> next = CANDIDATE(h, i)
            :: else
            fi;
            i++
        :: else -> break
        od;
        i = 0
    }
}

proctype hart(byte h)
{
    short now;
    byte next, i;
    bool try;

again:
    if
    :: try = false; COMES(true)
    :: MAY_GIVE_UP -> try = true
    :: goto gone /* for ever */
    fi;

#ifdef JOIN_BY_SWAP
    /* Others may change the word between the two for ever. */
    do
    :: now = word;
        atomic {
            if
            :: word == now && OWNER(now) == NONE ->
                word = WORD(h, QUEUE(now));
                has_got(h);
                goto owner
            :: word == now && OWNER(now) != NONE -> word = word | WORD(0, BIT(h)); goto wait
            :: else -> now = 0
            fi
        }
    od;
#else
    word = word | WORD(0, BIT(h)); /* amoor */
#endif

wait:
    do
    :: OWNER(word) == h -> break /* handed over */
    :: OWNER(word) == NONE -> /* nobody to hand it over */
        now = word;
        atomic {
            if
            :: word == now && OWNER(now) == NONE ->
                word = WORD(h, QUEUE(now) & ~IN_QUEUE(h));
                has_got(h);
                goto owner
            :: else -> now = 0
            fi
        }
#ifdef SLEEP
    :: OWNER(word) != h && OWNER(word) != NONE -> /* sleep_in_queue(), after many looks */
        atomic { now = word; word = word | WORD(0, ASLEEP_BIT(h)) }; /* amoor */
        if
#ifndef SLEEP_BLINDLY
        :: OWNER(now) == h ->
#ifndef KEEP_ASLEEP
            word = word & ~WORD(0, ASLEEP_BIT(h)) /* amoand */
#endif
#endif
        :: else ->
            now = 0;
            if
            :: woken[h] -> woken[h] = false /* messages_sleep() */
            :: try && MAY_GIVE_UP /* a machine interrupt */
            fi
        fi;
        now = 0
#endif
    :: atomic { try && MAY_GIVE_UP -> COUNT_GIVE_UP }; /* a machine interrupt is pending */
        atomic {
            now = word;
            word = word & ~WORD(0, IN_QUEUE(h)); /* amoand */
            if
            :: h == WATCHED -> overtaken = 0
            :: else
            fi
        };
#ifdef GIVE_UP_BLINDLY
        goto outside
#else
        if
        :: OWNER(now) == h -> break
        :: else -> goto outside
        fi
#endif
    od;

owner:
    COMES(false);
    assert(inside == h && !(QUEUE(word) & IN_QUEUE(h)));
    now = 0;
    d_step {
        try = false;
        i = 0;
        do
        :: i < HARTS -> assert(!late[i]); i++
        :: else -> break
        od;
        i = 0;
        late[h] = true
    };

    do
    :: now = word;
        true;
        next_waiting(h);
        assert(OWNER(now) == h);
#ifndef NO_RELEASE
        late[h] = false;
#endif
        atomic {
            if
#ifdef HAND_OVER_BLINDLY
            :: true ->
#else
            :: word == now ->
#endif
                inside = NONE;
                if
                :: next == NONE -> word = WORD(NONE, QUEUE(now))
                :: else ->
                    word = WORD(next, QUEUE(now) & ~IN_QUEUE(next));
                    /* `next` has the lock from here on. */
                    has_got(next)
                fi;
                break
            :: else -> now = 0
            fi
        }
    od;
#if defined(SLEEP) && !defined(NO_WAKE)
    if
    :: next != NONE && (ASLEEP(now) & BIT(next)) -> woken[next] = true /* messages_wake() */
    :: else
    fi;
#endif
#ifdef NO_RELEASE
    late[h] = false;
#endif

outside:
    true;
    d_step { now = 0; next = 0; try = false };
    goto again;

gone:
    true
}

init
{
    byte h;

    atomic {
        do
        :: h < HARTS -> run hart(h); h++
        :: else -> break
        od
    }
}

#ifdef LIVENESS
ltl gets_the_lock { [](wants -> <>!wants) }
#endif
