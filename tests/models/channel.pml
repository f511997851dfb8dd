/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A network of two ends, one direction of it: monitor/features/virtio_net/virtio_net.c with
 * virtqueue.c, between a sender's driver on hart 0 and a receiver's on hart 1. Either end may be
 * stopped and started again at any moment, but while its own hart is in the monitor for it.
 *
 * A driver's notification is work in the monitor, under the shared lock, by steps; after each the
 * monitor may give way, and the store is made again. Drivers do not hold the lock: each access to
 * what they share with the device is a step. Every run is finite; `finish` looks at its end.
 */
#define SENDER 0
#define RECEIVER 1
#define NOBODY 2

#ifndef MESSAGES
#define MESSAGES 2
#endif
#ifndef RESTARTS
#define RESTARTS 2
#endif
#ifndef GIVE_WAYS
#define GIVE_WAYS 2
#endif
/* Chains of the sender's queue, buffers of the receiver's, and pieces of a message. */
#define CHAINS 1
#define BUFFERS 1
#define PIECES 2

/* In the drivers' memory: how much was ever made available and finished, in this life. */
byte sent, finished;
byte offered, filled;
bool want[2];       /* interrupts are wanted: VIRTQ_AVAIL_F_NO_INTERRUPT is off */
bool notify = true; /* notifications of buffers are wanted: VIRTQ_USED_F_NO_NOTIFY is off */

/* The monitor's. */
byte lock = NOBODY;
byte next_chain, next_buffer;
bool quiet;
bool live[2];
bool interrupt[2];
bool copying;
byte pieces;

byte messages = MESSAGES, restarts = RESTARTS, give_ways = GIVE_WAYS;
bool killed[2];

/* For the properties only. */
byte life[2];
byte copy_life[2];
byte taken;

/* virtqueue_ask() */
inline ask(wanted)
{
    if
    :: quiet == wanted -> quiet = !wanted; notify = wanted
    :: else
    fi
}

/* virtqueue_finish() and the interrupt, of the receiver's or the sender's queue. */
inline finish_queue(end)
{
#ifdef NO_FINISH_FENCE
    wanted = want[end];
#endif
    if
    :: end == RECEIVER -> next_buffer++; filled = next_buffer
    :: else -> next_chain++; finished = next_chain
    fi;
#ifndef NO_FINISH_FENCE
    wanted = want[end];
#endif
    d_step {
        if
        :: wanted -> interrupt[end] = true
        :: else
        fi;
        wanted = false
    }
}

inline begin_copy()
{
    if
    :: !live[RECEIVER] -> finish_queue(SENDER) /* nobody gets it */
    :: live[RECEIVER] && offered == next_buffer ->
        if
        :: quiet ->
#ifdef NO_ASK_FENCE
            if
            :: offered == next_buffer -> ask(true); done = true
            :: else
            fi
#else
            ask(true)
#endif
        :: else -> done = true
        fi
    :: live[RECEIVER] && offered != next_buffer ->
        ask(false);
        d_step {
            copying = true;
            pieces = 0;
            copy_life[SENDER] = life[SENDER];
            copy_life[RECEIVER] = life[RECEIVER]
        }
    fi
}

inline copy_piece()
{
    if
    :: pieces < PIECES ->
        d_step {
            assert(live[SENDER] && copy_life[SENDER] == life[SENDER]);
            assert(live[RECEIVER] && copy_life[RECEIVER] == life[RECEIVER]);
            pieces++
        }
    :: else ->
        finish_queue(RECEIVER);
        copying = false;
        finish_queue(SENDER)
    fi
}

/* step() of virtio_net.c */
inline step()
{
    if
    :: copying -> copy_piece()
    :: else ->
        if
        :: live[SENDER] && sent != next_chain -> begin_copy()
        :: else -> done = true
        fi
    fi
}

/* The store by which the driver of `end` notifies. */
inline notify_device(end)
{
    done = false;
    do
    :: done -> break
    :: else ->
        atomic { lock == NOBODY -> lock = end };
        if
        :: end == RECEIVER -> ask(false)
        :: else
        fi;
        do
        :: done -> break
        :: else ->
            step();
            if
            :: give_ways > 0 && !done ->
                give_ways--;
#ifdef NO_RETRY
                done = true;
#endif
                break
            :: true
            fi
        od;
        lock = NOBODY
    od
}

