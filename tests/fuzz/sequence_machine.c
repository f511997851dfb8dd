/* SPDX-License-Identifier: BSD-2-Clause */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "sequence_machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/csr.h"
#include "arch/memory.h"
#include "core/give_back.h"
#include "core/hooks.h"
#include "core/shared_lock.h"
#include "core/tenant.h"
#include "core/work.h"
#include "features/control/control.h"
#include "features/plic/routing.h"
#include "features/virtio_console/virtio_console.h"
#include "features/virtio_input/virtio_input.h"
#include "sequence_statistics.h"

#define MEMORY_BASE 0x200000000000
#define MEMORY_STRIDE 0x100000
#define MONITOR_PAGE (MEMORY_BASE + (STRANGER + 1ul) * MEMORY_STRIDE)
#define FIRST_SOURCE 13
#define STRANGE_BYTE 0xa7

/* Ticks. What an end may be told of the others is limited, and of some devices how often they wake
 * their drivers. */
#define SECOND 1000000
#define EVENTS 100
#define WAKE_UPS 1000

/* A store may take so many basic blocks of the monitor's code, and move so many bytes; fewer when
 * an interrupt waits from its beginning. */
#define MOST_BLOCKS 16000
#define MOST_BLOCKS_WANTED_CONSOLE 260
#define MOST_BLOCKS_WANTED 100
#define MOST_BYTES 8192

struct driver drivers[DRIVERS];
uint32_t honest_tenants;

static struct bundle description;
static struct hart this_hart;
static struct vplic plics[COTENANT_MAX_TENANTS];
static bool lock_wanted;
static uint64_t mip;
static uint64_t bytes_moved;
static uint64_t now;
static uint64_t episode_began;
static uint64_t changes[DRIVERS]; /* interrupts for changes of the configuration */
static uint8_t control_memory[COTENANT_CONTROL_MOST_DATA];

_Noreturn void machine_fail(const char *what, const char *file, int line,
                            const struct driver *driver)
{
    printf("%s:%d: %s\n", file, line, what);
    if (driver != NULL) {
        printf("driver %u: tenant %u, %s, %s\n", driver->index, driver->tenant,
               kind_names[driver->kind], is_honest(driver) ? "honest" : "hostile");
    }
    statistics_place();
    abort();
}

/* In the place of what virtual devices call. */

uint64_t csr_file_read(const char *name)
{
    return name[0] == 't' ? (uint64_t)(uintptr_t)&this_hart : mip;
}

void csr_file_write(const char *name, uint64_t value)
{
    (void)name;
    (void)value;
}

static int owner_of(uint64_t address)
{
    uint64_t tenant = (address - MEMORY_BASE) / MEMORY_STRIDE;

    return address >= MEMORY_BASE && tenant < TENANTS ? (int)tenant : -1;
}

static bool is_of_honest(uint64_t address)
{
    int tenant = owner_of(address);

    return tenant >= 0 && (honest_tenants >> tenant & 1) != 0;
}

/* What an honest tenant sends to a hostile one is not kept, so that no hostile one can repeat it.
 */
void physical_copy(uint64_t destination, const void *source, size_t size)
{
    uint64_t from = (uint64_t)(uintptr_t)source;

    bytes_moved += size;
    if (size == 0) {
        return;
    }
    if (is_of_honest(from) && owner_of(destination) >= 0 && !is_of_honest(destination)) {
        memset(memory_at(destination), STRANGE_BYTE, size);
        return;
    }
    memcpy(memory_at(destination), source, size);
}

void physical_clear(uint64_t destination, size_t size)
{
    memset(memory_at(destination), 0, size);
}

bool vplic_add_virtual(struct vplic *vplic, uint32_t source)
{
    (void)vplic;
    (void)source;
    return true;
}

