/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fpcheck SECONDS [SEED]: three processes of three threads each keep values of their own in all 32
 * FP registers and in fcsr while time passes, and check that they are still there. One thread of a
 * process spins, one yields and one sleeps, so that the registers are taken away at every kind of
 * moment. SEED makes the values of this run differ from those of another tenant.
 *
 * The registers are loaded, held and stored by one piece of assembly, so that no code of the
 * compiler runs between. A system call keeps them: they belong to the process.
 */
#include "processes.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REGISTERS 32
/* Rounds of an empty loop that is run with the values in the registers: some 0.1 ms under QEMU. */
#define SPIN_ROUNDS 20000
#define SLEEP_NS 1000000
/* fcsr: rounding modes 0 to 4 in bits 7:5, sticky flags in bits 4:0. */
#define ROUNDING_MODES 5
#define ROUNDING_SHIFT 5
#define FLAG_MASK 0x1f

/* All that a thread keeps in the FP unit. */
struct fp_state {
    uint64_t registers[REGISTERS];
    uint64_t fcsr;
};

/* The system call that a thread makes while it holds its values. */
struct pause {
    long number;
    const struct timespec *time; /* its first argument */
};

static const struct timespec sleep_time = {.tv_sec = 0, .tv_nsec = SLEEP_NS};
static const struct pause pauses[] = {
    {SYS_getpid, NULL},
    {SYS_sched_yield, NULL},
    {SYS_nanosleep, &sleep_time},
};
#define THREADS (sizeof(pauses) / sizeof(pauses[0]))

struct worker {
    const struct pause *pause;
    int64_t deadline;
    uint64_t seed;
    uint64_t rounds; /* result */
    int failed;      /* result */
};

#define REGISTER_NUMBERS                                                                           \
    "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"

/* Puts `wanted` into the FP unit, spins, makes the call, and stores what is there to `found`. */
static void hold(const struct fp_state *wanted, struct fp_state *found, const struct pause *pause)
{
    register const void *argument asm("a0") = pause->time;
    register long remaining asm("a1") = 0;
    register long number asm("a7") = pause->number;
    uint64_t rounds = SPIN_ROUNDS;

    asm volatile(".irp n, " REGISTER_NUMBERS "\n"
                 "    fld f\\n, 8*\\n(%[wanted])\n"
                 ".endr\n"
                 "fscsr %[fcsr_wanted]\n"
                 "1: addi %[rounds], %[rounds], -1\n"
                 "bnez %[rounds], 1b\n"
                 "ecall\n"
                 ".irp n, " REGISTER_NUMBERS "\n"
                 "    fsd f\\n, 8*\\n(%[found])\n"
                 ".endr\n"
                 "frcsr %[fcsr_found]\n"
                 "fscsr zero\n"
                 : [rounds] "+&r"(rounds), [fcsr_found] "=&r"(found->fcsr), "+r"(argument)
                 : [wanted] "r"(wanted->registers), [found] "r"(found->registers),
                   [fcsr_wanted] "r"(wanted->fcsr), "r"(remaining), "r"(number)
                 : "memory", "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10",
                   "f11", "f12", "f13", "f14", "f15", "f16", "f17", "f18", "f19", "f20", "f21",
                   "f22", "f23", "f24", "f25", "f26", "f27", "f28", "f29", "f30", "f31");
}

/* Values that differ between tenants, processes, threads, rounds and registers. */
static void choose_values(struct fp_state *state, uint64_t seed, uint64_t round)
{
    for (uint64_t index = 0; index < REGISTERS; index++)
        state->registers[index] =
            (seed << 40 | round << 8 | index) * 0x9e3779b97f4a7c15U; /* odd: no two collide */
    state->fcsr = (seed + round) % ROUNDING_MODES << ROUNDING_SHIFT | (round & FLAG_MASK);
}

static void report(const struct worker *worker, const struct fp_state *wanted,
                   const struct fp_state *found)
{
    for (int index = 0; index < REGISTERS; index++) {
        if (found->registers[index] != wanted->registers[index])
            printf("fpcheck: seed %#llx: f%d is %#018llx instead of %#018llx\n",
                   (unsigned long long)worker->seed, index,
                   (unsigned long long)found->registers[index],
                   (unsigned long long)wanted->registers[index]);
    }
    if (found->fcsr != wanted->fcsr)
        printf("fpcheck: seed %#llx: fcsr is %#llx instead of %#llx\n",
               (unsigned long long)worker->seed, (unsigned long long)found->fcsr,
               (unsigned long long)wanted->fcsr);
}

static void *run_worker(void *argument)
{
    struct worker *worker = argument;
    struct fp_state wanted;
    struct fp_state found;

    while (!worker->failed && now_ns() < worker->deadline) {
        choose_values(&wanted, worker->seed, worker->rounds);
        hold(&wanted, &found, worker->pause);
        if (memcmp(&wanted, &found, sizeof(wanted)) != 0) {
            report(worker, &wanted, &found);
            worker->failed = 1;
        }
        worker->rounds++;
    }
    return NULL;
}

/* One process: runs its threads to the end. Returns its exit status. */
static int run_process(uint64_t seed, int64_t deadline)
{
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    uint64_t rounds = 0;
    int failed = 0;

    for (size_t index = 0; index < THREADS; index++) {
        workers[index] = (struct worker){
            .pause = &pauses[index], .deadline = deadline, .seed = seed * THREADS + index};
        errno = pthread_create(&threads[index], NULL, run_worker, &workers[index]);
        if (errno != 0)
            give_up("pthread_create");
    }
    for (size_t index = 0; index < THREADS; index++) {
        pthread_join(threads[index], NULL);
        rounds += workers[index].rounds;
        failed |= workers[index].failed;
    }
    printf("fpcheck: process %llu: rounds=%llu\n", (unsigned long long)(seed % PROCESSES),
           (unsigned long long)rounds);
    return failed || rounds == 0;
}

int main(int argc, char **argv)
{
    return run_processes("fpcheck", argc, argv, run_process);
}