/* Waits for the device's interrupt, and acknowledges it, which is a store to the device. */
inline wait_for_interrupt(end)
{
    interrupt[end];
    acknowledge(end)
}

inline acknowledge(end)
{
    atomic { lock == NOBODY -> interrupt[end] = false }
}

/* DRIVER_OK: virtio_net.c's start(). Rings are new and empty in every life. */
inline start(end)
{
    atomic {
        lock == NOBODY;
        killed[end] = false;
        life[end]++;
        if
        :: end == RECEIVER ->
            offered = 0; filled = 0; taken = 0; notify = true;
#ifdef QUIET_AT_START
            quiet = true; notify = false
#endif
        :: else -> sent = 0; finished = 0
        fi;
        want[end] = true;
        live[end] = true;
        interrupt[1 - end] = live[1 - end]
    }
}

proctype sender()
{
    bool done, wanted;

start_anew:
    start(SENDER);
    {
        do
        :: messages == 0 -> break
        :: messages > 0 && sent - finished < CHAINS ->
            d_step { messages--; sent++ };
            notify_device(SENDER)
        :: messages > 0 && sent - finished >= CHAINS ->
#ifdef NO_WANT_FENCE
            if
            :: sent - finished >= CHAINS -> want[SENDER] = true; wait_for_interrupt(SENDER)
            :: else
            fi;
#else
            want[SENDER] = true;
            if
            :: sent - finished >= CHAINS -> wait_for_interrupt(SENDER)
            :: else
            fi;
#endif
            want[SENDER] = false
        od;
end_all_sent:
        false
    } unless {
        killed[SENDER]
    };
    goto start_anew
}

inline offer()
{
#ifdef NO_OFFER_FENCE
    told = notify;
    offered++;
#else
    offered++;
    told = notify;
#endif
    if
    :: told -> notify_device(RECEIVER)
    :: else
    fi
}

proctype receiver()
{
    bool done, wanted, told;

start_anew:
    start(RECEIVER);
    {
        do
        :: offered < BUFFERS -> offer()
        :: else -> break
        od;
        do
        :: filled != taken ->
            want[RECEIVER] = false;
            taken++;
            offer()
        :: else ->
#ifdef NO_WANT_FENCE
            if
            :: filled == taken ->
                want[RECEIVER] = true;
#else
            want[RECEIVER] = true;
            if
            :: filled == taken ->
#endif
#ifdef ACKNOWLEDGE_LATE
                acknowledge(RECEIVER);
end_waits_late:
                interrupt[RECEIVER]
#else
end_waits:
                wait_for_interrupt(RECEIVER)
#endif
            :: else
            fi
        od
    } unless {
        killed[RECEIVER]
    };
    goto start_anew
}

/* virtio_reset_device() of an end that is not in the monitor: virtio_net.c's reset(). */
proctype stopper()
{
    byte end;

end_none:
    do
    :: restarts > 0 ->
        atomic {
            lock == NOBODY && restarts > 0;
            if
            :: end = SENDER
            :: end = RECEIVER
            fi;
            if
            :: live[end] ->
                restarts--;
                killed[end] = true;
                live[end] = false;
                interrupt[end] = false;
                interrupt[1 - end] = live[1 - end];
#ifndef KEEP_COPY
                copying = false;
#endif
                if
                :: end == RECEIVER -> next_buffer = 0; quiet = false
                :: else -> next_chain = 0
                fi
            :: else
            fi
        }
    :: true -> break
    od
}

/* When nothing moves any more: nobody waits for what has come or has gone. */
proctype finish()
{
    timeout ->
    assert(lock == NOBODY && live[SENDER] && live[RECEIVER]);
    assert(messages == 0);
    assert(!copying && sent == finished);
    assert(filled == taken);
    assert(!killed[SENDER] && !killed[RECEIVER])
}

init
{
    atomic {
        run sender();
        run receiver();
        run stopper();
        run finish()
    }
}
