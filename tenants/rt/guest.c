/* SPDX-License-Identifier: BSD-2-Clause */
#include "rt/guest.h"

#include <stddef.h>
#include <string.h>

#include "rt/check.h"
#include "rt/console.h"
#include "rt/harts.h"
#include "rt/platform.h"
#include "rt/sbi.h"

#define PAGE_SIZE 4096
#define DEVICETREE_ROOM 0x4000
#define FDT_MAGIC 0xd00dfeed
#define FDT_LARGEST_HEADER 128
/* Of a 16550: line status, and that all is sent. */
#define UART_LINE_STATUS 5
#define UART_IDLE 0x60
#define UART_LAST 7

/* What of an ELF-64 header and a program header is used. */
#define ELF_PROGRAM_HEADERS 32
#define ELF_PROGRAM_COUNT 56
#define ELF_LOAD 1
struct program {
    uint32_t type;
    uint32_t flags;
    uint64_t offset;
    uint64_t address;
    uint64_t physical;
    uint64_t file_size;
    uint64_t memory_size;
    uint64_t alignment;
};

static volatile uint8_t *registers;
static uint8_t run_pages[COTENANT_HOSTED_MAX_SLOTS][PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));

bool guest_find(void)
{
    struct fdt_node node;
    uint64_t base;
    uint64_t size;

    if (!fdt_find_compatible(&platform.fdt, "cotenant,hosted", &node) ||
        !fdt_reg(&platform.fdt, &node, &base, &size)) {
        return false;
    }
    registers = (volatile uint8_t *)base;
    return guest_register(COTENANT_HOSTED_IDENTITY) == COTENANT_HOSTED_MAGIC;
}

uint64_t guest_register(uint64_t offset)
{
    return *(volatile uint64_t *)(registers + offset);
}

uint32_t guest_request(struct hosted_request *request)
{
    static struct hosted_request places[HARTS_MAX]
        __attribute__((aligned(sizeof(struct hosted_request))));
    struct hosted_request *place = &places[hart_self()->id];

    memcpy(place, request, sizeof(*place));
    place->result = COTENANT_HOSTED_PENDING;
    __asm__ volatile("" : : : "memory");
    *(volatile uint64_t *)(registers + COTENANT_HOSTED_REQUEST) = (uintptr_t)place;
    __asm__ volatile("" : : : "memory");
    memcpy(request, place, sizeof(*place));
    return request->result;
}

/* Until it is not BUSY. */
static void request(struct hosted_request *wanted)
{
    uint32_t result;

    do {
        result = guest_request(wanted);
    } while (result == COTENANT_HOSTED_BUSY);
    check(result == COTENANT_HOSTED_OK, "request %u: result %u", wanted->operation, result);
}

static uint64_t of_chosen(const char *name)
{
    struct fdt_node chosen;
    uint32_t high;
    uint32_t low;

    check(fdt_find(&platform.fdt, "/chosen", &chosen) &&
              fdt_cell(&platform.fdt, &chosen, name, 0, &high) &&
              fdt_cell(&platform.fdt, &chosen, name, 1, &low),
          "no %s", name);
    return (uint64_t)high << 32 | low;
}

static void load_image(uint64_t base)
{
    const uint8_t *image = (const uint8_t *)of_chosen("linux,initrd-start");
    const struct program *program =
        (const struct program *)(image + *(const uint64_t *)(image + ELF_PROGRAM_HEADERS));
    uint16_t count = *(const uint16_t *)(image + ELF_PROGRAM_COUNT);

    for (; count > 0; count--, program++) {
        if (program->type == ELF_LOAD) {
            memcpy((void *)(base + program->address), image + program->offset, program->file_size);
            memset((void *)(base + program->address + program->file_size), 0,
                   program->memory_size - program->file_size);
        }
    }
}

static void put_cells(uint8_t *to, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        to[i] = (uint8_t)(value >> (56 - 8 * i));
    }
}

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* The host's own tree, in which the memory is another. Returns where it is. */
static uint64_t place_devicetree(const struct guest *guest)
{
    uint8_t *to = (uint8_t *)(guest->base + guest->size - DEVICETREE_ROOM);
    const uint8_t *from = platform.fdt.structure;
    uint8_t own[16];
    uint32_t size;

    while (big_endian(from) != FDT_MAGIC) {
        from -= 4;
        check(platform.fdt.structure - from < FDT_LARGEST_HEADER, "no header of the device tree");
    }
    size = big_endian(from + 4);
    check(size <= DEVICETREE_ROOM, "the device tree is too large");
    memcpy(to, from, size);
    put_cells(own, platform.memory_base);
    put_cells(own + 8, platform.memory_size);
    for (uint32_t i = 0; i + sizeof(own) <= size; i += 4) {
        if (memcmp(to + i, own, sizeof(own)) == 0) {
            put_cells(to + i, guest->base);
            put_cells(to + i + 8, guest->size);
        }
    }
    return (uintptr_t)to;
}

