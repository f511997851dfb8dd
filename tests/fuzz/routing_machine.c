/* SPDX-License-Identifier: BSD-2-Clause */
#include "routing_machine.h"

#include <stddef.h>
#include <string.h>

#include "arch/mmio.h"
#include "core/give_back.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/messages.h"
#include "device/plic_map.h"
#include "entry/fast_switch.h"
#include "features/plic/claim.h"
#include "features/plic/plic_entries.h"
#include "features/plic/routing.h"
#include "features/plic/uart.h"
#include "features/plic/vuart_registers.h"
#include "irq/board.h"

#define VHARTS (DRIVEN_VHARTS + HARTS)
#define CLAIM_ENTRY 1
#define ENABLES_ENTRY 2
#define IER 1
#define IER_TRANSMIT 2

static const uint8_t sources_of[DRIVEN][PHYSICAL_EACH] = {
    {1, 2, 33}, {3, 4, 34}, {5, 6, 35}, {7, 8, 36}};
const uint8_t virtual_sources[DRIVEN][VIRTUAL_EACH] = {{20, 48}, {21, 49}, {22, 50}, {23, 51}};

static const struct {
    uint8_t first;
    uint8_t count;
    bool passed;
} parts[DRIVEN + 1] = {{0, 1, true}, {1, 2, true}, {3, 1, false}, {4, 2, false}, {6, 3, false}};
static const uint8_t hart_of[VHARTS] = {0, 1, 2, 0, 1, 2, 0, 1, 2};

struct hart harts[COTENANT_MAX_HARTS];
static struct bundle made;
static bool claim_open[VHARTS];
static bool enables_shown[VHARTS];
static uint32_t posted; /* vharts with a message, a bit each */
static uint32_t steps[DRIVEN];
/* Sources that have interrupted a hart since their tenant last ran there. */
static uint64_t interrupted[HARTS];
static bool flickered[DRIVEN][HARTS];
uint64_t machine_interruptions;

/* Of two tenants that share their sources, the one whose turn it is not has TENANT_DORMANT. */
static bool grouped;

const uint8_t *physical_sources(uint32_t tenant)
{
    return sources_of[grouped ? tenant % GROUPS : tenant];
}

static bool is_dormant(uint32_t tenant)
{
    return tenants[tenant].state == TENANT_DORMANT;
}

uint64_t physical_set(uint32_t tenant)
{
    uint64_t set = 0;

    for (uint32_t i = 0; i < PHYSICAL_EACH; i++) {
        set |= SOURCE_BIT(physical_sources(tenant)[i]);
    }
    return set;
}

static uint64_t virtual_set(uint32_t tenant)
{
    uint64_t set = SOURCE_BIT(BOARD_UART) | SOURCE_BIT(TENANT_UART);

    for (uint32_t i = 0; i < VIRTUAL_EACH; i++) {
        set |= SOURCE_BIT(virtual_sources[tenant][i]);
    }
    return set;
}

uint64_t known_set(uint32_t tenant)
{
    return physical_set(tenant) | virtual_set(tenant);
}

bool is_passed(uint32_t tenant)
{
    return parts[tenant].passed;
}

static uint32_t number_of(const struct vhart *vhart)
{
    return (uint32_t)(vhart - vharts);
}

static uint32_t hart_number(const struct vhart *vhart)
{
    return hart_of[number_of(vhart)];
}

void work_post(void)
{
}

void plic_entry_set(struct vhart *vhart, uint32_t entry, bool allowed)
{
    CHECK(vhart->world.hart == hart_self());
    if (entry == COTENANT_NONE) {
        return;
    }
    (entry == vhart->plic->enables_entry ? enables_shown : claim_open)[number_of(vhart)] = allowed;
}

uint32_t plic_entry_of_enables(const struct bundle_vhart *vhart)
{
    (void)vhart;
    return ENABLES_ENTRY;
}

void messages_send(struct vhart *vhart, uint32_t requests)
{
    CHECK(requests == REQUEST_ROUTING);
    posted |= 1u << number_of(vhart);
}

void vhart_interrupt(struct vhart *vhart, uint64_t bits)
{
    CHECK(vhart->world.hart == hart_self());
    vhart->world.pending |= bits;
}

