/* SPDX-License-Identifier: BSD-2-Clause */
/* Timers: programming one, what its interrupts cost the work beneath, and waking up by one. */
#include "bench.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND 1000000000L
#define SOON_NS 200000L
#define SLEEP_NS 1000000L
#define PERIOD_US 100

static int descriptor;
static volatile sig_atomic_t expirations;

/* Sooner than the tick, so the hart's timer has to be set both times. */
static void arm_and_disarm(unsigned rounds)
{
    const struct itimerspec armed = {.it_value = {.tv_nsec = SOON_NS}};
    const struct itimerspec disarmed = {0};

    while (rounds-- > 0) {
        if (timerfd_settime(descriptor, 0, &armed, NULL) != 0 ||
            timerfd_settime(descriptor, 0, &disarmed, NULL) != 0)
            give_up("timerfd_settime");
    }
}

static void count_expiration(int number)
{
    (void)number;
    expirations++;
}

static uint64_t time_of_work(unsigned rounds)
{
    uint64_t start = now_ns();

    compute(rounds);
    return now_ns() - start;
}

static void set_interval(long microseconds)
{
    struct itimerval interval = {{0, microseconds}, {0, microseconds}};

    if (setitimer(ITIMER_REAL, &interval, NULL) != 0)
        give_up("setitimer");
}

/* What an interval timer that expires 10,000 times a second adds to work of the hart. */
static void measure_interval(unsigned scale)
{
    struct sigaction action = {.sa_handler = count_expiration, .sa_flags = SA_RESTART};
    uint64_t alone;
    uint64_t with;

    if (sigaction(SIGALRM, &action, NULL) != 0)
        give_up("sigaction");
    alone = time_of_work(5 * scale);
    expirations = 0;
    set_interval(PERIOD_US);
    with = time_of_work(5 * scale);
    set_interval(0);
    errno = ETIME;
    if (expirations == 0)
        give_up("no interval timer expired");
    keep_result("timer_signal", (unsigned)expirations, with - alone, with - alone, with - alone);
}

static uint64_t monotonic_ns(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * NS_PER_SECOND + (uint64_t)time->tv_nsec;
}

/* From the moment a sleeper asked to be woken up at until it runs; the hart idles in between. */
static void measure_wakeup(unsigned scale)
{
    unsigned rounds = 100 * scale;
    struct timespec moment;
    uint64_t late = 0;
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;

    if (prctl(PR_SET_TIMERSLACK, 1UL) != 0 || clock_gettime(CLOCK_MONOTONIC, &moment) != 0)
        give_up("prctl or clock_gettime");
    for (unsigned each = 0; each < rounds; each++) {
        struct timespec woken;
        uint64_t latency;

        clock_gettime(CLOCK_MONOTONIC, &moment);
        moment.tv_nsec += SLEEP_NS;
        if (moment.tv_nsec >= NS_PER_SECOND) {
            moment.tv_nsec -= NS_PER_SECOND;
            moment.tv_sec++;
        }
        errno = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL);
        if (errno != 0 || clock_gettime(CLOCK_MONOTONIC, &woken) != 0)
            give_up("clock_nanosleep");
        latency = monotonic_ns(&woken) - monotonic_ns(&moment);
        late += latency;
        least = latency < least ? latency : least;
        most = latency > most ? latency : most;
    }
    keep_result("wakeup", rounds, least * rounds, late, most * rounds);
}

void measure_timers(unsigned scale)
{
    descriptor = timerfd_create(CLOCK_MONOTONIC, 0);
    if (descriptor < 0)
        give_up("timerfd_create");
    measure("timer_set", arm_and_disarm, 2000 * scale);
    close(descriptor);
    measure_interval(scale);
    measure_wakeup(scale);
}