void guest_make(struct guest *guest, uint32_t slot, uint64_t base, uint64_t size)
{
    struct hosted_request wanted = {.operation = COTENANT_HOSTED_CREATE, .slot = slot, .vhart = 1};

    *guest = (struct guest){.slot = slot, .base = base, .size = size};
    guest->run = (volatile struct hosted_run *)run_pages[slot];
    request(&wanted);
    guest->token = wanted.token;
    load_image(base);
    wanted = (struct hosted_request){.operation = COTENANT_HOSTED_LEND,
                                     .slot = slot,
                                     .token = guest->token,
                                     .address = base,
                                     .size = size};
    request(&wanted);
    wanted = (struct hosted_request){.operation = COTENANT_HOSTED_START,
                                     .slot = slot,
                                     .token = guest->token,
                                     .address = base,
                                     .argument = place_devicetree(guest),
                                     .size = platform_number("shares", 0),
                                     .run = (uintptr_t)guest->run};
    request(&wanted);
}

void guest_turn(uint32_t slot, uint32_t vhart, uint32_t value)
{
    uint64_t page = 1 + (uint64_t)slot * COTENANT_HOSTED_SLOT_PAGES + vhart;

    *(volatile uint32_t *)(registers + page * COTENANT_HOSTED_PAGE) = value;
    __asm__ volatile("" : : : "memory");
}

void guest_set_line(uint64_t value)
{
    *(volatile uint64_t *)(registers + COTENANT_HOSTED_LINE) = value;
}

static void answer(volatile struct hosted_run *run, int64_t error, uint64_t value)
{
    run->arguments[0] = (uint64_t)error;
    run->arguments[1] = value;
}

/* By the monitor, or here. */
static bool is_served(uint64_t extension)
{
    return extension == SBI_EXT_BASE || extension == SBI_EXT_TIME || extension == SBI_EXT_IPI ||
           extension == SBI_EXT_RFENCE || extension == SBI_EXT_DBCN || extension == SBI_EXT_SRST;
}

/* False: it has ended. */
static bool serve_call(const struct guest *guest)
{
    volatile struct hosted_run *run = guest->run;
    uint64_t extension = run->arguments[7];
    uint64_t function = run->arguments[6];

    if (extension == SBI_EXT_DBCN && function == SBI_DBCN_WRITE) {
        uint64_t length = run->arguments[0];
        uint64_t offset = run->arguments[1] - guest->base;

        if (offset >= guest->size || length > guest->size - offset || run->arguments[2] != 0) {
            answer(run, SBI_ERR_INVALID_PARAM, 0);
        } else {
            console_write((const char *)run->arguments[1], length);
            answer(run, SBI_SUCCESS, length);
        }
    } else if (extension == SBI_EXT_BASE) {
        answer(run, SBI_SUCCESS, is_served(run->arguments[0]));
    } else if (extension == SBI_EXT_SRST) {
        return false;
    } else {
        answer(run, SBI_ERR_NOT_SUPPORTED, 0);
    }
    return true;
}

/* All that the guest has is a UART that sends at once and receives nothing. */
static void answer_access(volatile struct hosted_run *run)
{
    uint64_t offset = run->address - platform.uart_base;
    char byte = (char)run->value;

    if (platform.uart_base == 0 || offset > UART_LAST) {
        run->reason = COTENANT_HOSTED_ANSWER_FAULT;
    } else if (run->reason == COTENANT_HOSTED_EXIT_LOAD) {
        run->value = offset == UART_LINE_STATUS ? UART_IDLE : 0;
    } else if (offset == 0) {
        console_write(&byte, 1);
    }
}

bool guest_take_turn(struct guest *guest)
{
    volatile struct hosted_run *run = guest->run;

    if (run->reason != COTENANT_HOSTED_ANSWER_FAULT) {
        run->reason = COTENANT_HOSTED_EXIT_NONE;
    }
    guest_turn(guest->slot, 0, guest->token);
    return guest_serve(guest);
}

bool guest_serve(struct guest *guest)
{
    volatile struct hosted_run *run = guest->run;

    guest->exits++;
    switch (run->reason) {
    case COTENANT_HOSTED_EXIT_LOAD:
    case COTENANT_HOSTED_EXIT_STORE:
        answer_access(run);
        return true;
    case COTENANT_HOSTED_EXIT_SBI:
        guest->ended = !serve_call(guest);
        return !guest->ended;
    case COTENANT_HOSTED_EXIT_CRASH:
        guest->crashed = true;
        guest->ended = true;
        return false;
    case COTENANT_HOSTED_EXIT_IDLE:
    case COTENANT_HOSTED_EXIT_BUSY:
    case COTENANT_HOSTED_EXIT_INTERRUPTED:
        return true;
    default:
        check_fail("slot %u: a turn ends with %u", guest->slot, run->reason);
    }
}
