/* SPDX-License-Identifier: BSD-2-Clause */
#include "control_bench.h"

#include <assert.h>
#include <string.h>

#include "arch/csr.h"
#include "arch/guest_memory.h"
#include "arch/memory.h"
#include "core/hart.h"
#include "core/heartbeats.h"
#include "core/hooks.h"
#include "core/monitor_log.h"
#include "core/work.h"
#include "features/control/save_restore.h"
#include "features/control/zeros.h"
#include "features/plic/routing.h"

uint8_t bench_memory[BENCH_CONTROL_TENANTS][BENCH_MEMORY];
uint8_t bench_trace[BENCH_TRACE];
volatile uint64_t bench_time;
struct tenant *bench_commanded;
enum tenant_command bench_command;
uint32_t bench_commands;
bool bench_accepts;
struct dormant_state bench_restored;
uint32_t bench_instruction;
uint64_t bench_fetched;

static struct bundle made;
static struct hart hart;

/* The memory is this program's. */
void physical_copy(uint64_t destination, const void *source, size_t size)
{
    memcpy((void *)destination, source, size);
}

void physical_clear(uint64_t destination, size_t size)
{
    memset((void *)destination, 0, size);
}

size_t physical_zeros(uint64_t source, size_t size)
{
    size_t zeros = 0;

    assert(source % 8 == 0 && size % 8 == 0);
    while (zeros < size && ((const uint8_t *)source)[zeros] == 0) {
        zeros++;
    }
    return zeros / 8 * 8;
}

bool tenant_commands_take(struct tenant *tenant, enum tenant_command command)
{
    bench_commanded = tenant;
    bench_command = command;
    bench_commands++;
    return bench_accepts;
}

bool dormant_save(const struct tenant *tenant, struct dormant_state *state)
{
    *state = (struct dormant_state){.version = COTENANT_DORMANT_VERSION, .address = 0x1234};
    return tenant->state == TENANT_DORMANT;
}

bool dormant_restore(struct tenant *tenant, const struct dormant_state *state)
{
    bench_restored = *state;
    tenant->state = bench_accepts ? TENANT_DORMANT : tenant->state;
    return bench_accepts;
}

__attribute__((weak)) void work_post(void)
{
}

/* Unless the test is linked with the true one. */
__attribute__((weak)) uint32_t guest_fetch(const struct tenant *tenant, uint64_t satp, uint64_t pc)
{
    (void)tenant;
    (void)satp;
    bench_fetched = pc;
    return bench_instruction;
}

static struct heartbeats heartbeats_of[COTENANT_MAX_TENANTS];

static void heartbeats_are_shown(const struct tenant *tenant, struct heartbeats *shown)
{
    *shown = heartbeats_of[tenant->index];
}

static void change_heartbeats(struct tenant *tenant, struct heartbeats_command *command)
{
    heartbeats_of[tenant->index].policy = command->policy;
    heartbeats_of[tenant->index].within = command->within_us * 10ul;
    command->accepted = bench_accepts;
}

HOOK(heartbeats_shown, heartbeats_are_shown);
HOOK(heartbeats_change, change_heartbeats);

void vuart_refresh(struct tenant *tenant)
{
    (void)tenant;
}

static void make_tenant(uint32_t index, const char *name, enum tenant_state state)
{
    struct bundle_tenant *description = &made.tenants[index];
    struct tenant *tenant = &tenants[index];

    strcpy(description->name, name);
    description->vhart_first = index;
    description->vhart_count = 1;
    description->memory[1].base = (uint64_t)bench_memory[index];
    description->memory[1].size = BENCH_MEMORY;
    description->entry = (uint64_t)bench_memory[index];
    *tenant = (struct tenant){
        .description = description,
        .index = index,
        .vhart_count = 1,
        .state = state,
        .vharts = &vharts[index],
    };
    vuart_init(&tenant->uart);
    vharts[index] = (struct vhart){.tenant = tenant, .description = &made.vharts[index]};
    vharts[index].world.hart = &hart;
}

void control_bench_init(void)
{
    memset(&made, 0, sizeof(made));
    memset(bench_memory, 0, sizeof(bench_memory));
    memset(bench_trace, 0, sizeof(bench_trace));
    made.board.timebase_hz = 10000000;
    made.board.hart_count = 1;
    made.vhart_count = BENCH_CONTROL_TENANTS;
    made.trace.base = (uint64_t)bench_trace;
    made.trace.ring_size = sizeof(bench_trace);
    bundle = &made;
    hart = (struct hart){.mtime = &bench_time, .id = 4};
    csr_file_write("tp", (uint64_t)&hart);
    bench_time = 0;
    bench_commands = 0;
    bench_instruction = 0;
    bench_accepts = true;
    tenant_count = BENCH_CONTROL_TENANTS;
    monitor_log_init();
    make_tenant(BENCH_RUNNING, "linux", TENANT_RUNNING);
    make_tenant(BENCH_DORMANT, "freertos", TENANT_DORMANT);
    make_tenant(BENCH_EMPTY, "spare", TENANT_EMPTY);
}