static void go_to(uint32_t hart)
{
    csr_file_write("tp", (uintptr_t)&harts[hart]);
}

static void act_as(int who)
{
    actor = (struct plic_actor){.who = who};
}

/* The monitor does what a tenant has asked for: nothing else's sources may be touched. */
static void act_for(uint32_t tenant)
{
    act_as((int)tenant);
    CHECK(!is_dormant(tenant));
    actor.sources = physical_set(tenant);
    for (uint32_t i = 0; parts[tenant].passed && i < parts[tenant].count; i++) {
        actor.contexts |= 1u << S_CONTEXT(hart_of[parts[tenant].first + i]);
        /* Nothing is wired to virtual sources but the UART's; their bits may be set. */
        actor.sources |= virtual_set(tenant) & ~SOURCE_BIT(BOARD_UART);
    }
}

static void take_uart(void)
{
    physical_set_line(BOARD_UART, false);
}

static void make_tenant(uint32_t index)
{
    struct bundle_tenant *description = &made.tenants[index];
    struct tenant *tenant = &tenants[index];

    if (index < DRIVEN) {
        uint64_t own = physical_set(index);

        description->plic_base = physical_base();
        description->sources[0] = (uint32_t)own;
        description->sources[1] = (uint32_t)(own >> 32);
        description->flags = COTENANT_TENANT_UART;
        description->uart_source = TENANT_UART;
        steps[index] = 0;
    }
    tenant->description = description;
    tenant->index = index;
    tenant->state = TENANT_RUNNING;
    tenant->vharts = &vharts[parts[index].first];
    tenant->vhart_count = parts[index].count;
    vuart_init(&tenant->uart);
}

static void make_vhart(struct tenant *tenant, uint32_t index)
{
    struct vhart *vhart = &tenant->vharts[index];
    uint32_t number = number_of(vhart);
    struct bundle_vhart *description = &made.vharts[number];

    description->plic_s_context =
        tenant->index < DRIVEN ? (uint32_t)S_CONTEXT(hart_of[number]) : COTENANT_NONE;
    description->plic_claim_entry = is_passed(tenant->index) ? CLAIM_ENTRY : COTENANT_NONE;
    description->flags = is_passed(tenant->index) ? COTENANT_VHART_PLIC_PASSTHROUGH : 0;
    memset(vhart, 0, sizeof(*vhart));
    vhart->description = description;
    vhart->index = number;
    vhart->tenant = tenant;
    vhart->world.hart = &harts[hart_of[number]];
    vhart->world.vhart_id = index;
    vhart->plic_threshold = PLIC_THRESHOLD_CLOSED;
    claim_open[number] = is_passed(tenant->index);
    enables_shown[number] = is_passed(tenant->index);
}

static void make_board(void)
{
    made.board.plic_base = physical_base();
    made.board.plic_sources = PLIC_SOURCES;
    made.board.hart_count = HARTS;
    made.board.uart_kind = COTENANT_UART_NS16550;
    made.board.uart_source = BOARD_UART;
    for (uint32_t i = 0; i < HARTS; i++) {
        memset(&harts[i], 0, sizeof(harts[i]));
        harts[i].index = i;
        harts[i].plic_m_context = made.board.harts[i].plic_m_context = M_CONTEXT(i);
        harts[i].plic_s_context = made.board.harts[i].plic_s_context = S_CONTEXT(i);
        interrupted[i] = 0;
    }
}

static void take_contexts(const struct tenant *tenant)
{
    for (uint32_t i = 0; i < tenant->vhart_count; i++) {
        go_to(hart_number(&tenant->vharts[i]));
        vhart_take_interrupts(&tenant->vharts[i]);
    }
}

/* The source is its own among those of its group, and it has what it needs to be loaded. */
static void begin_turn(uint32_t tenant)
{
    tenants[tenant].state = TENANT_RUNNING;
    act_as(ACTOR_BOOT);
    if (grouped) {
        tenant_take_sources(&tenants[tenant]);
    }
    take_contexts(&tenants[tenant]);
    for (uint32_t hart = 0; grouped && hart < HARTS; hart++) {
        interrupted[hart] &= ~physical_set(tenant); /* they were another one's */
    }
}

