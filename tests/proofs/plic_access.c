/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any loads and stores of a tenant with one or two vharts to what is emulated for it, any claims
 * and completions, and any bytes that come for its console, in any order. In a monitor with
 * fast_uart and in one without.
 */
#include "one_hart.h"

#include "arch/guest_memory.h"
#include "features/decode/decode.h"
#include "features/plic/mmio.h"

/* HAS(fast_uart) is this. */
static bool has_fast_uart;
#undef WITH_fast_uart
#define WITH_fast_uart chosen
#define HAS_SHIFT_chosen 0, has_fast_uart &&

#include "features/plic/access.c"
#include "features/plic/mmio.c"
#include "features/plic/uart.c"

#define VHARTS 2
#define CLAIM_REGISTER 0x0c201004ul

static struct bundle system;
static struct vhart own[VHARTS];
static struct plic_vhart plic_vharts[VHARTS];
static struct vplic plic;
static struct tenant *const tenant = &tenants[0];

/* Page tables of the tenant: any value at each read. */
static volatile uint64_t tables[512];

/* What is called of the rest: only that the objects are there. */

static void is_vhart(const struct vhart *vhart)
{
    //@ assert \valid_read(vhart) && \valid_read(&vhart->tenant->plic);
    (void)vhart;
}

static world_change goes_on(struct hart *hart)
{
    //@ assert \valid(hart);
    hart->reschedule = any_bool();
    return 1;
}

world_change hart_schedule(struct hart *hart)
{
    return goes_on(hart);
}

void hart_poll_interrupts(struct hart *hart)
{
    (void)goes_on(hart);
}

world_change fast_wake(struct hart *hart, uint64_t now)
{
    (void)now;
    return any_bool() ? goes_on(hart) : NO_CHANGE;
}

bool shared_lock_take(struct hart *hart, bool give_up)
{
    //@ assert \valid(hart);
    (void)hart;
    return !give_up || any_bool();
}

void shared_lock_pass_on(struct hart *hart)
{
    //@ assert \valid(hart);
    (void)hart;
}

void vhart_interrupt(struct vhart *vhart, uint64_t bits)
{
    is_vhart(vhart);
    vhart->world.pending |= bits;
}

void work_post(void)
{
}

void transmit_learn(struct vhart *vhart, uint64_t address, uint32_t instruction)
{
    is_vhart(vhart);
    (void)address;
    (void)instruction;
}

/* The one register of the board's PLIC that is written here. */
void mmio_write32(uint64_t address, uint32_t value)
{
    //@ assert address == CLAIM_REGISTER;
    (void)address;
    (void)value;
}

void plic_entry_set(struct vhart *vhart, uint32_t entry, bool allowed)
{
    is_vhart(vhart);
    //@ assert entry < COTENANT_PMP_ENTRIES || entry == COTENANT_NONE;
    (void)entry;
    (void)allowed;
}

/* As their proofs say: the page walk, the decoder, and the virtual PLIC. */

bool guest_walk(const struct tenant *of, uint64_t satp, uint64_t address, struct guest_leaf *found)
{
    //@ assert of == tenant;
    (void)of;
    (void)satp;
    (void)address;
    if (any_bool()) {
        return false;
    }
    found->address = (uint64_t)&tables[any_up_to(511)];
    found->entry = any64();
    found->physical = any64();
    return true;
}

uint32_t guest_fetch_native(uint64_t pc)
{
    (void)pc;
    return any32();
}

bool instruction_decode(uint32_t instruction, bool store, struct memory_access *access)
{
    (void)instruction;
    if (any_bool()) {
        return false;
    }
    access->floating = false;
    access->sign_extend = !store && any_bool();
    access->size = (uint8_t)(1u << any_up_to(3));
    access->reg = (uint8_t)any_up_to(31);
    access->length = any_bool() ? 2 : 4;
    return true;
}

static void change_plic(const struct vplic *vplic)
{
    //@ assert vplic == &plic;
    (void)vplic;
    MAKE_ANY(plic.level);
    MAKE_ANY(plic.pending);
    MAKE_ANY(plic.in_service);
    plic.pending_words = any_up_to((1u << COTENANT_SOURCE_WORDS) - 1);
    plic.latest = any_up_to(COTENANT_MAX_SOURCES - 1);
    for (unsigned i = 0; i < VHARTS; i++) {
        MAKE_ANY(plic.vharts[i].enable);
        MAKE_ANY(plic.vharts[i].claimed);
        plic.vharts[i].claimed_count = any32();
    }
}

bool vplic_access(struct vplic *vplic, uint64_t offset, uint32_t size, bool store, uint32_t *value)
{
    (void)offset;
    (void)size;
    (void)store;
    change_plic(vplic);
    //@ assert \valid(value) && \initialized(value);
    *value = any32();
    return any_bool();
}

uint32_t vplic_claim(struct vplic *vplic, uint32_t vhart)
{
    change_plic(vplic);
    //@ assert vhart < plic.vhart_count;
    (void)vhart;
    return any32();
}

