/* SPDX-License-Identifier: BSD-2-Clause */
/* From the relocated image to the first tenant: the boot hart, then the others. */
#include "arch/csr.h"
#include "arch/environment.h"
#include "arch/memory.h"
#include "arch/probe.h"
#include "arch/protection.h"
#include "arch/trap_vector.h"
#include "boot/early_console.h"
#include "boot/tenants.h"
#include "core/clock.h"
#include "core/console.h"
#include "core/handover.h"
#include "core/hart.h"
#include "core/hooks.h"
#include "core/loader.h"
#include "core/messages.h"
#include "core/monitor_log.h"
#include "core/recorder.h"
#include "core/work.h"
#include "entry/trap.h"
#include "irq/board.h"
#include "sbi/sbi.h"

/* boot/start.S and boot/monitor.ld */
extern char boot_stack_top[];
extern uint32_t waiting_harts;
extern uint32_t released_harts[2];

/* How long the boot hart waits for another one to take its next step. */
#define MOST_WAIT_US 5000000
/* And at least: the grace is for harts that the board has and the bundle does not know. */
#define LEAST_WAIT_US 1000
#define REST_TICKS 10

static uint8_t stacks[COTENANT_MAX_HARTS - 1][HART_STACK_SIZE] __attribute__((aligned(16)));

_Noreturn void monitor_main(const struct bundle *checked_bundle, uint64_t loaded_at,
                            uint64_t argument);
void hart_main(struct hart *hart);

static uint64_t stack_of(uint32_t index)
{
    uint32_t boot_hart = bundle->board.boot_hart;

    if (!HAS(harts) || index == boot_hart) {
        return (uint64_t)boot_stack_top;
    }
    return (uint64_t)stacks[index < boot_hart ? index : index - 1] + HART_STACK_SIZE;
}

static void hart_init(struct hart *hart, uint32_t index)
{
    const struct bundle_board *board = &bundle->board;
    const struct bundle_hart *description = &board->harts[index];

    hart->id = description->id;
    hart->index = index;
    hart->plic_m_context = description->plic_m_context;
    hart->plic_s_context = description->plic_s_context;
    hart->stack_top = stack_of(index);
    hart->features = (board->hart_count == 1 ? HART_ALONE : 0) |
                     ((board->flags & COTENANT_BOARD_SSTC) != 0 ? HART_SSTC : 0) |
                     ((board->flags & COTENANT_BOARD_ENVCFG) != 0 ? HART_ENVCFG : 0);
    hart->mtime = (const volatile uint64_t *)board->mtime_address;
    hart->mtimecmp = (volatile uint64_t *)(board->mtimecmp_base + 8ul * hart->id);
    hart->msip =
        board->msip_base == 0 ? NULL : (volatile uint32_t *)(board->msip_base + 4ul * hart->id);
    hart->event_deadline = TIME_NEVER;
    hart->work_due = WORK_NEVER;
    hart->plic_threshold = &hart->no_plic_threshold;
    scheduler_init(&hart->scheduler, hart_now(hart));
}

/* Machine registers that are the same for all tenants. */
static void registers_init(const struct hart *hart)
{
    trap_use_fast_paths(true);
    CSR_WRITE(mscratch, 0);
    CSR_WRITE(mideleg, INTERRUPTS_SUPERVISOR);
    CSR_WRITE(mie, INTERRUPTS_MACHINE);
    CSR_WRITE(mcounteren, COUNTERS_BASIC);
    if ((hart->features & HART_ENVCFG) != 0) {
        CSR_WRITE(0x30a, environment_of(bundle->board.flags)); /* menvcfg */
    }
    if ((hart->features & HART_SSTC) != 0) {
        CSR_WRITE(0x14d, TIME_NEVER); /* stimecmp */
    }
}

/*
 * Sleeps for a moment, so that the other harts get their turn where an emulator gives each of them
 * the processor for a while.
 */
static void rest(const struct hart *hart)
{
    *hart->mtimecmp = hart_now(hart) + REST_TICKS;
    __asm__ volatile("wfi" : : : "memory");
}

/* A hart of the bundle that does not come is not needed if no vhart is to run on it. */
static void wait_for_others(const struct hart *hart)
{
    uint64_t start = hart_now(hart);
    uint64_t waited = 0;

    while (waited < ticks_from_us(LEAST_WAIT_US) ||
           (waited < ticks_from_us(MOST_WAIT_US) &&
            __atomic_load_n(&waiting_harts, __ATOMIC_RELAXED) + 1 < bundle->board.hart_count)) {
        rest(hart);
        waited = hart_now(hart) - start;
    }
}

