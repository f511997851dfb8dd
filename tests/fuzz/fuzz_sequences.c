/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sequences of what drivers do, at both or all ends of every kind of virtual device. In each
 * episode some tenants are hostile, others keep to the rules and have a model of what they must
 * get; at its end the hostile ones are silent, and the honest ones talk to each other undisturbed.
 */
#include "fuzz.h"
#include "sequence_honest.h"
#include "sequence_hostile.h"

/* Checks of all memory are so far apart. */
#define CHECK_EVERY 32
/* Microseconds of an operation. */
#define OPERATION_TICKS 20

/* Which tenants are honest, a bit each; more often some than all or none. */
static const uint8_t casts[] = {7, 6, 6, 6, 5, 5, 3, 3, 4, 2, 1, 0};

/* How often each hostile operation comes, in wild episodes and in calm ones, where more traffic is
 * under way when something goes wrong. */
static const struct {
    uint8_t wild;
    uint8_t calm;
} weights[HOSTILE_OPERATIONS] = {
    [OPERATION_START] = {12, 8},        [OPERATION_RESET] = {4, 2},
    [OPERATION_STATUS] = {4, 1},        [OPERATION_FEATURES] = {4, 1},
    [OPERATION_QUEUE_SIZE] = {4, 1},    [OPERATION_QUEUE_ADDRESS] = {4, 1},
    [OPERATION_QUEUE_READY] = {4, 1},   [OPERATION_QUEUE_MOVE] = {4, 3},
    [OPERATION_ADD_CHAINS] = {24, 48},  [OPERATION_CORRUPT] = {8, 3},
    [OPERATION_BUMP_INDEX] = {4, 1},    [OPERATION_NOTIFY] = {20, 40},
    [OPERATION_FLOOD] = {4, 1},         [OPERATION_SUPPRESS] = {4, 2},
    [OPERATION_CONFIGURATION] = {4, 2}, [OPERATION_REGISTER] = {4, 1},
    [OPERATION_ACKNOWLEDGE] = {4, 4},   [OPERATION_PORT] = {8, 6},
    [OPERATION_RING] = {4, 2},
};
#define WEIGHTS 128

static enum operation choose(bool calm, uint8_t choice)
{
    uint32_t sum = 0;

    for (enum operation operation = 0; operation < HOSTILE_OPERATIONS; operation++) {
        sum += calm ? weights[operation].calm : weights[operation].wild;
        if (choice % WEIGHTS < sum) {
            return operation;
        }
    }
    return OPERATION_NOTIFY;
}

static void operate_honest(struct driver *driver, struct fuzz_input *input)
{
    uint8_t choice = fuzz_byte(input);
    enum operation operation = HONEST_SERVE;

    if (!honest_is_live(driver) || choice >= 252) {
        operation = HONEST_START;
    } else if (choice < 128) {
        operation = HONEST_SEND;
    } else if (choice >= 240) {
        operation = HONEST_RING;
    } else if (choice >= 236) {
        operation = HONEST_PORT;
    } else if (choice >= 228) {
        operation = HONEST_SUPPRESS;
    } else if (choice >= 224) {
        operation = HONEST_CONFIGURATION;
    }
    statistics_operation(operation, driver);
    switch (operation) {
    case HONEST_START:
        honest_start(driver, input);
        break;
    case HONEST_SEND:
        honest_send(driver, input);
        break;
    case HONEST_RING:
        honest_ring(driver, input);
        break;
    case HONEST_PORT:
        honest_port(driver, input);
        break;
    case HONEST_SUPPRESS:
        honest_suppress(driver, input);
        break;
    case HONEST_CONFIGURATION:
        (void)machine_load(driver, 0x100 + fuzz_byte(input) % 16, 1u << fuzz_byte(input) % 4);
        break;
    default:
        honest_serve(driver, input);
        break;
    }
}

/* The life cycle, and the one device that speaks of its own accord. */
static void operate_monitor(struct driver *driver, uint8_t choice)
{
    if (choice % 4 == 0) {
        statistics_operation(MONITOR_STOP, driver);
        machine_stop(driver->tenant);
        honest_stopped(driver->tenant);
    } else {
        statistics_operation(MONITOR_PRESS, driver);
        machine_press(driver->tenant);
    }
}

static void operate(bool calm, struct fuzz_input *input)
{
    uint8_t choice = fuzz_byte(input);
    struct driver *driver = &drivers[fuzz_byte(input) % DRIVERS];

    if (choice >= 254) {
        operate_monitor(driver, fuzz_byte(input));
    } else if (is_honest(driver)) {
        operate_honest(driver, input);
    } else {
        machine_wanted(choice % 4 == 1, choice % 4 == 2); /* it leaves off in the middle */
        hostile_operate(driver, choose(calm, fuzz_byte(input)), input);
        machine_wanted(false, false);
    }
}

int fuzz_sequences(const uint8_t *data, size_t size)
{
    struct fuzz_input input = {data, size};
    bool calm = fuzz_byte(&input) % 2 == 0;

    honest_tenants = casts[fuzz_byte(&input) % sizeof(casts)];
    machine_reset();
    honest_reset();
    hostile_reset(calm);
    for (uint32_t i = 0; i < DRIVERS; i++) {
        if (!is_honest(&drivers[i])) {
            hostile_operate(&drivers[i], OPERATION_START, &input);
        }
    }
    for (unsigned count = 1; input.size > 0; count++) {
        operate(calm, &input);
        machine_pass(OPERATION_TICKS);
        if (count % CHECK_EVERY == 0) {
            machine_check();
            honest_check();
        }
    }
    honest_check();
    honest_settle();
    honest_check();
    machine_check();
    return 0;
}
