/* SPDX-License-Identifier: BSD-2-Clause */
#include "sequence_hostile.h"

#include <string.h>

#include "abi/control.h"
#include "core/tenant.h"
#include "sequence_rings.h"

#define DESCRIPTOR_NEXT 1
#define DESCRIPTOR_WRITE 2
#define DESCRIPTOR_INDIRECT 4
#define MAC_OFFSET 12
#define FIRST_CID 3
#define CONTROL_OUT 3

/* Chains that the driver has ever made available, in each queue. */
static uint16_t added[DRIVERS][QUEUES];

/* Most chains that they publish are good. */
static bool is_calm;

void hostile_reset(bool calm)
{
    is_calm = calm;
    memset(added, 0, sizeof(added));
}

static void write_memory(uint64_t address, const void *bytes, uint32_t size)
{
    memcpy(memory_at(address), bytes, size);
}

static void store(struct driver *driver, uint32_t offset, uint32_t value)
{
    (void)machine_store(driver, offset, 4, value);
}

static void store_address(struct driver *driver, uint32_t which, uint64_t address)
{
    store(driver, 0x80 + 0x10 * which, (uint32_t)address);
    store(driver, 0x84 + 0x10 * which, (uint32_t)(address >> 32));
}

/* Somewhere in the tenant's own memory: in its rings and buffers, at its end, misaligned. */
static uint64_t own_address(const struct driver *driver, struct fuzz_input *input)
{
    uint8_t choice = fuzz_byte(input);
    uint64_t memory = tenant_memory(driver->tenant);
    uint64_t part = part_of(driver, choice / 8 % driver->queue_count);

    switch (choice % 8) {
    case 0:
        return memory + fuzz_word(input) % MAIN_SIZE;
    case 1:
        return memory + MAIN_SIZE - fuzz_byte(input);
    case 2:
        return part + fuzz_byte(input);
    case 3:
        return part + 2 * (fuzz_byte(input) % 128u);
    default:
        return part + 16 * (fuzz_byte(input) % 128u);
    }
}

/* Somewhere that is not the tenant's. */
static uint64_t foreign_address(const struct driver *driver, struct fuzz_input *input)
{
    uint8_t choice = fuzz_byte(input);
    uint32_t other = (driver->tenant + 1 + choice / 16 % STRANGER) % (STRANGER + 1);
    uint64_t offset = 16 * (uint64_t)fuzz_byte(input);

    switch (choice % 16) {
    case 0:
        return UINT64_MAX - offset;
    case 1:
        return 0 - offset;
    case 2:
        return (uint64_t)(uintptr_t)virtio_devices + offset;
    case 3:
        return tenant_memory(driver->tenant) - 16 - offset;
    case 4:
        return tenant_memory(driver->tenant) + MAIN_SIZE + offset;
    case 5:
        return 1ul << (offset / 16 % 64);
    case 6:
    case 7:
        return monitor_memory() + offset;
    case 8:
    case 9:
    case 10:
    case 11:
        return tenant_private(other) + offset;
    case 12:
        return tenant_memory(STRANGER) + offset;
    default:
        return part_of(&drivers[fuzz_byte(input) % DRIVERS], 0) + offset;
    }
}

static uint64_t any_address(const struct driver *driver, struct fuzz_input *input)
{
    return fuzz_byte(input) % 2 == 0 ? own_address(driver, input) : foreign_address(driver, input);
}

static void place_queue(struct driver *driver, uint32_t queue)
{
    uint64_t part = part_of(driver, queue);

    store(driver, 0x30, queue);
    store(driver, 0x38, DESCRIPTORS);
    store_address(driver, 0, part);
    store_address(driver, 1, part + PART_AVAILABLE);
    store_address(driver, 2, part + PART_USED);
    memset(memory_at(part), 0, PART_SLOTS);
    added[driver->index][queue] = 0;
}