static _Noreturn void refuse(const char *problem, int32_t index)
{
    const struct check_result result = {problem, index, 0};

    early_console_refuse(&result);
}

/* Every vhart's entries are tried once; those in force last serve where addresses are shared. */
static void protection_init(struct hart *hart)
{
    for (uint32_t i = 0; i < bundle->vhart_count; i++) {
        if (vharts[i].world.hart == hart && protection_install(&vharts[i]) >= 0) {
            refuse("vhart.pmp_address: this hart does not keep it", (int32_t)i);
        }
    }
    if (protection_is_resident(hart->index) && (hart->features & HART_HYPERVISOR) == 0) {
        hart->features |= HART_PMP_RESIDENT;
    }
    switch (hart->features & (HART_SSTC | HART_ENVCFG | HART_PMP_RESIDENT)) {
    case HART_PMP_RESIDENT:
        hart->exchanges = 0;
        break;
    case HART_ENVCFG | HART_PMP_RESIDENT:
        hart->exchanges = 1;
        break;
    case HART_SSTC | HART_ENVCFG | HART_PMP_RESIDENT:
        hart->exchanges = -2;
        break;
    default:
        hart->exchanges = -1;
        break;
    }
}

/*
 * What was copied from lies in memory that tenants get and holds the images of all of them. No hart
 * runs there any more.
 */
static void clear_loaded(uint64_t loaded_at, uint64_t argument)
{
    const struct monitor_header *header = (const struct monitor_header *)loaded_at;
    const struct handover handover = {argument, 0, loaded_at,
                                      header->image_size + bundle->total_size};

    physical_clear(handover.loaded_at, images_are_placed ? 0 : handover.loaded_size);
    FOR_EACH_IN_TABLE(handover_users, user)
    {
        user->clear(&handover, bundle);
    }
}

/* What every hart does for itself before it may run tenants. Refuses a hart that cannot. */
static void hart_begin(struct hart *hart)
{
    if (protection_count_entries() < bundle->board.pmp_entries) {
        refuse("board.pmp_entries: more than this hart has", -1);
    }
    registers_init(hart);
    hart->emulated_exceptions = probe_hart();
    if (hart->emulated_exceptions < PROBE_ALL_IS_KEPT || (HAS(vector) && !vector_fits()) ||
        (CSR_READ(misa) & ~bundle->board.flags &
         (COTENANT_BOARD_VECTOR | (HAS(hypervisor) ? 0 : MISA_H))) != 0) {
        refuse("vectors, hypervisor: not this hart's, or it has jvt, siselect, srmcfg or scontext",
               -1);
    }
    hart_begins(hart);
}

_Noreturn static void run(struct hart *hart)
{
    world_change change;

    hart->reschedule = true;
    change = hart_schedule(hart);
    record_running(hart, hart->loaded);
    world_enter(change);
}

static void release_others(const struct hart *boot_hart)
{
    int32_t missing;

    released_harts[1] = bundle->board.hart_count;
    __atomic_store_n(&released_harts[0], 1, __ATOMIC_SEQ_CST);
    missing = harts_start(boot_hart, rest, ticks_from_us(MOST_WAIT_US));
    if (missing >= 0) {
        refuse("board.harts: this one does not start", missing);
    }
}

/* Returns on a hart on which no vhart runs: it may be without S-mode and all that belongs to it. */
void hart_main(struct hart *hart)
{
    if (!HAS(harts) || !hart_has_vharts(hart)) {
        return;
    }
    hart_begin(hart);
    protection_init(hart);
    *hart->msip = 0;
    __atomic_store_n(&hart->ready, true, __ATOMIC_SEQ_CST);
    run(hart);
}

_Noreturn void monitor_main(const struct bundle *checked_bundle, uint64_t loaded_at,
                            uint64_t argument)
{
    struct hart *hart = &harts[checked_bundle->board.boot_hart];

    bundle = checked_bundle;
    WRITE_TP(hart);
    if (sbi_init() != NULL && HAS(check)) { /* a lean monitor has some of the full one's */
        refuse("two SBI extensions have one place", -1);
    }
    for (uint32_t i = 0; i < bundle->board.hart_count; i++) {
        hart_init(&harts[i], i);
    }
    trap_vector_init(trap_entry, trap_plain_entry);
    harts_are_known(hart);
    hart_begin(hart);
    wait_for_others(hart);
    images_are_placed = loaded_at == bundle->board.monitor_base;
    clear_loaded(loaded_at, argument);
    monitor_log_init();
    board_interrupts_init(hart, console_input_ready);
    tenants_init();
    protection_init(hart);
    work_init(hart);
    console_init();
    if (HAS(harts)) {
        release_others(hart);
    }
    run(hart);
}