void machine_reset(bool any_context, bool latches, bool groups)
{
    grouped = groups;
    memset(&made, 0, sizeof(made));
    memset(flickered, 0, sizeof(flickered));
    posted = 0;
    physical_reset();
    physical.any_context = any_context;
    physical.latches = latches;
    bundle = &made;
    tenant_count = DRIVEN + 1;
    act_as(ACTOR_BOOT);
    make_board();
    board_interrupts_init(&harts[0], take_uart);
    for (uint32_t tenant = 0; tenant < tenant_count; tenant++) {
        memset(&tenants[tenant], 0, sizeof(tenants[tenant]));
        make_tenant(tenant);
        for (uint32_t i = 0; i < parts[tenant].count; i++) {
            make_vhart(&tenants[tenant], i);
        }
        go_to(0);
        tenant_is_set_up(&tenants[tenant]);
        for (uint32_t i = 0; tenant < DRIVEN && i < VIRTUAL_EACH; i++) {
            vplic_add_virtual(tenants[tenant].plic, virtual_sources[tenant][i]);
        }
    }
    for (uint32_t hart = 0; hart < HARTS; hart++) {
        harts[hart].loaded = machine_bystander(hart);
    }
    for (uint32_t tenant = 0; tenant < DRIVEN; tenant++) {
        if (grouped && tenant >= GROUPS) {
            tenants[tenant].state = TENANT_DORMANT;
        } else {
            begin_turn(tenant);
        }
    }
    physical_set_line(UNOWNED, true);
}

struct vhart *machine_bystander(uint32_t hart)
{
    return &vharts[DRIVEN_VHARTS + hart];
}

struct vhart *machine_loaded(uint32_t hart)
{
    return harts[hart].loaded;
}

void machine_switch(struct vhart *to)
{
    uint32_t hart = hart_number(to);
    uint32_t tenant = to->tenant->index;

    if (harts[hart].loaded == to || to->tenant->state != TENANT_RUNNING) {
        return;
    }
    go_to(hart);
    fast_route(&harts[hart], to);
    harts[hart].loaded = to;
    if (tenant < DRIVEN) {
        interrupted[hart] &= ~physical_set(tenant);
        flickered[tenant][hart] = false;
    }
}

void machine_messages(uint32_t hart)
{
    for (uint32_t i = 0; i < DRIVEN_VHARTS; i++) {
        if (hart_of[i] == hart && (posted >> i & 1) != 0) {
            posted &= ~(1u << i);
            go_to(hart);
            act_as(ACTOR_DEVICE);
            vhart_is_routed(&vharts[i]);
        }
    }
}

static uint32_t owner_of(uint32_t source)
{
    for (uint32_t tenant = 0; tenant < DRIVEN; tenant++) {
        if ((physical_set(tenant) >> source & 1) != 0 && !is_dormant(tenant)) {
            return tenant;
        }
    }
    return DRIVEN;
}

static void take_interrupt(uint32_t hart)
{
    go_to(hart);
    act_as(ACTOR_INTERRUPT);
    board_external_interrupt(&harts[hart]);
    machine_interruptions++;
}

/* Who is above a tenant on a hart loses time to each of its sources once. */
bool machine_interrupt(uint32_t hart)
{
    uint32_t source = physical_due(M_CONTEXT(hart));
    uint32_t owner = owner_of(source);

    if (source == 0) {
        return false;
    }
    CHECK(source == BOARD_UART || owner < DRIVEN);
    if (owner < DRIVEN && harts[hart].loaded->tenant != &tenants[owner]) {
        CHECK((interrupted[hart] & SOURCE_BIT(source)) == 0);
        interrupted[hart] |= SOURCE_BIT(source);
    }
    take_interrupt(hart);
    return true;
}

void machine_standstill(void)
{
    bool again = true;

    for (unsigned round = 0; again; round++) {
        CHECK(round <= PLIC_SOURCES);
        again = false;
        for (uint32_t hart = 0; hart < HARTS; hart++) {
            again |= machine_interrupt(hart);
        }
    }
    CHECK((physical.line & SOURCE_BIT(BOARD_UART)) == 0);
}

