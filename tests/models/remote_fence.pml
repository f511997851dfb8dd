/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Remote fences: monitor/features/harts/remote_fence.c and the order of steps of a world switch.
 *
 * Each hart runs a vhart of one tenant (V) in turn with a vhart of somebody else, and V asks for
 * fences of all other harts. Every run of the model is finite; what cannot go on at its end is
 * checked by `finish`, so a hart that waits for ever is found without assumptions of fairness.
 * README.md says what is proved, and how memory is modelled.
 */
#if defined(ALL_AT_ONCE) /* three harts ask each other at the same time */
#define HARTS 3
#define CALLS(hart) 1
#define SWITCHES(hart) 0
#elif defined(TWO_CALLERS) /* two harts ask the third one, which switches */
#define HARTS 3
#define CALLS(hart) ((hart) < 2)
#define SWITCHES(hart) ((hart) == 2 -> 2 : 0)
#else
#define HARTS 2
#define SWITCHES(hart) 2
#ifdef MAIL
#define CALLS(hart) 1
#else
#define CALLS(hart) 2
#endif
#endif

#define PAIRS (HARTS * HARTS)
/* What `caller` shares with `target`. */
#define PAIR(target, caller) ((target) * HARTS + (caller))

/* Memory, as all harts see it. A page table's content is the number of its last change. */
byte table[HARTS];  /* by the caller that changes it */
bool loaded[HARTS]; /* hart.loaded is V */
byte fences[HARTS]; /* hart.fences */
byte wanted[PAIRS]; /* fence_request.wanted */
byte done[PAIRS];   /* fence_request.done */
bool mail[HARTS];   /* hart.mail, of the messages' protocol */
bool msip[HARTS];   /* in the device */
#ifdef SLEEP
bool sleeps[HARTS]; /* hart.sleeps_for_fences */
#endif

/*
 * Stores that a hart has executed and others do not see yet; 0: none, else the value + 1. Those of
 * `loaded`, `wanted` and `done` become visible in any order, at any time up to the next fence. That
 * of a page table and those of V become visible at the fence: late is the worst that they can be.
 */
byte late_table[HARTS];
byte late_loaded[HARTS];
byte late_wanted[PAIRS]; /* the caller's */
byte late_done[PAIRS];   /* the target's */
byte late_access[PAIRS]; /* V's store through its translation of that version */

/*
 * The version of the translation that the target has in its TLB. The hart may walk the table at any
 * time after an SFENCE.VMA; at once is the worst, because versions only grow.
 */
byte tlb[PAIRS];

/* For the properties only. */
bool runs[HARTS];     /* V executes */
bool waits[HARTS];    /* V's call has not returned */
byte promised[PAIRS]; /* the version that the target's V must use at least */

inline see(memory, late)
{
    if
    :: late != 0 -> memory = late - 1; late = 0
    :: else
    fi
}

/* FENCE IORW,IORW of hart h. `i` is the hart's scratch variable. */
inline full_fence(h)
{
    d_step {
        see(table[h], late_table[h]);
        see(loaded[h], late_loaded[h]);
        i = 0;
        do
        :: i < HARTS ->
            see(wanted[PAIR(i, h)], late_wanted[PAIR(i, h)]);
            see(done[PAIR(h, i)], late_done[PAIR(h, i)]);
            late_access[PAIR(h, i)] = 0;
            i++
        :: else -> break
        od;
        i = 0
    }
}

/* The store buffer of hart h empties itself. */
proctype store_buffer(byte h)
{
end:
    do
    :: d_step { late_loaded[h] != 0 -> see(loaded[h], late_loaded[h]) }
    :: d_step { late_wanted[PAIR(0, h)] != 0 -> see(wanted[PAIR(0, h)], late_wanted[PAIR(0, h)]) }
    :: d_step { late_wanted[PAIR(1, h)] != 0 -> see(wanted[PAIR(1, h)], late_wanted[PAIR(1, h)]) }
    :: d_step { late_done[PAIR(h, 0)] != 0 -> see(done[PAIR(h, 0)], late_done[PAIR(h, 0)]) }
    :: d_step { late_done[PAIR(h, 1)] != 0 -> see(done[PAIR(h, 1)], late_done[PAIR(h, 1)]) }
#if HARTS > 2
    :: d_step { late_wanted[PAIR(2, h)] != 0 -> see(wanted[PAIR(2, h)], late_wanted[PAIR(2, h)]) }
    :: d_step { late_done[PAIR(h, 2)] != 0 -> see(done[PAIR(h, 2)], late_done[PAIR(h, 2)]) }
#endif
    od
}

