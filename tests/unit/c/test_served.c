/* SPDX-License-Identifier: BSD-2-Clause */
/* Devices that a program of another tenant serves: both sides of their registers. */
#include <string.h>

#include "arch/csr.h"
#include "cmocka_tests.h"
#include "core/hart.h"
#include "core/lifecycle.h"
#include "core/table.h"
#include "features/plic/mmio.h"
#include "features/served/served.h"
#include "random.h"

#define BASE 0x10000000ul
/* The server: a console, doorbells, and then a page for each of two devices. */
#define PAGE(number) (BASE + (2ul + (number)) * COTENANT_SERVED_PAGE)
#define READY 4
#define SERVER 0
#define CLIENT 1
#define DISK 1
#define NET 2
#define PORT "served.client"

struct virtio_device virtio_devices[COTENANT_MAX_VIRTUAL_DEVICES];

static struct bundle made;
static struct hart this_hart;
static uint64_t now;
static struct virtio_port port;
static bool room;
static unsigned bytes, started;
static uint8_t interrupts[COTENANT_MAX_VIRTUAL_DEVICES];
static bool quits;

bool virtio_is_live(const struct virtio_device *device)
{
    return device->status == READY;
}

void virtio_interrupt(struct virtio_device *device, uint8_t reason)
{
    interrupts[device->index] |= reason;
}

void virtio_tell_change(struct virtio_device *device)
{
    interrupts[device->index] |= VIRTIO_INTERRUPT_CONFIGURATION;
}

void tenant_prepare(struct tenant *tenant, enum tenant_purpose purpose)
{
    assert_ptr_equal(tenant, &tenants[CLIENT]);
    assert_int_equal(purpose, TENANT_TO_RUN);
    tenant->state = TENANT_RUNNING;
    tenant->lives++;
    started++;
}

bool lifecycle_is_quitting(void)
{
    return quits;
}

static uint32_t fill(struct virtio_port *to, const void *what, uint32_t length, bool last)
{
    assert_ptr_equal(to, &port);
    assert_int_equal(length, 1);
    assert_true(last);
    assert_int_equal(*(const uint8_t *)what, 1);
    bytes += room;
    return room && to->open;
}

static const struct virtio_type *type_of(uint32_t kind)
{
    FOR_EACH_IN_TABLE(virtio_types, type)
    {
        if ((*type)->kind == kind) {
            return *type;
        }
    }
    fail_msg("there is no such type");
    return NULL;
}

static const struct virtio_port_service *service(void)
{
    FOR_EACH_IN_TABLE(virtio_port_services, found)
    {
        if (found->kind == COTENANT_CHANNEL_SERVED) {
            return found;
        }
    }
    fail_msg("nothing serves the port");
    return NULL;
}

static void add_device(uint32_t number, uint32_t tenant, uint32_t kind)
{
    struct virtio_device *device = &virtio_devices[number];

    made.devices[number] = (struct bundle_device){.tenant = tenant, .kind = kind};
    device->index = number;
    device->tenant = &tenants[tenant];
    device->description = &made.devices[number];
    device->type = kind == COTENANT_VIRTUAL_CONSOLE ? NULL : type_of(kind);
}

static int set_up(void **state)
{
    (void)state;
    memset(&made, 0, sizeof(made));
    memset(tenants, 0, sizeof(*tenants) * 2);
    memset(virtio_devices, 0, sizeof(virtio_devices));
    memset(served_devices, 0, sizeof(served_devices));
    memset(served_pages, 0, sizeof(served_pages));
    memset(interrupts, 0, sizeof(interrupts));
    bundle = &made;
    this_hart.mtime = &now;
    csr_file_write("tp", (uint64_t)(uintptr_t)&this_hart);
    made.tenant_count = 2;
    made.device_count = 3;
    made.channel_count = 1;
    made.board.timebase_hz = 1000;
    made.tenants[SERVER] = (struct bundle_tenant){.virtual_base = BASE, .device_count = 1};
    made.tenants[CLIENT] = (struct bundle_tenant){
        .virtual_base = BASE,
        .device_first = 1,
        .device_count = 2,
        .flags = COTENANT_TENANT_AWAITS_SERVER,
    };
    for (uint32_t i = 0; i < 2; i++) {
        tenants[i].description = &made.tenants[i];
        tenants[i].index = i;
        vharts[i].tenant = &tenants[i];
    }
    tenants[CLIENT].state = TENANT_LOADED;
    add_device(0, SERVER, COTENANT_VIRTUAL_CONSOLE);
    add_device(DISK, CLIENT, COTENANT_VIRTUAL_SERVED_DISK);
    add_device(NET, CLIENT, COTENANT_VIRTUAL_SERVED_NET);
    made.channels[0] = (struct bundle_channel){
        .name = PORT,
        .kind = COTENANT_CHANNEL_SERVED,
        .end_count = 3,
        .ends = {{.device = 0}, {.device = DISK}, {.device = NET}},
    };
    port = (struct virtio_port){
        .device = &virtio_devices[0], .name = made.channels[0].name, .open = true, .fill = fill};
    room = true;
    quits = false;
    bytes = started = 0;
    service()->begin(&port);
    return 0;
}