static bool runs(uint32_t tenant)
{
    for (uint32_t hart = 0; hart < HARTS; hart++) {
        if (harts[hart].loaded->tenant == &tenants[tenant]) {
            return true;
        }
    }
    return false;
}

/* A tenant that runs elsewhere lets its device do so: it may cost a hart one interrupt. */
void machine_flicker(uint32_t source)
{
    uint32_t owner = owner_of(source);
    bool wanted[HARTS];

    if ((physical.line >> source & 1) != 0) {
        return;
    }
    machine_standstill();
    physical_set_line(source, true);
    for (uint32_t hart = 0; hart < HARTS; hart++) {
        wanted[hart] = physical_due(M_CONTEXT(hart)) != 0;
    }
    physical_set_line(source, false);
    for (uint32_t hart = 0; hart < HARTS; hart++) {
        if (!wanted[hart]) {
            continue;
        }
        if (!physical.latches && runs(owner) && harts[hart].loaded->tenant != &tenants[owner]) {
            CHECK(!flickered[owner][hart]);
            flickered[owner][hart] = true;
        }
        if (!machine_interrupt(hart)) {
            take_interrupt(hart);
        }
    }
}

void machine_glitch(uint32_t tenant, uint32_t source)
{
    uint64_t bit = physical.claimed & physical_set(tenant) & SOURCE_BIT(source);

    if (is_passed(tenant) || bit == 0) {
        return;
    }
    physical_glitch(source);
    for (uint32_t hart = 0; hart < HARTS; hart++) {
        interrupted[hart] &= ~bit; /* it comes once more, by no fault of the monitor */
    }
}

static uint64_t claim_offset(const struct vhart *vhart)
{
    return PLIC_CLAIM_BASE + (uint64_t)PLIC_CONTEXT_STRIDE * S_CONTEXT(hart_number(vhart));
}

/* As features/plic/access.c and mmio.c do. */
bool machine_store(struct vhart *vhart, uint64_t offset, uint32_t size, uint32_t value)
{
    struct tenant *tenant = vhart->tenant;
    bool done;

    go_to(hart_number(vhart));
    act_for(tenant->index);
    if (size == 4 && physical_base() + offset == vhart->plic->claim_register &&
        claim_complete_directly(vhart, value)) {
        return true;
    }
    if (size == 4 && physical_base() + offset == vhart->plic->claim_register) {
        (void)claim_access(vhart, true, value);
        return true;
    }
    done = vplic_access(tenant->plic, offset, size, true, &value);
    uart_choose_line(tenant);
    routing_refresh(tenant);
    return done;
}

/* The vhart reads an enable word by itself: it must be what the PLIC that it sees has. */
static uint32_t load_enables(const struct vhart *vhart, uint64_t offset)
{
    uint32_t word = (uint32_t)(offset % PLIC_ENABLE_STRIDE / 4);
    uint32_t value = mmio_read32(physical_base() + offset);

    if ((posted >> number_of(vhart) & 1) == 0) {
        CHECK(value == vhart->tenant->plic->vharts[vhart->world.vhart_id].enable[word]);
    }
    return value;
}

bool machine_load(struct vhart *vhart, uint64_t offset, uint32_t size, uint32_t *value)
{
    struct tenant *tenant = vhart->tenant;
    uint64_t enables = PLIC_ENABLE_BASE + PLIC_ENABLE_STRIDE * S_CONTEXT(hart_number(vhart));
    bool done;

    go_to(hart_number(vhart));
    act_for(tenant->index);
    if (size == 4 && claim_open[number_of(vhart)] && offset == claim_offset(vhart)) {
        *value = mmio_read32(physical_base() + offset);
        return true;
    }
    if (size == 4 && enables_shown[number_of(vhart)] && offset % 4 == 0 && offset >= enables &&
        offset < enables + PLIC_SOURCES / 8) {
        *value = load_enables(vhart, offset);
        return true;
    }
    if (size == 4 && offset == claim_offset(vhart)) {
        *value = claim_access(vhart, false, 0);
        return true;
    }
    done = vplic_access(tenant->plic, offset, size, false, value);
    routing_refresh(tenant);
    return done;
}

