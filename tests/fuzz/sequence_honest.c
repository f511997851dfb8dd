/* SPDX-License-Identifier: BSD-2-Clause */
#include "sequence_honest.h"

#include <string.h>

#include "sequence_flows.h"
#include "sequence_rings.h"
#include "sequence_statistics.h"

#define STATUS_NEEDS_RESET 0x40
#define CONTROL_IN 2
#define CONTROL_OUT 3
/* Section 5.3.6.2. */
enum { DEVICE_READY = 0, PORT_READY = 3, PORT_OPEN = 6 };
#define BELL_PORT 2
#define MOST_ROUNDS 100
/* Microseconds after which nothing is put off any more. */
#define LONG 1000000
#define NET_FRAME_HEADER 26 /* virtio's header, addresses and type */
/* A buffer for a packet's header and that of a message. */
#define LEAST_PART 80

static struct {
    bool live;
    bool open[PORTS];
    bool owed[PORTS]; /* a doorbell was rung, and the byte has not come */
    unsigned events;  /* of an input device */
} models[DRIVERS];

void honest_check(void)
{
    for (uint32_t i = 0; i < DRIVERS; i++) {
        struct driver *driver = &drivers[i];

        if (!is_honest(driver)) {
            continue;
        }
        for (uint32_t queue = 0; queue < driver->queue_count; queue++) {
            ring_check(driver, queue);
        }
        if (models[i].live) {
            REQUIRE_THAT((driver->device->status & STATUS_NEEDS_RESET) == 0, driver);
        }
    }
}

/* The device has been reset: none of its buffers is the device's any more. */
static void forget(struct driver *driver)
{
    rings_forget(driver);
    memset(&models[driver->index], 0, sizeof(models[driver->index]));
    for (uint32_t port = 0; port < PORTS; port++) {
        struct driver *peer = bell_peer(driver, port);

        flows_break(driver, port);
        if (peer != NULL) {
            models[peer->index].owed[bell_port(peer)] = false;
        }
    }
}

void honest_stopped(uint32_t tenant)
{
    for (uint32_t i = 0; i < DRIVERS; i++) {
        if (drivers[i].tenant == tenant) {
            forget(&drivers[i]);
        }
    }
}

void honest_reset(void)
{
    memset(models, 0, sizeof(models));
    rings_reset();
    flows_reset();
}

bool honest_is_live(const struct driver *driver)
{
    return models[driver->index].live;
}

static void store(struct driver *driver, uint32_t offset, uint32_t value)
{
    REQUIRE_THAT(machine_store(driver, offset, 4, value), driver);
}

/* Gives the device all buffers of a queue that it writes to. Returns whether there were any. */
static bool refill(struct driver *driver, uint32_t number, struct fuzz_input *input)
{
    uint16_t least = driver->kind == KIND_SOCKET ? LEAST_PART : 8;
    uint32_t slot;
    bool some = false;

    while (ring_is_placed(driver, number) && ring_find_slot(driver, number, &slot)) {
        uint8_t shape = fuzz_byte(input);
        bool divided = driver->kind == KIND_SOCKET || driver->kind == KIND_CONSOLE;
        uint16_t length = shape % 8 == 1 && divided ? LEAST_PART + shape : BUFFER_SIZE;

        ring_offer(driver, number, slot, length, shape % 4 == 2 ? least + shape : 0);
        some = true;
    }
    if (some) {
        ring_notify(driver, number, input);
    }
    return some;
}

static uint32_t port_of(uint32_t queue)
{
    return queue < 2 ? 0 : queue / 2 - 1;
}