void routing_set_level(struct tenant *tenant, uint32_t source, bool level)
{
    const struct bundle_tenant *owner = tenant->description;
    struct driver *driver = &drivers[owner->device_first + source - FIRST_SOURCE];

    REQUIRE_THAT(source - FIRST_SOURCE < owner->device_count, driver);
    changes[driver->index] +=
        level && (driver->device->interrupts & VIRTIO_INTERRUPT_CONFIGURATION) != 0;
    driver->line = level;
}

void work_post(void)
{
}

bool shared_lock_has_waiting(void)
{
    return lock_wanted;
}

/* A control port that keeps what it gets, and gives it back. */
uint16_t control_check(const struct control_link *link)
{
    (void)link;
    return COTENANT_CONTROL_OK;
}

uint16_t control_use(struct control_link *link, const uint8_t *bytes, uint32_t length)
{
    REQUIRE_THAT(length <= sizeof(control_memory) - link->data_taken, NULL);
    memcpy(control_memory + link->data_taken, bytes, length);
    link->data_taken += length;
    return COTENANT_CONTROL_OK;
}

uint16_t control_finish(struct control_link *link, uint32_t *length)
{
    *length = 0;
    link->memory = (uint64_t)(uintptr_t)control_memory;
    link->memory_left = link->data_taken;
    return COTENANT_CONTROL_OK;
}

bool control_may_read_on(const struct control_link *link)
{
    (void)link;
    return true;
}

uint8_t *memory_at(uint64_t address)
{
    return (uint8_t *)(uintptr_t)address;
}

uint64_t tenant_memory(uint32_t tenant)
{
    return MEMORY_BASE + (uint64_t)tenant * MEMORY_STRIDE;
}

uint64_t tenant_private(uint32_t tenant)
{
    return tenant_memory(tenant) + PRIVATE_OFFSET;
}

uint64_t monitor_memory(void)
{
    return MONITOR_PAGE;
}

bool is_honest(const struct driver *driver)
{
    return (honest_tenants >> driver->tenant & 1) != 0;
}

struct driver *find_driver(uint32_t tenant, enum kind kind)
{
    for (uint32_t i = 0; i < DRIVERS; i++) {
        if (drivers[i].tenant == tenant && drivers[i].kind == kind) {
            return &drivers[i];
        }
    }
    return NULL;
}

bool is_receive_queue(const struct driver *driver, uint32_t queue)
{
    return driver->kind == KIND_CONSOLE ? queue % 2 == 0 : queue != 1;
}

/* The machine. */