static enum mmio_result access(uint32_t tenant, uint64_t address, uint32_t size, bool store,
                               uint64_t *value)
{
    const struct mmio_window *window = __start_mmio_windows;

    return window->match(&tenants[tenant], address)
               ? window->access(&vharts[tenant], address, size, store, value)
               : MMIO_FAULT;
}

static uint64_t load(uint32_t page, uint32_t offset)
{
    uint64_t value = ~0ul;

    assert_int_equal(access(SERVER, PAGE(page) + offset, 8, false, &value), MMIO_DONE);
    return value;
}

static void store(uint32_t page, uint32_t offset, uint64_t value)
{
    assert_int_equal(access(SERVER, PAGE(page) + offset, 8, true, &value), MMIO_DONE);
}

static void notify(uint32_t device, uint32_t queue)
{
    assert_true(virtio_devices[device].type->notify(&virtio_devices[device], queue));
}

static void reset(uint32_t device)
{
    virtio_devices[device].status = 0;
    assert_false(virtio_devices[device].type->reset(&virtio_devices[device], 0));
}

static bool is_held(uint32_t device)
{
    return virtio_devices[device].type->holds(&virtio_devices[device]);
}

static void test_each_device_has_a_page_of_its_servers(void **state)
{
    uint64_t value = 0;

    (void)state;
    assert_int_equal(load(0, COTENANT_SERVED_IDENTITY), COTENANT_SERVED_MAGIC);
    assert_int_equal(load(0, COTENANT_SERVED_DEVICE), 2);
    assert_int_equal(load(0, COTENANT_SERVED_QUEUES), 1);
    assert_int_equal(load(1, COTENANT_SERVED_DEVICE), 1);
    assert_int_equal(load(1, COTENANT_SERVED_QUEUES), 2);
    assert_int_equal(access(SERVER, PAGE(2), 8, false, &value), MMIO_FAULT);
    assert_int_equal(access(SERVER, PAGE(0) - 8, 8, false, &value), MMIO_FAULT);
    assert_int_equal(access(SERVER, PAGE(0), 4, false, &value), MMIO_FAULT);
    for (uint32_t page = 0; page < 4; page++) {
        assert_int_equal(access(CLIENT, PAGE(page), 8, false, &value), MMIO_FAULT);
    }
}

/* Before a server has said what it is, the device is none. */
static void test_the_client_finds_what_is_offered(void **state)
{
    const struct virtio_device *disk = &virtio_devices[DISK];

    (void)state;
    assert_int_equal(disk->type->id(disk), 0);
    store(0, COTENANT_SERVED_FEATURES, 0x200);
    store(0, COTENANT_SERVED_CONFIGURATION, 0x1122334455667788);
    store(0, COTENANT_SERVED_CONFIGURATION + 56, 0x99);
    store(0, COTENANT_SERVED_PRESENT, 1);
    assert_int_equal(disk->type->id(disk), 2);
    assert_int_equal(virtio_devices[NET].type->id(&virtio_devices[NET]), 0);
    assert_int_equal(disk->type->features(disk), 0x200);
    assert_int_equal(disk->type->read_configuration(disk, 0, 4), 0x55667788);
    assert_int_equal(disk->type->read_configuration(disk, 6, 2), 0x1122);
    assert_int_equal(disk->type->read_configuration(disk, 56, 1), 0x99);
    assert_int_equal(disk->type->read_configuration(disk, 62, 4), 0);
    assert_int_equal(disk->type->read_configuration(disk, UINT32_MAX - 1, 4), 0);
}

