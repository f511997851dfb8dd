/* SPDX-License-Identifier: BSD-2-Clause */
/* Any calls of SBI PMU by any vharts, events that are counted, and switches in between. */
#include "caller.h"

#include "arch/trap_vector.h"
#include "core/attended.h"

#include "features/pmu/calls.c"
#include "features/pmu/counters.c"
#include "features/pmu/pmu.c"

void attended_begin(struct vhart *vhart, bool *reason)
{
    (void)vhart;
    *reason = true;
}

void attended_end(struct vhart *vhart, bool *reason)
{
    (void)vhart;
    *reason = false;
}

void trap_use_fast_paths(bool use)
{
    (void)use;
}

/* arch/counter_csr.S */
void counters_read(struct pmu_counter *counters, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        counters[i].value = any64();
    }
}

void counters_write(const struct pmu_counter *counters, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        (void)(counters[i].value + counters[i].event);
    }
}

uint64_t counter_probe(uint64_t counter)
{
    (void)counter;
    return any64();
}

uint64_t counter_probe_inhibit(void)
{
    return any64();
}

static void call(void)
{
    struct vhart *vhart = any_vhart();
    switch (any_up_to(5)) {
    case 0:
        pmu_enter(vhart);
        break;
    case 1:
        pmu_leave(vhart);
        break;
    case 2:
        pmu_end(vhart);
        break;
    case 3:
        count(vhart, any_up_to(PMU_FIRMWARE_EVENTS - 1));
        break;
    case 4:
        /* Of those vharts that there are. */
        count_requests(vhart, any64() & ((1ul << tenant.vhart_count) - 1),
                       any_up_to(PMU_FIRMWARE_EVENTS - 1), any_up_to(PMU_FIRMWARE_EVENTS - 1));
        break;
    default:
        sbi_pmu(vhart, any64(), arguments_of(vhart));
        break;
    }
}

int main(void)
{
    set_up();
    counters_probe(&harts[0]);
    while (any_bool()) {
        pass_time();
        call();
    }
    return 0;
}