inline sfence_vma(h)
{
    d_step {
        i = 0;
        do
        :: i < HARTS -> tlb[PAIR(h, i)] = table[i]; i++
        :: else -> break
        od;
        i = 0
    }
}

/* What the target's V uses from now on is what the caller's call has promised. */
inline promise(t, c, version)
{
    d_step {
        promised[PAIR(t, c)] = version;
        assert(!runs[t] || tlb[PAIR(t, c)] >= version);
        assert(late_access[PAIR(t, c)] == 0 || late_access[PAIR(t, c)] > version)
    }
}

/* V has the hart, and stores through each of its translations. */
inline run_v(h)
{
    d_step {
        runs[h] = true;
        i = 0;
        do
        :: i < HARTS ->
            assert(i == h || tlb[PAIR(h, i)] >= promised[PAIR(h, i)]);
            if
            :: i != h && late_access[PAIR(h, i)] == 0 ->
                late_access[PAIR(h, i)] = tlb[PAIR(h, i)] + 1
            :: else
            fi;
            i++
        :: else -> break
        od;
        i = 0
    }
}

/* is_done(), of one that was asked and has not been found done yet */
#ifdef WAIT_WHEN_GONE
#define IS_DONE(t) (await[t] && done[PAIR(t, h)] == asked[t])
#else
#define IS_DONE(t) (await[t] && (done[PAIR(t, h)] == asked[t] || !loaded[t]))
#endif
#if HARTS > 2
#define AWAIT_2 await[2]
#define IS_DONE_2 IS_DONE(2)
#else
#define AWAIT_2 false
#define IS_DONE_2 false
#endif

inline see_done(h)
{
    d_step {
        do
        :: t < HARTS ->
            if
            :: IS_DONE(t) -> await[t] = false; promise(t, h, version)
            :: else
            fi;
            t++
        :: else -> break
        od;
        t = 0
    }
}

inline read_wanted(h)
{
    d_step {
        i = 0;
        do
        :: i < HARTS -> answers[i] = wanted[PAIR(h, i)]; i++
        :: else -> break
        od;
        i = 0
    }
}

