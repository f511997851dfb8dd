/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Invocation, restart and return: tenants/components/kernel/thread.c with kernel.c.
 *
 * Two threads begin in component A and invoke B, which invokes C; C has a lock of its own, which a
 * thread takes and gives back before it returns. In C a thread may fault: the handler H mends the
 * fault or restarts C. Or it waits there, for what comes only as long as its caller is there to want
 * it: if that one is restarted, the kernel ends the waiting, or refuses the next. At any time B or C is restarted. One hart: what the kernel does is one step,
 * and between any two steps of a thread the other one may run. Every run is finite; `finish` looks
 * at its end.
 */
#define THREADS 2
#define DEPTH 4

#ifndef CALLS
#define CALLS 2 /* of each thread to B */
#endif
#ifndef RESTARTS
#define RESTARTS 2
#endif
#ifndef FAULTS
#define FAULTS 1
#endif
#ifndef WAITS
#define WAITS 1
#endif

/* Components. */
#define A 0
#define B 1
#define C 2
#define H 3

/* What a thread in C has done there. */
#define OUTSIDE 0
#define INSIDE 1
#define PASSED 2
#define WAITING 3

#define FREE 255

/* What came back of the last invocation of a thread. */
#define NOTHING 0
#define VALUE 1
#define FAILED 2

/* struct thread: place[0] is home, the others are frames and the component now. */
typedef Thread {
    byte place[DEPTH];
    bool dead[DEPTH];   /* the frame, or the component, is component_dead */
    byte entered[DEPTH]; /* ghost: the life of the component in which the thread came */
    byte top;
    byte answer;
    byte work;  /* in C */
    bool left;  /* is_left */
    byte calls; /* ghost: made, and come back */
    byte answers
};
Thread threads[THREADS];

hidden byte i; /* of loops within one step */
byte life[4];     /* ghost: how often each was restarted */
byte lock = FREE; /* data of C */
byte restarts;
byte faults;
byte waits;
byte ended;

#define HERE threads[t].place[threads[t].top]
/* A thread runs in the life of the component in which it came, or in none. */
#define RUNS_SOUND assert(!threads[t].dead[threads[t].top] && \
                          threads[t].entered[threads[t].top] == life[HERE])

inline enter(t, component)
{
    threads[t].top++;
    threads[t].place[threads[t].top] = component;
    threads[t].dead[threads[t].top] = false;
    threads[t].entered[threads[t].top] = life[component];
    threads[t].answer = NOTHING;
    if
    :: component == C -> threads[t].work = OUTSIDE
    :: else
    fi
}

/* Goes on in the caller; it is told what became of the one that it had invoked. */
inline leave(t, what)
{
#ifndef ANSWER_VALUE
    threads[t].answer = what;
#else
    threads[t].answer = VALUE;
#endif
    /* An error says that the callee was restarted, and a value that it was not. */
    assert((threads[t].answer == FAILED) ==
           (threads[t].entered[threads[t].top] != life[HERE]));
    threads[t].top--
}

/* thread_settle() */
inline settle(t)
{
    do
    :: threads[t].dead[threads[t].top] -> leave(t, FAILED); threads[t].left = false
    :: else -> break
    od
}

/* thread_return() */
inline give_back(t)
{
    leave(t, VALUE);
#ifndef RESUME_DEAD
    settle(t)
#else
    threads[t].dead[threads[t].top] = false
#endif
}

/* thread_expel() of one thread */
inline expel(t, component)
{
    i = 0;
    do
    :: i <= threads[t].top ->
        if
#ifdef KEEP_FRAMES
        :: threads[t].place[i] == component && i == threads[t].top -> threads[t].dead[i] = true
#elif defined(KEEP_CURRENT)
        :: threads[t].place[i] == component && i < threads[t].top -> threads[t].dead[i] = true
#else
        :: threads[t].place[i] == component -> threads[t].dead[i] = true
#endif
        :: else
        fi;
#ifdef UNWIND_DEEP
        /* who is deeper is taken out at once, whatever it was doing there */
        if
        :: threads[t].dead[i] -> threads[t].top = i; i = DEPTH
        :: else -> i++
        fi
#else
        i++
#endif
    :: else -> break
    od
}