/* One byte, until the server has looked: more would be the client's to send without end. */
static void test_events_come_as_one_byte(void **state)
{
    (void)state;
    notify(NET, 0);
    notify(NET, 1);
    notify(NET, 1);
    assert_int_equal(bytes, 1);
    notify(DISK, 0);
    assert_int_equal(bytes, 2);
    assert_int_equal(load(1, COTENANT_SERVED_EVENTS), 3);
    assert_int_equal(load(1, COTENANT_SERVED_EVENTS), 0);
    notify(NET, 1);
    assert_int_equal(bytes, 3);
    assert_int_equal(load(1, COTENANT_SERVED_EVENTS), 2);
    assert_int_equal(load(0, COTENANT_SERVED_EVENTS), 1);
}

static void test_an_event_without_room_is_told_later(void **state)
{
    (void)state;
    room = false;
    notify(DISK, 0);
    assert_true(service()->has_more(&port));
    assert_false(service()->send(&port));
    room = true;
    assert_true(service()->send(&port));
    assert_false(service()->has_more(&port));
    assert_int_equal(bytes, 1);
    assert_int_equal(load(0, COTENANT_SERVED_EVENTS), 1);
}

/* What came while nobody listened, and what the one before has not looked at. */
static void test_the_next_program_finds_the_events(void **state)
{
    (void)state;
    notify(DISK, 0);
    port.open = false;
    service()->close(&port);
    notify(NET, 1);
    assert_int_equal(bytes, 1);
    port.open = true;
    assert_true(service()->has_more(&port));
    while (service()->has_more(&port)) {
        assert_true(service()->send(&port));
    }
    assert_int_equal(bytes, 3);
    assert_int_equal(load(0, COTENANT_SERVED_EVENTS), 1);
    assert_int_equal(load(1, COTENANT_SERVED_EVENTS), 2);
}

static void test_the_server_finds_the_queues(void **state)
{
    struct virtio_device *net = &virtio_devices[NET];

    (void)state;
    net->queues[1].registers =
        (struct virtqueue_registers){.descriptors = 0x1000, .available = 0x2000, .used = 0x3000};
    assert_int_equal(load(1, COTENANT_SERVED_QUEUE_FIRST + COTENANT_SERVED_QUEUE_TABLE), 0);
    net->queues[1].registers.size = net->queues[1].ring.size = 16;
    net->driver_features = 0x100000020;
    net->status = READY;
    net->type->start(net);
    assert_int_equal(load(1, COTENANT_SERVED_EVENTS), COTENANT_SERVED_STATE_CHANGED);
    assert_int_equal(load(1, COTENANT_SERVED_STATE), COTENANT_SERVED_LIVE);
    assert_int_equal(load(1, COTENANT_SERVED_ACCEPTED), 0x100000020);
    assert_int_equal(load(1, 0x120), 16);
    assert_int_equal(load(1, 0x128), 0x1000);
    assert_int_equal(load(1, 0x130), 0x2000);
    assert_int_equal(load(1, 0x138), 0x3000);
    assert_int_equal(load(1, 0x100), 0);
    reset(NET);
    assert_int_equal(load(1, COTENANT_SERVED_STATE), 1);
}

static void test_interrupts_are_for_a_driver_that_is_there(void **state)
{
    (void)state;
    store(0, COTENANT_SERVED_INTERRUPT, 3);
    assert_int_equal(interrupts[DISK], 0);
    virtio_devices[DISK].status = READY;
    store(0, COTENANT_SERVED_INTERRUPT, ~3ul);
    assert_int_equal(interrupts[DISK], 0);
    store(0, COTENANT_SERVED_INTERRUPT, 1);
    assert_int_equal(interrupts[DISK], VIRTIO_INTERRUPT_USED);
    store(0, COTENANT_SERVED_INTERRUPT, 2);
    assert_int_equal(interrupts[DISK], 3);
    assert_int_equal(interrupts[NET], 0);
}

