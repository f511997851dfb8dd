/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The verb serve: devices of a tenant that is no guest. Its driver's accesses are the monitor's, so
 * it never waits for this program but for the answers to its requests. All that this program knows
 * of them is in the client's memory and in the monitor's registers: when it dies, the next one goes
 * on behind the last request that was answered.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "abi/served.h"
#include "client_tree.h"
#include "devices.h"
#include "json.h"
#include "machine.h"
#include "memory.h"
#include "running.h"
#include "say.h"
#include "serve_console.h"
#include "verbs.h"
#include "virtio_mmio.h"

#define MOST_PAGES 7
#define PORT_PAUSE_NS 20000000
#define MOST_PORT_PAUSES 50
#define ID_RNG 4
#define INTERRUPT_USED 1
#define INTERRUPT_CONFIGURATION 2

static struct {
    struct client client;
    unsigned pages;
    struct virtio *devices[MOST_PAGES]; /* NULL: none yet */
} serve;

static uint64_t read_register(unsigned page, uint64_t offset)
{
    return machine_read((uint64_t)page * COTENANT_SERVED_PAGE + offset);
}

static void write_register(unsigned page, uint64_t offset, uint64_t value)
{
    machine_write((uint64_t)page * COTENANT_SERVED_PAGE + offset, value);
}

static unsigned page_of(const struct virtio *device)
{
    unsigned page = 0;

    while (serve.devices[page] != device) {
        page++;
    }
    return page;
}

static void interrupt(struct virtio *device)
{
    write_register(page_of(device), COTENANT_SERVED_INTERRUPT, INTERRUPT_USED);
}

/* The first page for such a device that has none; the number of pages: there is none. */
static unsigned free_page(uint32_t id)
{
    unsigned page = 0;

    while (page < serve.pages &&
           (serve.devices[page] != NULL || read_register(page, COTENANT_SERVED_DEVICE) != id)) {
        page++;
    }
    return page;
}

/* A driver that works with the device has to find what it has found before. */
static void check_driver(const struct virtio *device, unsigned page)
{
    if ((read_register(page, COTENANT_SERVED_STATE) & COTENANT_SERVED_LIVE) != 0 &&
        (read_register(page, COTENANT_SERVED_ACCEPTED) & ~device->features) != 0) {
        fail_start("tenant %s works with a device that could do more than this one; restart it",
                   serve.client.name);
    }
}

static void offer(const struct virtio *device, unsigned page)
{
    uint64_t words[COTENANT_SERVED_CONFIGURATION_SIZE / sizeof(uint64_t)] = {0};
    size_t size = device->configuration_size;

    if (size > 0) {
        memcpy(words, device->configuration, size < sizeof(words) ? size : sizeof(words));
    }
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        write_register(page, COTENANT_SERVED_CONFIGURATION + i * sizeof(words[0]), words[i]);
    }
    write_register(page, COTENANT_SERVED_FEATURES, device->features);
}

static void add(struct virtio *device)
{
    unsigned page = free_page(device->id);

    if (page == serve.pages && device->id == ID_RNG) {
        return; /* nobody has asked for it */
    }
    if (page == serve.pages) {
        fail_start("the configuration of tenant %s has no further device of this kind (key "
                   "'served')",
                   serve.client.name);
    }
    if (read_register(page, COTENANT_SERVED_QUEUES) != device->queue_count) {
        fail_start("the monitor has another idea of the device's queues");
    }
    serve.devices[page] = device;
}

static const struct virtio_place place = {add, interrupt};

/* What the driver has set up, or reset. */
static void follow(unsigned page)
{
    struct virtio *device = serve.devices[page];
    struct virtio_setting setting = {.resets = 0};
    uint64_t state = read_register(page, COTENANT_SERVED_STATE);

    setting.resets = (uint32_t)state;
    setting.live = (state & COTENANT_SERVED_LIVE) != 0;
    setting.features = read_register(page, COTENANT_SERVED_ACCEPTED);
    for (unsigned i = 0; i < device->queue_count; i++) {
        uint64_t queue = COTENANT_SERVED_QUEUE_FIRST + (uint64_t)i * COTENANT_SERVED_QUEUE;

        setting.queues[i] = (struct virtio_queue){
            .size = (uint32_t)read_register(page, queue),
            .descriptors = read_register(page, queue + COTENANT_SERVED_QUEUE_TABLE),
            .available = read_register(page, queue + COTENANT_SERVED_QUEUE_AVAILABLE),
            .used = read_register(page, queue + COTENANT_SERVED_QUEUE_USED),
        };
    }
    virtio_follow(device, &setting);
    write_register(page, COTENANT_SERVED_FOLLOWED, setting.resets);
}