/* end_waiting(), of a thread that has lost its caller */
inline end_waiting(t, component)
{
    if
#ifndef KEEP_WAITING
    :: HERE == C && threads[t].work == WAITING && threads[t].dead[1] -> threads[t].work = OUTSIDE
#endif
#ifndef KEEP_WILL
    :: (HERE != C || threads[t].work != WAITING) && threads[t].top > 1 && threads[t].dead[1] &&
       component == B -> threads[t].left = true
#endif
    :: else
    fi
}

/* restart_one() */
inline restart(component)
{
    life[component]++;
    if
#ifndef KEEP_DATA
    :: component == C -> lock = FREE
#endif
    :: else
    fi;
    expel(0, component);
    expel(1, component);
    end_waiting(0, component);
    end_waiting(1, component);
    settle(0);
    settle(1)
}

proctype thread(byte t)
{
    do
    :: atomic { HERE == A && threads[t].answer != NOTHING ->
        threads[t].answers++;
        threads[t].answer = NOTHING
    }
    :: atomic { HERE == A && threads[t].answer == NOTHING && threads[t].calls < CALLS ->
        RUNS_SOUND;
        threads[t].calls++;
        enter(t, B)
    }
    :: atomic { HERE == A && threads[t].answer == NOTHING && threads[t].calls == CALLS ->
        break
    }
    :: atomic { HERE == B && threads[t].answer == NOTHING ->
        RUNS_SOUND;
        enter(t, C)
    }
    :: atomic { HERE == B && threads[t].answer != NOTHING -> /* of C: whatever it was */
        RUNS_SOUND;
        give_back(t)
    }
    :: atomic { HERE == C && threads[t].work == OUTSIDE && lock == FREE ->
        RUNS_SOUND;
        lock = t;
        threads[t].work = INSIDE
    }
    :: atomic { HERE == C && threads[t].work == OUTSIDE && waits < WAITS ->
        RUNS_SOUND;
        waits++;
        if
        :: threads[t].left -> threads[t].left = false
        :: else -> threads[t].work = WAITING
        fi
    }
    :: atomic { HERE == C && threads[t].work == WAITING && !threads[t].dead[1] ->
        threads[t].work = OUTSIDE /* what it waited for has come */
    }
    :: atomic { HERE == C && threads[t].work == INSIDE ->
        RUNS_SOUND;
        assert(lock == t);
        lock = FREE;
        threads[t].work = PASSED
    }
    :: atomic { HERE == C && threads[t].work == PASSED ->
        RUNS_SOUND;
        give_back(t)
    }
    :: atomic { HERE == C && threads[t].work != WAITING && faults < FAULTS -> /* thread_report() */
        RUNS_SOUND;
        faults++;
        threads[t].top++;
        threads[t].place[threads[t].top] = H;
        threads[t].dead[threads[t].top] = false;
        threads[t].entered[threads[t].top] = life[H]
    }
    :: atomic { HERE == H -> /* mended, or restarted by another one meanwhile */
        give_back(t);
        if
        :: HERE == C -> threads[t].answer = NOTHING /* the handler's is not for C */
        :: else
        fi
    }
    :: atomic { HERE == H && restarts < RESTARTS ->
        restarts++;
        restart(C)
    }
    od;
    ended++
}

proctype manager()
{
    do
    :: atomic { restarts < RESTARTS -> restarts++; restart(B) }
    :: atomic { restarts < RESTARTS -> restarts++; restart(C) }
    :: break
    od
}

proctype finish()
{
    ended == THREADS;
    assert(lock == FREE);
    assert(threads[0].answers == CALLS && threads[1].answers == CALLS);
    assert(threads[0].top == 0 && threads[1].top == 0)
}

init
{
    atomic {
        run thread(0);
        run thread(1);
        run manager();
        run finish()
    }
}