/* What the device has put into a buffer. */
static void receive(struct driver *driver, uint32_t number, const uint8_t *bytes, uint32_t length)
{
    uint32_t port;

    switch (driver->kind) {
    case KIND_CONSOLE:
        port = port_of(number);
        if (number == CONTROL_IN) {
            REQUIRE_THAT(length >= 8, driver);
        } else if (bell_peer(driver, port) != NULL) {
            REQUIRE_THAT(length == 1 && bytes[0] == 1, driver);
            models[driver->index].owed[port] = false;
        } else {
            flows_receive(driver, port, bytes, length, false);
        }
        break;
    case KIND_CABLE:
    case KIND_SWITCH: {
        static const uint8_t header[12] = {[10] = 1};

        REQUIRE_THAT(length >= sizeof(header) && memcmp(bytes, header, sizeof(header)) == 0,
                     driver);
        if (length > NET_FRAME_HEADER) {
            flows_receive(driver, 0, bytes + NET_FRAME_HEADER, length - NET_FRAME_HEADER, true);
        }
        break;
    }
    case KIND_INPUT:
        REQUIRE_THAT(length == 8, driver);
        models[driver->index].events++;
        break;
    default:
        flows_receive_packet(driver, number, bytes, length);
        break;
    }
}

/* Takes what the device has used of a queue. Returns whether there was something. */
static bool take(struct driver *driver, uint32_t queue)
{
    struct ring_result result;
    bool some = false;

    while (ring_take(driver, queue, &result)) {
        some = true;
        if (result.bytes != NULL) {
            receive(driver, queue, result.bytes, result.length);
        }
    }
    return some;
}

/* Sections 2.7.14 and 4.2.3.4: the interrupt is acknowledged before the rings are looked at. */
static bool take_all(struct driver *driver)
{
    uint32_t reasons = machine_load(driver, REGISTER_INTERRUPTS, 4);
    bool some = false;

    REQUIRE_THAT((reasons != 0) == driver->line, driver);
    store(driver, REGISTER_ACKNOWLEDGE, reasons);
    REQUIRE_THAT(!driver->line, driver);
    for (uint32_t queue = 0; queue < driver->queue_count; queue++) {
        some = take(driver, queue) || some;
    }
    return some;
}

void honest_suppress(struct driver *driver, struct fuzz_input *input)
{
    uint32_t queue = fuzz_byte(input) % driver->queue_count;

    if (!models[driver->index].live) {
        return;
    }
    ring_suppress(driver, queue, !ring_is_suppressed(driver, queue));
    (void)take_all(driver); /* section 2.7.7.1: what came before it asked */
}

/* A message of the driver of a console. */
static void tell(struct driver *driver, uint32_t port, uint16_t event, uint16_t value,
                 struct fuzz_input *input)
{
    struct {
        uint32_t port;
        uint16_t event;
        uint16_t value;
    } message = {port, event, value};
    uint32_t slot;

    if (!ring_find_slot(driver, CONTROL_OUT, &slot)) {
        (void)take(driver, CONTROL_OUT);
        REQUIRE_THAT(ring_find_slot(driver, CONTROL_OUT, &slot), driver);
    }
    ring_fill(driver, CONTROL_OUT, slot, &message, sizeof(message));
    ring_offer(driver, CONTROL_OUT, slot, sizeof(message), 0);
    ring_notify(driver, CONTROL_OUT, input);
}

/* What is on its way to or from the port may be lost from now on, as far as it has been sent. */
static void set_open(struct driver *driver, uint32_t port, bool open, struct fuzz_input *input)
{
    struct driver *peer = bell_peer(driver, port);

    models[driver->index].open[port] = false;
    models[driver->index].owed[port] = false;
    flows_break(driver, port);
    tell(driver, port, PORT_OPEN, open, input);
    flows_break(driver, port);
    models[driver->index].open[port] = open;
    if (peer != NULL && !open) {
        models[peer->index].owed[bell_port(peer)] = false;
    }
}

static uint32_t port_count(const struct driver *driver)
{
    return driver->kind == KIND_CONSOLE ? driver->queue_count / 2 - 1 : 1;
}