static void look(unsigned page)
{
    uint64_t events = read_register(page, COTENANT_SERVED_EVENTS);

    if ((events & COTENANT_SERVED_STATE_CHANGED) != 0) {
        follow(page);
    }
    for (unsigned queue = 0; queue < serve.devices[page]->queue_count; queue++) {
        if ((events >> queue & 1) != 0) {
            virtio_notice(serve.devices[page], queue);
        }
    }
}

/* The driver may have been at work with another program: it is told of what that left. */
static void take_over(unsigned page)
{
    (void)read_register(page, COTENANT_SERVED_EVENTS);
    follow(page);
    write_register(page, COTENANT_SERVED_PRESENT, 1);
    write_register(page, COTENANT_SERVED_INTERRUPT, INTERRUPT_USED | INTERRUPT_CONFIGURATION);
}

static void open_client(const struct request *request)
{
    if (!client_tree_find(request->name, &serve.client)) {
        fail_start("this system serves no tenant %s; that tenant's configuration needs the key "
                   "'served-by'",
                   request->name);
    }
    machine_map_registers(serve.client.registers.address, serve.client.registers.size);
    serve.pages = (unsigned)(serve.client.registers.size / COTENANT_SERVED_PAGE);
    if (serve.pages > MOST_PAGES ||
        read_register(0, COTENANT_SERVED_IDENTITY) != COTENANT_SERVED_MAGIC) {
        fail_start("the monitor of this machine has another version of the interface for servers");
    }
    memory.count = serve.client.memory_count;
    memory.apart = true;
    for (unsigned i = 0; i < memory.count; i++) {
        memory.ranges[i] = serve.client.memory[i];
        memory.bytes[i] = machine_map_memory(NULL, memory.ranges[i].address, memory.ranges[i].size);
    }
}

/* `cohost list` opens it for a moment, to see whether another process has it. */
static int open_port(void)
{
    const struct timespec pause = {0, PORT_PAUSE_NS};
    int port = machine_open_port(serve.client.port);

    for (unsigned i = 0; port < 0 && errno == EBUSY && i < MOST_PORT_PAUSES; i++) {
        nanosleep(&pause, NULL);
        port = machine_open_port(serve.client.port);
    }
    if (port < 0 && errno == EBUSY) {
        fail_start("another process serves tenant %s", serve.client.name);
    }
    if (port < 0) {
        fail_errno("open port", serve.client.port);
    }
    return port;
}

static void say_ready(void)
{
    if (as_json) {
        json_open('{');
        json_string("tenant", serve.client.name);
        json_number("devices", serve.pages);
        json_close('}');
    } else {
        say("serves tenant %s", serve.client.name);
    }
}

static void check_devices(void)
{
    for (unsigned page = 0; page < serve.pages; page++) {
        if (serve.devices[page] == NULL) {
            fail_start("tenant %s has %u devices, and not so many are given", serve.client.name,
                       serve.pages);
        }
    }
}

int verb_serve(const struct request *request)
{
    uint8_t bytes[64];
    int port;

    open_client(request);
    if (devices_are_foreign(request)) {
        fail_start("a tenant that is no guest is served disks that are raw, and tap devices");
    }
    port = open_port();
    virtio_use(&place);
    running_lock(); /* makes the folder for sockets */
    devices_add(request, request->name);
    if (request->console) {
        serve_console_add(request->name);
    }
    running_unlock();
    check_devices();
    for (unsigned page = 0; page < serve.pages; page++) {
        check_driver(serve.devices[page], page);
        offer(serve.devices[page], page);
    }
    for (unsigned page = 0; page < serve.pages; page++) {
        take_over(page);
    }
    write_register(0, COTENANT_SERVED_START, 1);
    say_ready();
    for (;;) {
        ssize_t count = read(port, bytes, sizeof(bytes));

        if (count < 0 && errno != EINTR) {
            fail_errno("read port", serve.client.port);
        }
        for (unsigned page = 0; page < serve.pages; page++) {
            look(page);
        }
    }
}