/* Through the whole protocol, but for what `skipped` leaves out: a bit a step. */
static void start(struct driver *driver, uint8_t skipped)
{
    store(driver, REGISTER_STATUS, 0);
    store(driver, REGISTER_STATUS, 3);
    store(driver, 0x24, 0);
    store(driver, 0x20, driver->kind == KIND_CONSOLE ? 2 : 0);
    store(driver, 0x24, 1);
    store(driver, 0x20, 1);
    if ((skipped & 1) == 0) {
        store(driver, REGISTER_STATUS, 11);
    }
    for (uint32_t queue = 0; queue < driver->queue_count; queue++) {
        place_queue(driver, queue);
        if ((skipped >> 4) != 15 || queue % 2 == 1) {
            store(driver, 0x44, 1);
        }
    }
    if ((skipped & 2) == 0) {
        store(driver, REGISTER_STATUS, 15);
    }
}

/* What makes a buffer one that is looked at: addresses of frames, headers of packets, messages. */
static void fill_buffer(const struct driver *driver, uint32_t queue, uint64_t buffer,
                        struct fuzz_input *input)
{
    uint8_t choice = fuzz_byte(input);
    uint8_t mac[] = {choice % 8 == 0 ? 0xff : 2, 0, 0, 0, (uint8_t)driver->kind, choice % 4};
    uint64_t cids[] = {FIRST_CID + driver->tenant, FIRST_CID + 1 - driver->tenant};
    uint32_t length = choice % 4 == 0 ? fuzz_word(input) : choice;
    struct {
        uint32_t port;
        uint16_t event;
        uint16_t value;
    } message = {choice % 8, choice / 8 % 8, choice >> 7};
    uint32_t magic = COTENANT_CONTROL_MAGIC;

    if (driver->kind == KIND_CABLE || driver->kind == KIND_SWITCH) {
        write_memory(buffer + MAC_OFFSET, mac, sizeof(mac));
    } else if (driver->kind == KIND_SOCKET) {
        cids[1] ^= choice % 32 == 31;
        write_memory(buffer, cids, sizeof(cids));
        write_memory(buffer + 24, &length, sizeof(length));
    } else if (queue == CONTROL_OUT) {
        write_memory(buffer, &message, sizeof(message));
    } else if (choice % 2 == 0) {
        write_memory(buffer, &magic, sizeof(magic));
    }
}

static void write_descriptor(const struct driver *driver, uint32_t queue, uint32_t number,
                             uint16_t flags, struct fuzz_input *input)
{
    uint8_t choice = fuzz_byte(input);
    uint64_t address = slot_of(driver, queue, number % SLOTS);
    struct {
        uint64_t address;
        uint32_t length;
        uint16_t flags;
        uint16_t next;
    } descriptor = {address, 2u * (choice / 2), flags, (uint16_t)((number + 1) % DESCRIPTORS)};

    if (!is_receive_queue(driver, queue)) {
        fill_buffer(driver, queue, address, input);
    }
    if (choice % 16 == 1) {
        descriptor.length = BUFFER_SIZE;
    } else if (is_calm && fuzz_byte(input) % 16 != 1) {
        descriptor.length = descriptor.length % BUFFER_SIZE;
    } else if (choice % 32 == 3) {
        descriptor.address = any_address(driver, input);
    } else if (choice % 32 == 5) {
        descriptor.length = fuzz_word(input);
    } else if (choice % 64 == 7) {
        descriptor.flags ^= (uint16_t)fuzz_byte(input) % 8;
        descriptor.next = fuzz_byte(input);
    }
    write_memory(part_of(driver, queue) + 16u * number, &descriptor, sizeof(descriptor));
}

static void publish(const struct driver *driver, uint32_t queue, uint16_t head, uint16_t count)
{
    uint16_t *index = &added[driver->index][queue];
    uint64_t available = part_of(driver, queue) + PART_AVAILABLE;

    write_memory(available + 4 + 2u * (*index % DESCRIPTORS), &head, sizeof(head));
    *index = (uint16_t)(*index + count);
    write_memory(available + 2, index, sizeof(*index));
}