void honest_start(struct driver *driver, struct fuzz_input *input)
{
    store(driver, REGISTER_STATUS, 0);
    forget(driver);
    store(driver, REGISTER_STATUS, 1);
    store(driver, REGISTER_STATUS, 3);
    store(driver, 0x24, 0);
    store(driver, 0x20, driver->kind == KIND_CONSOLE ? 2 : 0);
    store(driver, 0x24, 1);
    store(driver, 0x20, 1);
    store(driver, REGISTER_STATUS, 11);
    REQUIRE_THAT(machine_load(driver, REGISTER_STATUS, 4) == 11, driver);
    for (uint32_t queue = 0; queue < driver->queue_count; queue++) {
        ring_place(driver, queue);
    }
    store(driver, REGISTER_STATUS, 15);
    models[driver->index].live = true;
    for (uint32_t queue = 0; queue < driver->queue_count; queue++) {
        if (is_receive_queue(driver, queue)) {
            (void)refill(driver, queue, input);
        }
    }
    if (driver->kind == KIND_CONSOLE) {
        tell(driver, 0, DEVICE_READY, 1, input);
        for (uint32_t port = 0; port < port_count(driver); port++) {
            tell(driver, port, PORT_READY, 1, input);
            set_open(driver, port, true, input);
        }
    } else {
        models[driver->index].open[0] = true;
    }
}

void honest_port(struct driver *driver, struct fuzz_input *input)
{
    uint32_t port = fuzz_byte(input) % port_count(driver);

    if (driver->kind == KIND_CONSOLE && models[driver->index].live) {
        set_open(driver, port, !models[driver->index].open[port], input);
    }
}

static uint32_t transmit_queue(const struct driver *driver, uint32_t port)
{
    return driver->kind == KIND_CONSOLE && port > 0 ? 2 * port + 3 : 1;
}

/* Whether what an honest driver sends from there now arrives for certain. */
static bool will_arrive(const struct driver *driver, uint32_t port, const struct driver *to)
{
    return driver->kind != KIND_SWITCH && models[to->index].open[flow_port(to, driver, port)];
}

static void send_from(struct driver *driver, uint32_t port, uint32_t length,
                      struct fuzz_input *input)
{
    uint32_t queue = transmit_queue(driver, port);
    uint8_t bytes[BUFFER_SIZE];
    struct driver *to = flow_target(driver, port, fuzz_byte(input));
    uint32_t slot;

    if (to == NULL || (driver->kind == KIND_CONSOLE && !models[driver->index].open[port])) {
        return;
    }
    if (!ring_find_slot(driver, queue, &slot)) {
        (void)take_all(driver);
        if (!ring_find_slot(driver, queue, &slot)) {
            return;
        }
    }
    length = flow_make(driver, port, to, bytes, length, fuzz_byte(input));
    if (!is_honest(to) || !will_arrive(driver, port, to)) {
        flow_may_lose(driver, port);
    }
    ring_fill(driver, queue, slot, bytes, length);
    ring_offer(driver, queue, slot, (uint16_t)length, fuzz_byte(input));
    ring_notify(driver, queue, input);
}

void honest_send(struct driver *driver, struct fuzz_input *input)
{
    uint32_t port = fuzz_byte(input) % port_count(driver);

    if (models[driver->index].live && driver->kind != KIND_INPUT) {
        send_from(driver, port, fuzz_byte(input), input);
    }
}

void honest_serve(struct driver *driver, struct fuzz_input *input)
{
    uint8_t which = fuzz_byte(input);

    if (!models[driver->index].live) {
        return;
    }
    (void)take_all(driver);
    for (uint32_t queue = 0; queue < driver->queue_count; queue++) {
        if (is_receive_queue(driver, queue) && (which >> queue % 8 & 1) == 0) {
            (void)refill(driver, queue, input);
        }
    }
}

void honest_ring(struct driver *driver, struct fuzz_input *input)
{
    struct driver *peer = bell_peer(driver, BELL_PORT);
    uint32_t slot;

    if (driver->kind != KIND_CONSOLE || peer == NULL || !models[driver->index].live) {
        return;
    }
    if (fuzz_byte(input) % 2 == 0) {
        machine_ring(driver->tenant, BELL_PORT);
    } else if (ring_find_slot(driver, transmit_queue(driver, BELL_PORT), &slot)) {
        ring_offer(driver, transmit_queue(driver, BELL_PORT), slot, 1, 0);
        ring_notify(driver, transmit_queue(driver, BELL_PORT), input);
    } else {
        return;
    }
    models[peer->index].owed[BELL_PORT] = models[peer->index].open[BELL_PORT];
}