void vplic_complete(struct vplic *vplic, uint32_t vhart, uint32_t source)
{
    (void)source;
    (void)vplic_claim(vplic, vhart);
}

bool vplic_set_level(struct vplic *vplic, uint32_t source, bool level)
{
    (void)source;
    (void)level;
    change_plic(vplic);
    return any_bool();
}

void routing_refresh(struct tenant *of)
{
    //@ assert of == tenant;
    for (unsigned i = 0; i < VHARTS; i++) {
        of->vharts[i].routed = any32();
        of->vharts[i].world.pending = any64();
    }
}

void routing_set_any_level(struct tenant *of, uint32_t source, bool level)
{
    //@ assert source < COTENANT_MAX_SOURCES;
    (void)vplic_set_level(of->plic, source, level);
    routing_refresh(of);
}

void routing_set_level(struct tenant *of, uint32_t source, bool level)
{
    routing_set_any_level(of, source, level);
}

/* A window of another feature, whose accesses may give the hart away. */

static bool is_other(const struct tenant *of, uint64_t address)
{
    //@ assert \valid_read(of);
    (void)of;
    (void)address;
    return any_bool();
}

static enum mmio_result access_other(struct vhart *vhart, uint64_t address, uint32_t size,
                                     bool store, uint64_t *value)
{
    is_vhart(vhart);
    //@ assert \valid(value) && \initialized(value);
    //@ assert size == 1 || size == 2 || size == 4 || size == 8;
    (void)address;
    (void)size;
    *value = store ? *value : any64();
    return (enum mmio_result)any_up_to(MMIO_AGAIN);
}

static world_change switch_other(struct hart *hart, struct vhart *vhart, uint64_t address,
                                 bool store)
{
    is_vhart(vhart);
    (void)address;
    (void)store;
    return any_bool() ? goes_on(hart) : NO_CHANGE;
}

MMIO_SWITCHING_WINDOW(is_other, access_other, switch_other);

HAS_ENTRIES(mmio_windows, &is_other_window, &is_plic_window, &is_uart_window);

/* Sources are below 256, and a PLIC is passed through to all vharts of a tenant or to none. */
static void set_up(uint32_t count, bool passed)
{
    MAKE_ANY(system);
    bundle = &system;
    system.board.uart_source = any_up_to(COTENANT_MAX_SOURCES - 1);
    system.tenants[0].uart_source = any_up_to(COTENANT_MAX_SOURCES - 1);
    tenant->description = &system.tenants[0];
    tenant->vharts = own;
    tenant->vhart_count = count;
    tenant->plic = &plic;
    tenant->uart_line = any_up_to(COTENANT_MAX_SOURCES - 1);
    vuart_init(&tenant->uart);
    MAKE_ANY(plic.physical_sources);
    MAKE_ANY(plic.virtual_sources);
    plic.vhart_count = count;
    for (unsigned i = 0; i < VHARTS; i++) {
        own[i].tenant = tenant;
        own[i].description = &system.vharts[i];
        own[i].plic = &plic_vharts[i];
        own[i].world.vhart_id = i;
        own[i].world.hart = &harts[i];
        plic.vharts[i].passthrough = passed;
        plic_vharts[i].own = &plic.vharts[i];
        plic_vharts[i].claim_register = passed || any_bool() ? CLAIM_REGISTER : UINT64_MAX;
        plic_vharts[i].uart_base = any64();
        plic_vharts[i].uart_size = any_bool() ? UART_SIZE : 0;
        system.vharts[i].plic_claim_entry = any_up_to(COTENANT_PMP_ENTRIES - 1);
        if (any_bool()) {
            system.vharts[i].plic_claim_entry = COTENANT_NONE;
        }
    }
    change_plic(&plic);
    routing_refresh(tenant);
}

static void pass_time(void)
{
    pass_moment();
    MAKE_ANY(own[0].world.registers);
    harts[0].loaded = &own[0];
    harts[0].event_deadline = any64();
}

static void call(void)
{
    switch (any_up_to(3)) {
    case 0:
        (void)fast_load(&harts[0]);
        break;
    case 1:
        (void)fast_store(&harts[0]);
        break;
    case 2:
        (void)emulate_emulator(&own[0], any64(), any64());
        break;
    default:
        (void)vuart_receive(&tenant->uart, any8());
        vuart_refresh(tenant);
        break;
    }
}

static void run_with(bool fast_uart, uint32_t count, bool passed)
{
    has_fast_uart = fast_uart;
    set_up(count, passed);
    while (any_bool()) {
        pass_time();
        call();
    }
}

int main(void)
{
    switch (any_up_to(3)) {
    case 0:
        run_with(true, 1, true);
        break;
    case 1:
        run_with(true, VHARTS, false);
        break;
    case 2:
        run_with(false, 1, false);
        break;
    default:
        run_with(false, VHARTS, true);
        break;
    }
    return 0;
}
