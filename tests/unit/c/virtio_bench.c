/* SPDX-License-Identifier: BSD-2-Clause */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */

#include "virtio_bench.h"

#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "arch/csr.h"
#include "arch/memory.h"
#include "core/give_back.h"
#include "core/hooks.h"
#include "core/shared_lock.h"
#include "core/work.h"
#include "features/plic/routing.h"

/* Unreadable pages at each side. */
#define GUARD 4
#define CONTROL_SIZE 64

/* More steps of work than any reset and all that it leads to has. */
#define MOST_STEPS 200

/* Section 5.3.6.2. */
enum { DEVICE_READY = 0, PORT_READY = 3, PORT_OPEN = 6 };

struct bench_driver bench_drivers[BENCH_DRIVERS];

/* The channel that is a network. */
#define NETWORK 2

/* Of the consoles, the network devices and the sockets. */
enum { CONSOLE_SOURCE = 13, NET_SOURCE = 14, SOCKET_SOURCE = 15 };

static struct bundle description;
static struct hart this_hart;
static struct vplic plics[COTENANT_MAX_TENANTS];

/* In the place of what virtual devices call. */

void physical_copy(uint64_t destination, const void *source, size_t size)
{
    if (size != 0) {
        memcpy((void *)(uintptr_t)destination, source, size);
    }
}

void physical_clear(uint64_t destination, size_t size)
{
    memset((void *)(uintptr_t)destination, 0, size);
}

bool vplic_add_virtual(struct vplic *vplic, uint32_t source)
{
    (void)vplic;
    assert(source >= CONSOLE_SOURCE && source <= SOCKET_SOURCE);
    return true;
}

void routing_set_level(struct tenant *tenant, uint32_t source, bool level)
{
    static const unsigned first[] = {0, BENCH_NET, BENCH_SOCKET};
    struct bench_driver *driver =
        &bench_drivers[tenant->plic->tenant + first[source - CONSOLE_SOURCE]];

    driver->interrupts += level && !driver->line;
    driver->line = level;
}

static void (*meanwhile)(void);

uint64_t bench_now;

void work_post(void)
{
}

bool shared_lock_has_waiting(void)
{
    if (meanwhile != NULL) {
        meanwhile();
    }
    return meanwhile != NULL;
}