proctype hart(byte h)
{
    bool here = true; /* V is loaded, as this hart sees it */
    byte calls = CALLS(h), switches = SWITCHES(h), version;
    byte asked[HARTS]; /* fence_request.wanted, as the caller knows it */
    bool await[HARTS];
    byte callers, answers[HARTS];
    byte i, t;

back: /* to whoever is loaded */
    if
    :: here -> run_v(h)
    :: else
    fi;
end:
    if
    :: switches > 0 -> goto switch_world
    :: switches > 0 -> switches = 0; goto back /* whoever runs now runs to the end */
    :: here && calls > 0 -> goto call
#ifdef DEAF
    /* The other vhart is never interrupted: nobody may depend on it. */
    :: here && msip[h] -> goto software_interrupt
#else
    :: msip[h] -> goto software_interrupt
#endif
    fi;

switch_world: /* fast_switch.c hand_over(), hart.c prepare(), world_switch.S */
    true;
    d_step { runs[h] = false; switches--; here = !here };
#ifndef NO_SWITCH_RELEASE
    full_fence(h); /* store-release */
#endif
    late_loaded[h] = here + 1;
#ifndef NO_SWITCH_FENCE
    full_fence(h); /* messages_missed() */
#endif
#ifndef NO_SWITCH_SFENCE
    sfence_vma(h);
#endif
    goto back;

software_interrupt: /* requests_take() */
    true;
    d_step { runs[h] = false; msip[h] = false };
    full_fence(h);
    if
    :: fences[h] != 0 -> goto serve
    :: else
    fi;
look_at_mail:
    mail[h] = false;
    goto back;

serve: /* remote_fence_serve() */
    true;
#ifdef EARLY_READ
    read_wanted(h);
#endif
    full_fence(h); /* of the exchange */
    d_step { callers = fences[h]; fences[h] = 0 };
#ifndef EARLY_READ
    read_wanted(h);
#endif
#ifndef NO_SERVE_SFENCE
    sfence_vma(h);
#endif
    d_step { /* store-releases: nothing of this hart is late but an earlier answer */
        i = 0;
        do
        :: i < HARTS ->
            if
            :: callers & (1 << i) -> late_done[PAIR(h, i)] = answers[i] + 1
            :: else
            fi;
            answers[i] = 0;
            i++
        :: else -> break
        od;
        i = 0;
#ifndef SLEEP
        callers = 0
#endif
    };
#ifdef SLEEP
#ifndef NO_WAKE_FENCE
    full_fence(h);
#endif
    do
    :: i == HARTS -> break
    :: i < HARTS ->
        if
#ifndef NO_WAKE
        :: (callers & (1 << i)) && sleeps[i] -> msip[i] = true
#endif
        :: else
        fi;
        i++
    od;
    i = 0;
    callers = 0;
#endif
    if
    :: waits[h] -> goto wait
    :: else -> goto look_at_mail
    fi;

call: /* remote_fence(); V has just changed its page table */
    true;
    d_step {
        runs[h] = false;
        waits[h] = true;
        calls--;
        version++;
        late_table[h] = version + 1
    };
#ifndef NO_CALLER_FENCE
    full_fence(h);
#endif
    do
    :: t == HARTS -> break
    :: t == h -> t++
    :: t < HARTS && t != h -> /* ask() */
        if
        :: loaded[t] ->
            d_step {
                await[t] = true;
                asked[t]++;
                late_wanted[PAIR(t, h)] = asked[t] + 1
            };
#ifndef NO_ASK_RELEASE
            full_fence(h);
#endif
#ifdef NO_ASK_FENCE
            msip[t] = true;
#endif
            fences[t] = fences[t] | (1 << h);
#ifndef NO_ASK_FENCE
            msip[t] = true
#endif
        :: !loaded[t] -> promise(t, h, version)
        fi;
        t++
    od;
    t = 0;
wait: /* while (awaited()) */
    do
    :: !(await[0] || await[1] || AWAIT_2) -> break
    :: IS_DONE(0) || IS_DONE(1) || IS_DONE_2 -> see_done(h)
#ifndef NO_SERVE_WAITING
    :: fences[h] != 0 ->
#ifdef CLEAR_WAITING
        msip[h] = false;
        full_fence(h);
#endif
        goto serve
#endif
#ifdef SLEEP
    :: (await[0] || await[1] || AWAIT_2) && !(IS_DONE(0) || IS_DONE(1) || IS_DONE_2) ->
        /* sleep_until_served(): an atomic store and a fence, nothing of it is late */
        sleeps[h] = true;
        if
#ifndef SLEEP_BLINDLY
        :: IS_DONE(0) || IS_DONE(1) || IS_DONE_2
#endif
        :: else ->
            msip[h]; /* messages_sleep() */
            if
            :: mail[h] || fences[h] != 0
            :: else ->
                msip[h] = false;
                full_fence(h);
#ifndef CLEAR_BLINDLY
                if
                :: mail[h] || fences[h] != 0 -> msip[h] = true
                :: else
                fi
#endif
            fi
        fi;
        sleeps[h] = false
#endif
    od;
    waits[h] = false;
    goto back
}

#ifdef MAIL
/* Somebody posts a message to hart 0: its software interrupt is the fences' too. */
proctype poster()
{
    mail[0] = true;
    msip[0] = true
}
#endif

/* When nothing can move any more, nobody waits and no message lies about. */
proctype finish()
{
    byte h;

    timeout ->
    do
    :: h < HARTS -> assert(!waits[h]); h++
    :: else -> break
    od;
    assert(!mail[0])
}

init
{
    byte h;

    atomic {
        do
        :: h < HARTS ->
            loaded[h] = true;
            run hart(h);
            run store_buffer(h);
            h++
        :: else -> break
        od;
#ifdef MAIL
        run poster();
#endif
        run finish()
    }
}