static void map(uint64_t address, size_t size)
{
    void *place = mmap(memory_at(address), size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

    REQUIRE_THAT(place == memory_at(address), NULL);
}

static void make_driver(uint32_t tenant, enum kind kind, uint32_t queue_count)
{
    static const uint32_t device_kinds[] = {COTENANT_VIRTUAL_CONSOLE, COTENANT_VIRTUAL_NET,
                                            COTENANT_VIRTUAL_NET, COTENANT_VIRTUAL_INPUT,
                                            COTENANT_VIRTUAL_SOCKET};
    struct bundle_tenant *of = &description.tenants[tenant];
    uint32_t index = description.device_count++;
    struct driver *driver = &drivers[index];

    *driver = (struct driver){&virtio_devices[index],       index, tenant, kind, queue_count,
                              .base = tenant_memory(tenant)};
    if (of->device_count > 0) {
        driver->base = part_of(driver - 1, driver[-1].queue_count);
    } else {
        of->device_first = index;
    }
    description.devices[index] =
        (struct bundle_device){tenant, device_kinds[kind], FIRST_SOURCE + of->device_count++, 0};
}

static void make_channel(const char *name, uint32_t kind, enum kind driver, uint32_t ends,
                         const uint32_t *tenants_of, const uint32_t *ports)
{
    struct bundle_channel *channel = &description.channels[description.channel_count++];

    strcpy(channel->name, name);
    channel->kind = kind;
    channel->end_count = ends;
    for (uint32_t i = 0; i < ends; i++) {
        channel->ends[i] =
            (struct bundle_end){.device = find_driver(tenants_of[i], driver)->index,
                                .port = ports[i],
                                .mac = {2, 0, 0, 0, (uint8_t)driver, (uint8_t)tenants_of[i]},
                                .events = EVENTS};
    }
}

static void make_channels(void)
{
    static const uint32_t ends[] = {0, 1, 2};
    static const uint32_t far[] = {0, 2};
    static const uint32_t ports[][3] = {{0, 0, 0}, {1, 1}, {2, 2}, {3}, {4, 0}};

    make_channel("a", COTENANT_CHANNEL_STREAM, KIND_CONSOLE, 2, ends, ports[0]);
    make_channel("b", COTENANT_CHANNEL_STREAM, KIND_CONSOLE, 2, ends, ports[1]);
    make_channel("bell", COTENANT_CHANNEL_MEMORY, KIND_CONSOLE, 2, ends, ports[2]);
    make_channel("control", COTENANT_CHANNEL_CONTROL, KIND_CONSOLE, 1, ends, ports[3]);
    make_channel("c", COTENANT_CHANNEL_STREAM, KIND_CONSOLE, 2, far, ports[4]);
    make_channel("cable", COTENANT_CHANNEL_NET, KIND_CABLE, 2, ends, ports[0]);
    make_channel("switch", COTENANT_CHANNEL_NET, KIND_SWITCH, 3, ends, ports[0]);
    make_channel("socket", COTENANT_CHANNEL_SOCKET, KIND_SOCKET, 2, ends, ports[0]);
}

static void make_tenant(uint32_t tenant)
{
    static const uint32_t console_queues[] = {12, 8, 4};
    struct bundle_tenant *of = &description.tenants[tenant];

    map(tenant_memory(tenant), MAIN_SIZE);
    map(tenant_private(tenant), PAGE_SIZE);
    of->memory[0] = (struct bundle_range){tenant_memory(tenant), MAIN_SIZE};
    of->memory[2] = (struct bundle_range){tenant_private(tenant), PAGE_SIZE};
    of->flags = COTENANT_TENANT_DOORBELLS;
    tenants[tenant].description = of;
    tenants[tenant].index = tenant;
    plics[tenant].tenant = tenant;
    tenants[tenant].plic = &plics[tenant];
    if (tenant == STRANGER) {
        return;
    }
    make_driver(tenant, KIND_CONSOLE, console_queues[tenant]);
    if (tenant < 2) {
        make_driver(tenant, KIND_CABLE, 2);
        make_driver(tenant, KIND_INPUT, 2);
        make_driver(tenant, KIND_SOCKET, 3);
    }
    make_driver(tenant, KIND_SWITCH, 2);
}

static void make(void)
{
    bundle = &description;
    description.board.timebase_hz = SECOND;
    this_hart.mtime = &now;
    tenant_count = STRANGER + 1;
    for (uint32_t tenant = 0; tenant <= STRANGER; tenant++) {
        make_tenant(tenant);
    }
    map(MONITOR_PAGE, PAGE_SIZE);
    make_channels();
    machine_begins();
    for (uint32_t i = 0; i < DRIVERS; i++) {
        REQUIRE_THAT(drivers[i].device->type->queue_count(drivers[i].device) ==
                         drivers[i].queue_count,
                     &drivers[i]);
    }
}

void machine_reset(void)
{
    if (bundle == NULL) {
        make();
    }
    machine_wanted(false, false);
    for (uint32_t tenant = 0; tenant <= STRANGER; tenant++) {
        memset(memory_at(tenant_memory(tenant)), 0, MAIN_SIZE);
        memset(memory_at(tenant_private(tenant)), STRANGE_BYTE, PAGE_SIZE);
        machine_stop(tenant);
    }
    memset(memory_at(MONITOR_PAGE), STRANGE_BYTE, PAGE_SIZE);
    for (uint32_t i = 0; i < DRIVERS; i++) {
        memset(drivers[i].sent, 0, sizeof(drivers[i].sent));
    }
    machine_pass(SECOND); /* what was told in the last episode does not count any more */
    memset(changes, 0, sizeof(changes));
    episode_began = now;
}

void machine_wanted(bool interrupt, bool lock)
{
    mip = interrupt ? INTERRUPT_MTI : 0;
    lock_wanted = lock;
}

static void begin_call(void)
{
    bytes_moved = 0;
    statistics_begin_call();
}

/* What one call of a tenant may cost is bounded, whatever the tenants at both ends did. */
static void end_call(const struct driver *driver)
{
    enum kind kind = driver == NULL ? KIND_CONSOLE : driver->kind;
    uint64_t blocks = statistics_end_call(kind, mip != 0);
    uint64_t wanted = kind == KIND_CONSOLE ? MOST_BLOCKS_WANTED_CONSOLE : MOST_BLOCKS_WANTED;

    REQUIRE_THAT(blocks <= (mip == 0 ? MOST_BLOCKS : wanted), driver);
    REQUIRE_THAT(bytes_moved <= MOST_BYTES, driver);
}

uint32_t machine_load(struct driver *driver, uint32_t offset, uint32_t size)
{
    uint32_t value;

    begin_call();
    value = virtio_read(driver->device, offset, size);
    end_call(driver);
    return value;
}

bool machine_store(struct driver *driver, uint32_t offset, uint32_t size, uint32_t value)
{
    bool done;

    begin_call();
    done = virtio_write(driver->device, offset, size, value);
    end_call(driver);
    return done;
}

void machine_ring(uint32_t tenant, uint32_t port)
{
    begin_call();
    virtio_console_ring(&tenants[tenant], port);
    end_call(NULL);
}

void machine_stop(uint32_t tenant)
{
    FOR_EACH_IN_TABLE(gives_back, part)
    {
        uint16_t next = 0;
        unsigned room;
        bool all;

        do {
            room = GIVE_BACK_ROOM;
            begin_call();
            all = (*part)(&tenants[tenant], &next, &room);
            end_call(NULL);
        } while (!all);
    }
}

void machine_press(uint32_t tenant)
{
    begin_call();
    virtio_press_sleep_key(&tenants[tenant]);
    end_call(NULL);
}

/* The work that the monitor does beside tenants, as soon as it is due. */
void machine_pass(uint32_t ticks)
{
    unsigned told = 0;

    now += ticks;
    while (virtio_deadline() <= now) {
        REQUIRE_THAT(++told <= DRIVERS * PORTS, NULL);
        begin_call();
        virtio_tell_one(now);
        end_call(NULL);
    }
}

bool machine_owes(const struct driver *driver)
{
    return driver->device->held != 0;
}

/* A few at once, then one in each interval. */
static bool is_told_too_often(const struct driver *driver)
{
    return changes[driver->index] > EVENT_LIMIT_BURST + (now - episode_began) * EVENTS / SECOND + 1;
}

static bool is_filled(uint64_t address, size_t size, uint8_t value)
{
    const uint8_t *bytes = memory_at(address);

    return bytes[0] == value && memcmp(bytes, bytes + 1, size - 1) == 0;
}

void machine_check(void)
{
    for (uint32_t i = 0; i < DRIVERS; i++) {
        REQUIRE_THAT(!is_honest(&drivers[i]) || !is_told_too_often(&drivers[i]), &drivers[i]);
    }
    for (uint32_t tenant = 0; tenant <= STRANGER; tenant++) {
        REQUIRE_THAT(is_filled(tenant_private(tenant), PAGE_SIZE, STRANGE_BYTE), NULL);
    }
    REQUIRE_THAT(is_filled(tenant_memory(STRANGER), MAIN_SIZE, 0), NULL);
    REQUIRE_THAT(is_filled(MONITOR_PAGE, PAGE_SIZE, STRANGE_BYTE), NULL);
}