bool machine_output(const struct vhart *vhart)
{
    return (vhart->world.pending & INTERRUPT_SEI) != 0 ||
           (is_passed(vhart->tenant->index) && physical_due(S_CONTEXT(hart_number(vhart))) != 0);
}

void machine_set_level(uint32_t tenant, uint32_t source, bool level, uint32_t hart)
{
    go_to(hart);
    act_as(ACTOR_DEVICE);
    routing_set_level(&tenants[tenant], source, level);
}

void machine_set_uart(uint32_t tenant, bool level, uint32_t hart)
{
    go_to(hart);
    act_as(ACTOR_DEVICE);
    vuart_write(&tenants[tenant].uart, IER, level ? IER_TRANSMIT : 0);
    CHECK(vuart_interrupt(&tenants[tenant].uart) == level);
    vuart_refresh(&tenants[tenant]);
}

void machine_stop(uint32_t tenant)
{
    for (uint32_t hart = 0; hart < HARTS; hart++) {
        if (harts[hart].loaded->tenant == &tenants[tenant]) {
            machine_switch(machine_bystander(hart));
        }
    }
    tenants[tenant].state = TENANT_STOPPING;
    steps[tenant] = 0;
    for (uint32_t i = 0; i < PHYSICAL_EACH; i++) {
        physical_set_line(physical_sources(tenant)[i], false);
    }
    for (uint32_t i = 0; i < VIRTUAL_EACH; i++) {
        machine_set_level(tenant, virtual_sources[tenant][i], false, 0);
    }
    vuart_reset(&tenants[tenant].uart);
}

/* Nothing is left of what it had. */
static void check_released(uint32_t tenant)
{
    uint64_t own = physical_set(tenant);

    CHECK((physical.claimed & own) == 0 && (physical.pending & own) == 0);
    for (uint32_t context = 0; context < CONTEXTS; context++) {
        CHECK((physical.enable[context] & own) == 0);
    }
    for (uint32_t i = 0; i < PHYSICAL_EACH; i++) {
        CHECK(physical.priority[physical_sources(tenant)[i]] == 0);
    }
}

bool machine_reset_step(uint32_t tenant, uint32_t hart, bool wanted)
{
    uint32_t before = steps[tenant];
    const struct vplic *vplic = tenants[tenant].plic;
    /* With nothing to reset it begins with the claims. */
    bool drops = !wanted || !vplic->touched || before >= vplic->words * VPLIC_RESET_PARTS;

    go_to(hart);
    act_for(tenant);
    actor.drops = drops ? physical_set(tenant) : 0;
    csr_file_write("mip", wanted ? INTERRUPT_MTI : 0);
    steps[tenant] = give_back_interrupts(&tenants[tenant], steps[tenant]);
    csr_file_write("mip", 0);
    if (steps[tenant] != 0) {
        CHECK(steps[tenant] > before);
        return false;
    }
    check_released(tenant);
    if (grouped) {
        tenants[tenant].state = TENANT_DORMANT;
    }
    begin_turn(grouped ? (tenant + GROUPS) % DRIVEN : tenant);
    return true;
}

/* A context is closed while its vhart does not run, and only its tenant's sources are in it. */
void machine_check(void)
{
    for (uint32_t hart = 0; hart < HARTS; hart++) {
        const struct vhart *user = harts[hart].plic_user;
        uint64_t enabled = physical.enable[S_CONTEXT(hart)];

        CHECK((enabled & ~known_set(user->tenant->index)) == 0);
        CHECK(!is_dormant(user->tenant->index) ||
              (enabled & physical_set(user->tenant->index)) == 0);
        CHECK((enabled & SOURCE_BIT(BOARD_UART)) == 0);
        CHECK(harts[hart].loaded == user ||
              physical_threshold(S_CONTEXT(hart)) == PLIC_THRESHOLD_CLOSED);
        CHECK((physical.enable[M_CONTEXT(hart)] & SOURCE_BIT(BOARD_UART)) ==
              (hart == 0 ? SOURCE_BIT(BOARD_UART) : 0));
    }
    CHECK(physical.priority[BOARD_UART] != 0 && physical.priority[UNOWNED] == 0);
}
