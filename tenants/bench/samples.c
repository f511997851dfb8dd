/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/samples.h"

#include "rt/check.h"
#include "rt/console.h"
#include "rt/sbi.h"

#define RESULTS 32

static struct {
    const char *name;
    uint64_t median;
    uint64_t maximum;
} results[RESULTS];

static unsigned count;

uint64_t bench_overhead(void)
{
    uint64_t start;
    uint64_t end;

    __asm__ volatile("csrr %0, cycle\n"
                     "csrr %1, cycle"
                     : "=&r"(start), "=&r"(end));
    return end - start;
}

static void sort(uint64_t *values, unsigned length)
{
    for (unsigned i = 1; i < length; i++) {
        uint64_t value = values[i];
        unsigned place = i;

        for (; place > 0 && values[place - 1] > value; place--) {
            values[place] = values[place - 1];
        }
        values[place] = value;
    }
}

void bench_sample(const char *name, bench_measure measure)
{
    uint64_t samples[SAMPLES];

    if (count == RESULTS) {
        return;
    }
    measure(); /* the first one finds things cold that the others do not */
    for (unsigned i = 0; i < SAMPLES; i++) {
        samples[i] = measure();
    }
    sort(samples, SAMPLES);
    results[count].name = name;
    results[count].median = samples[SAMPLES / 2];
    results[count].maximum = samples[SAMPLES - 1];
    count++;
}

void bench_finish(void)
{
    for (unsigned i = 0; i < count; i++) {
        print("bench: %s %lu %lu\n", results[i].name, results[i].median, results[i].maximum);
    }
    print("bench: end\n");
    sbi_shutdown(false);
}