static uint64_t map(void)
{
    uint8_t *start = mmap(NULL, (BENCH_PAGES + 2 * GUARD) * BENCH_PAGE, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert(start != MAP_FAILED);
    start += GUARD * BENCH_PAGE;
    assert(mprotect(start, BENCH_PAGES * BENCH_PAGE, PROT_READ | PROT_WRITE) == 0);
    return (uint64_t)(uintptr_t)start;
}

/* Devices in the order of the tenants: a console, a network device and a socket, or the second one
 * alone. */
static uint32_t console_index(uint32_t tenant)
{
    return 3 * tenant;
}

static uint32_t net_index(uint32_t tenant)
{
    return tenant < BENCH_CONSOLES ? 3 * tenant + 1 : 3 * BENCH_CONSOLES;
}

static uint32_t socket_index(uint32_t tenant)
{
    return 3 * tenant + 2;
}

static void describe_channel(uint32_t number, const char *name, uint32_t kind)
{
    struct bundle_channel *channel = &description.channels[number];
    bool net = kind == COTENANT_CHANNEL_NET;

    strcpy(channel->name, name);
    channel->kind = kind;
    channel->end_count = net ? BENCH_TENANTS : 2;
    for (uint32_t i = 0; i < channel->end_count; i++) {
        channel->ends[i] = (struct bundle_end){
            .device = net ? net_index(i) : console_index(i),
            .port = net ? 0 : number,
            .mac = {2, 0, 0, 0, 0, (uint8_t)i},
        };
    }
}

static void describe_device(uint32_t tenant, uint32_t index, uint32_t kind, uint32_t source,
                            struct bench_driver *driver)
{
    description.devices[index] = (struct bundle_device){tenant, kind, source, 0};
    driver->device = &virtio_devices[index];
    driver->features = kind == COTENANT_VIRTUAL_CONSOLE ? 2 : 0; /* MULTIPORT */
}

static uint16_t most_events;
static uint32_t most_wake_ups;

void bench_limit(uint16_t events, uint32_t wake_ups)
{
    most_events = events;
    most_wake_ups = wake_ups;
}

static void describe_limits(void)
{
    description.board.timebase_hz = BENCH_SECOND;
    for (uint32_t i = 0; i < description.channel_count; i++) {
        for (uint32_t end = 0; end < description.channels[i].end_count; end++) {
            description.channels[i].ends[end].events = most_events;
        }
    }
    for (uint32_t i = 0; i < description.device_count; i++) {
        description.devices[i].wake_ups = most_wake_ups;
    }
}

static void make(void)
{
    bundle = &description;
    tenant_count = BENCH_TENANTS;
    description.device_count = BENCH_DRIVERS;
    description.channel_count = 6;
    describe_channel(0, "first", COTENANT_CHANNEL_STREAM);
    describe_channel(1, "second", COTENANT_CHANNEL_STREAM);
    describe_channel(NETWORK, "lan", COTENANT_CHANNEL_NET);
    description.channels[3] =
        (struct bundle_channel){.name = "control",
                                .kind = COTENANT_CHANNEL_CONTROL,
                                .end_count = 1,
                                .ends = {{.device = console_index(0), .port = 2}}};
    describe_channel(4, "memory", COTENANT_CHANNEL_MEMORY);
    for (uint32_t i = 0; i < BENCH_CONSOLES; i++) {
        description.channels[4].ends[i].port = BENCH_BELL(i);
        description.tenants[i].flags = COTENANT_TENANT_DOORBELLS;
    }
    describe_channel(5, "sockets", COTENANT_CHANNEL_SOCKET);
    for (uint32_t i = 0; i < BENCH_CONSOLES; i++) {
        description.channels[5].ends[i] = (struct bundle_end){.device = socket_index(i)};
    }
    description.tenants[0].may_see = 3;
    description.tenants[0].may_control = 2;
    for (uint32_t i = 0; i < BENCH_TENANTS; i++) {
        struct bundle_tenant *tenant = &description.tenants[i];
        bool console = i < BENCH_CONSOLES;
        uint64_t memory = map();

        tenant->memory[1] = (struct bundle_range){memory, BENCH_PAGES * BENCH_PAGE};
        tenant->device_first = console ? console_index(i) : net_index(i);
        tenant->device_count = console ? 3 : 1;
        tenants[i].description = tenant;
        tenants[i].index = i;
        plics[i].tenant = i;
        tenants[i].plic = &plics[i];
        if (console) {
            bench_drivers[i].memory = memory;
            describe_device(i, console_index(i), COTENANT_VIRTUAL_CONSOLE, CONSOLE_SOURCE,
                            &bench_drivers[i]);
            bench_drivers[BENCH_SOCKET + i].memory = memory + 2ul * BENCH_DRIVER_PAGES * BENCH_PAGE;
            describe_device(i, socket_index(i), COTENANT_VIRTUAL_SOCKET, SOCKET_SOURCE,
                            &bench_drivers[BENCH_SOCKET + i]);
        }
        bench_drivers[BENCH_NET + i].memory = memory + BENCH_DRIVER_PAGES * BENCH_PAGE;
        describe_device(i, net_index(i), COTENANT_VIRTUAL_NET, NET_SOURCE,
                        &bench_drivers[BENCH_NET + i]);
    }
    describe_limits();
    machine_begins();
}

void bench_stop_tenant(const struct tenant *tenant)
{
    FOR_EACH_IN_TABLE(gives_back, part)
    {
        uint16_t next = 0;
        unsigned room = GIVE_BACK_ROOM;

        while (!(*part)(&tenants[tenant->index], &next, &room)) {
            room = GIVE_BACK_ROOM;
        }
    }
}

void bench_work(void)
{
    unsigned steps = 0;

    while (virtio_deadline() <= bench_now) {
        assert(++steps < MOST_STEPS);
        virtio_tell_one(bench_now);
    }
}

void bench_reset(void)
{
    this_hart.features = HART_ALONE;
    this_hart.reschedule = false;
    meanwhile = NULL;
    this_hart.mtime = &bench_now;
    csr_file_write("tp", (uint64_t)(uintptr_t)&this_hart);
    csr_file_write("mip", 0);
    if (bundle == NULL) {
        make();
    }
    description.channels[NETWORK].end_count = BENCH_TENANTS;
    for (uint32_t i = 0; i < BENCH_TENANTS; i++) {
        bench_stop_tenant(&tenants[i]);
    }
    for (uint32_t i = 0; i < BENCH_DRIVERS; i++) {
        struct bench_driver *driver = &bench_drivers[i];

        memset((void *)(uintptr_t)driver->memory, 0, BENCH_DRIVER_PAGES * BENCH_PAGE);
        memset(driver->added, 0, sizeof(driver->added));
        memset(driver->taken, 0, sizeof(driver->taken));
        driver->interrupts = 0;
    }
    bench_work();
}

void bench_give_way(bool wanted)
{
    this_hart.reschedule = wanted;
}

void bench_meanwhile(void (*other_hart)(void))
{
    meanwhile = other_hart;
    this_hart.features = other_hart == NULL ? HART_ALONE : 0;
}

void bench_unplug_third(void)
{
    description.channels[NETWORK].end_count = BENCH_TENANTS - 1;
}

static void store(const struct bench_driver *driver, uint32_t offset, uint32_t value)
{
    assert(virtio_write(driver->device, offset, 4, value));
}

static uint64_t queue_page(const struct bench_driver *driver, uint32_t queue)
{
    return driver->memory + (uint64_t)queue * BENCH_PAGE;
}

static void store_address(const struct bench_driver *driver, uint32_t offset, uint64_t address)
{
    store(driver, offset, (uint32_t)address);
    store(driver, offset + 4, (uint32_t)(address >> 32));
}

void bench_start(struct bench_driver *driver)
{
    store(driver, BENCH_STATUS, 0);
    memset(driver->added, 0, sizeof(driver->added));
    memset(driver->taken, 0, sizeof(driver->taken));
    memset((void *)(uintptr_t)driver->memory, 0, BENCH_QUEUES * BENCH_PAGE);
    store(driver, BENCH_STATUS, 1);
    store(driver, BENCH_STATUS, 3);
    store(driver, 0x24, 0);                /* DriverFeaturesSel */
    store(driver, 0x20, driver->features); /* DriverFeatures */
    store(driver, 0x24, 1);
    store(driver, 0x20, 1); /* VIRTIO_F_VERSION_1 */
    store(driver, BENCH_STATUS, 11);
    assert(virtio_read(driver->device, BENCH_STATUS, 4) == 11);
    for (uint32_t queue = 0; queue < driver->device->type->queue_count(driver->device); queue++) {
        store(driver, 0x30, queue); /* QueueSel */
        assert(virtio_read(driver->device, 0x34, 4) >= BENCH_QUEUE_SIZE);
        store(driver, 0x38, BENCH_QUEUE_SIZE); /* QueueNum */
        store_address(driver, 0x80, queue_page(driver, queue));
        store_address(driver, 0x90, queue_page(driver, queue) + BENCH_AVAILABLE);
        store_address(driver, 0xa0, queue_page(driver, queue) + BENCH_USED);
        store(driver, 0x44, 1); /* QueueReady */
        assert(virtio_read(driver->device, 0x44, 4) == 1);
    }
    store(driver, BENCH_STATUS, 15);
}

uint64_t bench_buffer(const struct bench_driver *driver, unsigned number)
{
    return driver->memory + (BENCH_FIRST_BUFFER + number) * BENCH_PAGE;
}

static uint16_t *ring16(const struct bench_driver *driver, uint32_t queue, uint32_t offset)
{
    return (uint16_t *)(uintptr_t)(queue_page(driver, queue) + offset);
}

void bench_add(struct bench_driver *driver, uint32_t queue, uint64_t address, uint32_t length,
               bool write)
{
    uint16_t number = driver->added[queue] % BENCH_QUEUE_SIZE;
    uint64_t descriptor = queue_page(driver, queue) + 16u * number;

    memcpy((void *)(uintptr_t)descriptor, &address, 8);
    memcpy((void *)(uintptr_t)(descriptor + 8), &length, 4);
    *ring16(driver, queue, 16u * number + 12) = write ? 2 : 0;
    *ring16(driver, queue, BENCH_AVAILABLE + 4 + 2u * number) = number;
    *ring16(driver, queue, BENCH_AVAILABLE + 2) = ++driver->added[queue];
}

bool bench_notify_once(struct bench_driver *driver, uint32_t queue)
{
    return virtio_write(driver->device, BENCH_QUEUE_NOTIFY, 4, queue);
}

void bench_notify(struct bench_driver *driver, uint32_t queue)
{
    unsigned times = 0;

    while (!bench_notify_once(driver, queue)) {
        assert(++times < 10000);
    }
}

long bench_take(struct bench_driver *driver, uint32_t queue)
{
    uint16_t index = *ring16(driver, queue, BENCH_USED + 2);
    uint16_t place = driver->taken[queue] % BENCH_QUEUE_SIZE;
    uint32_t length;

    if (index == driver->taken[queue]) {
        return -1;
    }
    memcpy(&length, ring16(driver, queue, BENCH_USED + 8 + 8u * place), 4);
    driver->taken[queue]++;
    return length;
}

bool bench_is_asked(const struct bench_driver *driver, uint32_t queue)
{
    return (*ring16(driver, queue, BENCH_USED) & 1) == 0;
}

static uint64_t control_buffer(const struct bench_driver *driver, uint32_t queue, uint16_t number)
{
    return driver->memory + (BENCH_FIRST_CONTROL + queue) * (uint64_t)BENCH_PAGE +
           number % BENCH_QUEUE_SIZE * CONTROL_SIZE;
}

void bench_tell(struct bench_driver *driver, uint32_t port, uint16_t event, uint16_t value)
{
    uint64_t buffer = control_buffer(driver, BENCH_CONTROL_OUT, driver->added[BENCH_CONTROL_OUT]);
    uint16_t rest[2] = {event, value};

    memcpy((void *)(uintptr_t)buffer, &port, 4);
    memcpy((void *)(uintptr_t)(buffer + 4), rest, 4);
    bench_add(driver, BENCH_CONTROL_OUT, buffer, 8, false);
    bench_notify(driver, BENCH_CONTROL_OUT);
    assert(bench_take(driver, BENCH_CONTROL_OUT) == 0);
}

static void fill_control(struct bench_driver *driver)
{
    while ((uint16_t)(driver->added[BENCH_CONTROL_IN] - driver->taken[BENCH_CONTROL_IN]) <
           BENCH_QUEUE_SIZE) {
        bench_add(driver, BENCH_CONTROL_IN,
                  control_buffer(driver, BENCH_CONTROL_IN, driver->added[BENCH_CONTROL_IN]),
                  CONTROL_SIZE, true);
    }
    bench_notify(driver, BENCH_CONTROL_IN);
}

bool bench_told(struct bench_driver *driver, uint32_t *port, uint16_t *event, uint16_t *value)
{
    uint64_t buffer = control_buffer(driver, BENCH_CONTROL_IN, driver->taken[BENCH_CONTROL_IN]);
    long length = bench_take(driver, BENCH_CONTROL_IN);

    if (length < 0) {
        return false;
    }
    assert(length >= 8 && length <= CONTROL_SIZE);
    memcpy(port, (void *)(uintptr_t)buffer, 4);
    memcpy(event, (void *)(uintptr_t)(buffer + 4), 2);
    memcpy(value, (void *)(uintptr_t)(buffer + 6), 2);
    fill_control(driver);
    return true;
}

void bench_open(struct bench_driver *driver)
{
    uint32_t ports = virtio_read(driver->device, 0x104, 4);

    bench_start(driver);
    fill_control(driver);
    bench_tell(driver, 0, DEVICE_READY, 1);
    for (uint32_t port = 0; port < ports; port++) {
        bench_tell(driver, port, PORT_READY, 1);
        bench_tell(driver, port, PORT_OPEN, 1);
    }
}