/* One round of all that honest drivers do when nothing new comes. */
static bool serve_round(void)
{
    struct fuzz_input none = {NULL, 0};
    bool some = false;

    for (uint32_t i = 0; i < DRIVERS; i++) {
        struct driver *driver = &drivers[i];

        if (!is_honest(driver) || !models[i].live) {
            continue;
        }
        some = take_all(driver) || some;
        for (uint32_t queue = 0; queue < driver->queue_count; queue++) {
            if (is_receive_queue(driver, queue)) {
                some = refill(driver, queue, &none) || some;
            }
        }
    }
    return some;
}

/* What was sent there may wait: a hostile end gives no buffers, one that is not there cannot. */
static bool may_wait(const struct driver *driver, uint32_t port)
{
    const struct driver *to = flow_target(driver, port, 0);

    return flows_have_hostile(driver, port) ||
           (to != NULL && !models[to->index].open[flow_port(to, driver, port)]);
}

static void check_settled(const struct driver *driver)
{
    for (uint32_t port = 0; port < PORTS; port++) {
        REQUIRE_THAT(!models[driver->index].owed[port], driver);
    }
    for (uint32_t queue = 0; queue < driver->queue_count; queue++) {
        bool waits =
            driver->kind != KIND_SWITCH && queue != CONTROL_OUT && may_wait(driver, port_of(queue));

        REQUIRE_THAT(is_receive_queue(driver, queue) || waits || ring_is_idle(driver, queue),
                     driver);
    }
}

static void serve_until_silent(void)
{
    unsigned rounds = 0;

    machine_wanted(false, false);
    machine_pass(LONG);
    for (uint32_t i = 0; i < DRIVERS; i++) {
        REQUIRE_THAT(!machine_owes(&drivers[i]), &drivers[i]);
    }
    honest_check();
    while (serve_round()) {
        REQUIRE_THAT(++rounds < MOST_ROUNDS, NULL);
        machine_pass(LONG);
        honest_check();
    }
    for (uint32_t i = 0; i < DRIVERS; i++) {
        if (is_honest(&drivers[i]) && models[i].live) {
            check_settled(&drivers[i]);
        }
    }
    flows_check();
}

/* What is sent when all is silent arrives. */
static void probe(struct driver *driver)
{
    for (uint32_t port = 0; port < port_count(driver); port++) {
        uint8_t bytes[] = {0, 0, 0, 0};
        struct fuzz_input none = {bytes, sizeof(bytes)};

        for (uint8_t which = 0; which < 2; which++) {
            struct driver *to = flow_target(driver, port, which);

            if (to == NULL || !is_honest(to)) {
                continue;
            }
            bytes[0] = which;
            none = (struct fuzz_input){bytes, sizeof(bytes)};
            send_from(driver, port, 100, &none);
            serve_until_silent();
            REQUIRE_THAT(flow_has_last(driver, port, to), driver);
        }
        if (bell_peer(driver, port) != NULL) {
            honest_ring(driver, &none);
            serve_until_silent();
        }
    }
    if (driver->kind == KIND_INPUT) {
        models[driver->index].events = 0;
        machine_press(driver->tenant);
        serve_until_silent();
        REQUIRE_THAT(models[driver->index].events == 4, driver);
    }
}

static void reopen(struct driver *driver)
{
    struct fuzz_input none = {NULL, 0};

    if (!models[driver->index].live) {
        honest_start(driver, &none);
    }
    for (uint32_t port = 0; port < port_count(driver); port++) {
        if (!models[driver->index].open[port]) {
            set_open(driver, port, true, &none);
        }
    }
}

void honest_settle(void)
{
    serve_until_silent();
    for (uint32_t i = 0; i < DRIVERS; i++) {
        for (uint32_t queue = 0; queue < drivers[i].queue_count; queue++) {
            if (is_honest(&drivers[i]) && ring_is_suppressed(&drivers[i], queue)) {
                ring_suppress(&drivers[i], queue, false);
            }
        }
    }
    for (uint32_t i = 0; i < DRIVERS; i++) {
        if (is_honest(&drivers[i])) {
            reopen(&drivers[i]);
        }
    }
    serve_until_silent();
    for (uint32_t i = 0; i < DRIVERS; i++) {
        if (is_honest(&drivers[i])) {
            probe(&drivers[i]);
        }
    }
}