static void add_chains(struct driver *driver, uint32_t queue, struct fuzz_input *input)
{
    uint8_t choice = fuzz_byte(input);
    uint16_t write = is_receive_queue(driver, queue) ? DESCRIPTOR_WRITE : 0;

    for (uint32_t chain = 0; chain <= choice % 4u; chain++) {
        uint32_t head = fuzz_byte(input) % DESCRIPTORS;
        uint32_t length = 1 + (choice / 4 % 4 == 3 ? choice / 16 % 8 : choice / 16 % 2);

        for (uint32_t i = 0; i < length; i++) {
            bool more = i + 1 < length || choice == 255;

            write_descriptor(driver, queue, (head + i) % DESCRIPTORS,
                             (uint16_t)(write | (more ? DESCRIPTOR_NEXT : 0)), input);
        }
        publish(driver, queue, (uint16_t)head, 1);
    }
}

/* Chains that are soon done with, as many as the ring holds. */
static void flood(struct driver *driver, struct fuzz_input *input)
{
    uint32_t queue = fuzz_byte(input) % driver->queue_count | 1;
    uint64_t part = part_of(driver, queue < driver->queue_count ? queue : 1);
    uint16_t *index = &added[driver->index][queue < driver->queue_count ? queue : 1];
    uint16_t used;

    memcpy(&used, memory_at(part + PART_USED + 2), sizeof(used));
    for (uint16_t i = 0; i < DESCRIPTORS; i++) {
        struct {
            uint64_t address;
            uint32_t length;
            uint32_t flags;
        } descriptor = {part + PART_SLOTS, 2, 0};

        write_memory(part + 16u * i, &descriptor, sizeof(descriptor));
        write_memory(part + PART_AVAILABLE + 4 + 2u * i, &i, sizeof(i));
    }
    *index = (uint16_t)(used + DESCRIPTORS);
    write_memory(part + PART_AVAILABLE + 2, index, sizeof(*index));
}

/* A field of a ring, after it was published. */
static void corrupt(const struct driver *driver, uint32_t queue, struct fuzz_input *input)
{
    static const uint16_t places[] = {0,
                                      8,
                                      12,
                                      14,
                                      PART_AVAILABLE,
                                      PART_AVAILABLE + 2,
                                      PART_AVAILABLE + 4,
                                      PART_USED,
                                      PART_USED + 2,
                                      PART_USED + 4};
    uint8_t choice = fuzz_byte(input);
    uint32_t place = places[choice % 10] + (choice % 10 < 4 ? 16u * (choice / 10 % 8) : 0);
    uint64_t values[] = {
        fuzz_byte(input), any_address(driver, input), fuzz_word(input), UINT64_MAX,
        DESCRIPTOR_NEXT,  DESCRIPTOR_INDIRECT,        DESCRIPTOR_WRITE, 0,
    };
    uint8_t how = fuzz_byte(input);

    write_memory(part_of(driver, queue) + place, &values[how % 8], 1u << how / 8 % 4);
}

/* Disables a queue, whatever it is doing, and places it anew, perhaps without enabling it. */
static void move_queue(struct driver *driver, uint32_t queue, struct fuzz_input *input)
{
    uint8_t choice = fuzz_byte(input);

    store(driver, 0x30, queue);
    store(driver, 0x44, 0);
    for (uint32_t which = 0; which < 3; which++) {
        if ((choice >> which & 1) != 0) {
            store_address(driver, which, any_address(driver, input));
        }
    }
    if (choice % 16 > 7) {
        store(driver, 0x38, choice / 16 < 8 ? DESCRIPTORS : 1u << choice / 16 % 8);
    }
    if (choice >= 192) {
        store(driver, 0x44, 1);
    }
}

static uint32_t any_width(uint8_t choice)
{
    return 1u << choice % 4;
}

static void access_any(struct driver *driver, uint32_t offset, struct fuzz_input *input)
{
    uint8_t choice = fuzz_byte(input);

    if (choice % 2 == 0) {
        (void)machine_load(driver, offset, any_width(choice / 2));
    } else {
        uint32_t value = choice % 16 == 1 ? fuzz_word(input) : fuzz_byte(input);

        (void)machine_store(driver, offset, any_width(choice / 2), value);
    }
}