/* The driver's reset is over when the server has let go of its buffers, or cannot, or does not. */
static void test_a_reset_waits_for_the_server(void **state)
{
    (void)state;
    assert_false(is_held(DISK));
    reset(DISK);
    assert_true(is_held(DISK));
    assert_false(is_held(NET));
    store(0, COTENANT_SERVED_FOLLOWED, load(0, COTENANT_SERVED_STATE));
    assert_false(is_held(DISK));
    reset(DISK);
    store(0, COTENANT_SERVED_FOLLOWED, 1); /* of the one before */
    assert_true(is_held(DISK));
    port.open = false;
    assert_false(is_held(DISK));
    port.open = true;
    now += made.board.timebase_hz - 1;
    assert_true(is_held(DISK));
    now++;
    assert_false(is_held(DISK));
}

static void test_the_server_starts_a_client_that_waits(void **state)
{
    (void)state;
    assert_int_equal(load(0, COTENANT_SERVED_WAITS), 1);
    quits = true;
    store(0, COTENANT_SERVED_START, 1);
    quits = false;
    assert_int_equal(started, 0);
    store(0, COTENANT_SERVED_START, 1);
    assert_int_equal(started, 1);
    /* And not once more, whatever has become of it. */
    for (uint32_t next = TENANT_EMPTY; next <= TENANT_LOADING; next++) {
        tenants[CLIENT].state = (enum tenant_state)next;
        assert_int_equal(load(0, COTENANT_SERVED_WAITS), 0);
        store(0, COTENANT_SERVED_START, 1);
    }
    assert_int_equal(started, 1);
    tenants[CLIENT].lives = 0;
    tenants[CLIENT].state = TENANT_EMPTY;
    store(0, COTENANT_SERVED_START, 1);
    assert_int_equal(started, 2);
    /* Not one that its configuration leaves to the user. */
    made.tenants[CLIENT].flags = 0;
    store(0, COTENANT_SERVED_START, 1);
    assert_int_equal(started, 2);
}

/* Any access of either tenant at any moment: the sanitizers look on, and one byte is outstanding
 * for a device at most. */
static void test_hostile_ends(void **state)
{
    struct random source = {7};

    (void)state;
    for (unsigned i = 0; i < 200000; i++) {
        uint32_t random = random_next(&source);
        uint64_t value = random_next(&source);
        uint32_t device = DISK + (random >> 8 & 1);

        switch (random % 5) {
        case 0:
            virtio_devices[device].status = random >> 10 & 7;
            (void)virtio_devices[device].type->read_configuration(
                &virtio_devices[device], (uint32_t)value, 1u << (random >> 16 & 1));
            break;
        case 1:
            notify(device, (uint32_t)(value % VIRTIO_MOST_QUEUES));
            break;
        case 2:
            reset(device);
            break;
        default:
            (void)access((uint32_t)(random >> 12 & 1), BASE + (value & 0xffff),
                         1u << (random >> 16 & 3), (random >> 20 & 1) != 0, &value);
            break;
        }
    }
    bytes = 0;
    for (unsigned i = 0; i < 1000; i++) {
        notify(DISK, 0);
        notify(NET, 1);
    }
    assert_true(bytes <= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_each_device_has_a_page_of_its_servers, set_up),
        cmocka_unit_test_setup(test_the_client_finds_what_is_offered, set_up),
        cmocka_unit_test_setup(test_events_come_as_one_byte, set_up),
        cmocka_unit_test_setup(test_an_event_without_room_is_told_later, set_up),
        cmocka_unit_test_setup(test_the_next_program_finds_the_events, set_up),
        cmocka_unit_test_setup(test_the_server_finds_the_queues, set_up),
        cmocka_unit_test_setup(test_interrupts_are_for_a_driver_that_is_there, set_up),
        cmocka_unit_test_setup(test_a_reset_waits_for_the_server, set_up),
        cmocka_unit_test_setup(test_the_server_starts_a_client_that_waits, set_up),
        cmocka_unit_test_setup(test_hostile_ends, set_up),
    };

    return cmocka_run_group_tests_name("served", tests, NULL, NULL);
}