static void port_message(struct driver *driver, struct fuzz_input *input)
{
    uint64_t buffer = slot_of(driver, CONTROL_OUT, 0);
    uint8_t choice = fuzz_byte(input);
    struct {
        uint32_t port;
        uint16_t event;
        uint16_t value;
    } message = {choice % 8, choice / 8 % 8, choice >> 7};
    struct {
        uint64_t address;
        uint32_t length;
        uint32_t flags;
    } descriptor = {buffer, sizeof(message), 0};

    if (driver->kind != KIND_CONSOLE) {
        return;
    }
    if (choice / 8 % 8 == 1) {
        message.event = 6;
    }
    write_memory(buffer, &message, sizeof(message));
    write_memory(part_of(driver, CONTROL_OUT), &descriptor, sizeof(descriptor));
    publish(driver, CONTROL_OUT, 0, 1);
    store(driver, REGISTER_NOTIFY, CONTROL_OUT);
}

void hostile_operate(struct driver *driver, enum operation operation, struct fuzz_input *input)
{
    uint8_t choice = fuzz_byte(input);
    uint32_t queue = choice % driver->queue_count;
    uint16_t flags = choice >> 7;

    statistics_operation(operation, driver);
    switch (operation) {
    case OPERATION_START:
        start(driver, choice < 192 ? 0 : choice);
        break;
    case OPERATION_RESET:
        store(driver, REGISTER_STATUS, 0);
        break;
    case OPERATION_STATUS:
        store(driver, REGISTER_STATUS, choice);
        break;
    case OPERATION_FEATURES:
        store(driver, 0x24, choice % 4);
        store(driver, 0x20, choice / 4 % 2 == 0 ? 1 : fuzz_word(input));
        break;
    case OPERATION_QUEUE_SIZE:
        store(driver, 0x30, choice % 16);
        store(driver, 0x38, choice / 16 < 8 ? 1u << choice / 16 : fuzz_word(input));
        break;
    case OPERATION_QUEUE_ADDRESS:
        store_address(driver, choice % 3, any_address(driver, input));
        break;
    case OPERATION_QUEUE_READY:
        store(driver, 0x30, queue);
        store(driver, 0x44, choice >> 7);
        break;
    case OPERATION_QUEUE_MOVE:
        move_queue(driver, queue, input);
        break;
    case OPERATION_ADD_CHAINS:
        add_chains(driver, queue, input);
        break;
    case OPERATION_CORRUPT:
        corrupt(driver, queue, input);
        break;
    case OPERATION_BUMP_INDEX:
        publish(driver, queue, choice / 16 % DESCRIPTORS, (uint16_t)(1 + choice / 32));
        break;
    case OPERATION_NOTIFY:
        store(driver, REGISTER_NOTIFY, choice >= 250 ? choice : queue);
        break;
    case OPERATION_FLOOD:
        flood(driver, input);
        break;
    case OPERATION_SUPPRESS:
        write_memory(part_of(driver, queue) + PART_AVAILABLE, &flags, sizeof(flags));
        break;
    case OPERATION_CONFIGURATION:
        access_any(driver, 0x100 + choice % 64, input);
        break;
    case OPERATION_REGISTER:
        access_any(driver, choice % 4 == 0 ? fuzz_word(input) % 0x1000 : 4u * (choice / 4), input);
        break;
    case OPERATION_ACKNOWLEDGE:
        store(driver, REGISTER_ACKNOWLEDGE, machine_load(driver, REGISTER_INTERRUPTS, 4));
        break;
    case OPERATION_PORT:
        port_message(driver, input);
        break;
    default:
        machine_ring(driver->tenant, choice);
        break;
    }
}

void hostile_meanwhile(struct fuzz_input *input, bool flood_now)
{
    for (uint32_t i = 0; i < DRIVERS; i++) {
        if (!is_honest(&drivers[i]) && flood_now) {
            hostile_operate(&drivers[i], OPERATION_FLOOD, input);
        }
    }
    if (!flood_now) {
        struct driver *driver = &drivers[fuzz_byte(input) % DRIVERS];

        if (!is_honest(driver)) {
            hostile_operate(driver, fuzz_byte(input) % HOSTILE_OPERATIONS, input);
        }
    }
}
