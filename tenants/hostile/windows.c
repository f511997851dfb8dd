/* SPDX-License-Identifier: BSD-2-Clause */
#include "hostile/acts.h"
#include "rt/fdt.h"
#include "rt/platform.h"
#include "rt/trap.h"
#include "rt/uart.h"

#define SLOTS_LOOKED_AT 32
#define MOST_WINDOWS 16
#define UART_REGISTERS 8
#define VIRTIO_REGISTERS 0x200

static struct window {
    uint64_t base;
    uint64_t size;
} windows[MOST_WINDOWS];
static uint32_t window_count;

static void add(uint64_t base, uint64_t size)
{
    if (window_count < MOST_WINDOWS && size != 0) {
        windows[window_count++] = (struct window){base, size};
    }
}

/* What the device tree says is there for it. */
static void find(void)
{
    struct fdt_node node;
    uint64_t base;
    uint64_t size;

    add(platform.uart_base,
        platform.uart_base != 0 ? (uint64_t)(UART_REGISTERS + 1) << platform.uart_shift : 0);
    add(platform.plic_base, platform.plic_size);
    add(platform.plic_base, platform.plic_base != 0 ? 0x3000 : 0);
    add(platform.plic_base + 0x200000, platform.plic_base != 0 ? 0x4000 : 0);
    for (uint32_t slot = 0; slot < SLOTS_LOOKED_AT; slot++) {
        if (!fdt_find_nth_compatible(&platform.fdt, "virtio,mmio", slot, &node)) {
            break;
        }
        if (fdt_reg(&platform.fdt, &node, &base, &size)) {
            add(base, VIRTIO_REGISTERS);
        }
    }
}

static void load16(void *address)
{
    (void)*(volatile uint16_t *)address;
}

static void store16(void *address)
{
    *(volatile uint16_t *)address = (uint16_t)(uintptr_t)address;
}

static void load32(void *address)
{
    (void)*(volatile uint32_t *)address;
}

struct word {
    uint64_t address;
    uint32_t value;
};

static void store32(void *argument)
{
    const struct word *word = argument;

    *(volatile uint32_t *)word->address = word->value;
}

static void swap32(void *argument)
{
    const struct word *word = argument;

    __asm__ volatile("amoswap.w zero, %0, (%1)"
                     :
                     : "r"(word->value), "r"(word->address)
                     : "memory");
}

/* A byte for the user: enough of them come by the calls. */
static bool is_output(uint64_t address)
{
    return address == platform.uart_base;
}

enum outcome act_register(struct random *random)
{
    struct trap_fault fault;
    struct window window;
    struct word word;
    uint64_t value;
    uint8_t byte;
    bool done;

    if (window_count == 0) {
        find();
    }
    if (window_count == 0) {
        return OUTCOME_REFUSED;
    }
    window = windows[random_below(random, window_count)];
    word.address = window.base + random_below(random, window.size);
    word.value = random_below(random, 2) == 0 ? (uint32_t)random_below(random, 16)
                                              : (uint32_t)random_next(random);
    if (random_below(random, 8) != 0) {
        word.address &= ~3ul;
    }
    switch (random_below(random, 12)) {
    case 0:
        done = trap_try_read64(word.address, &value, &fault);
        break;
    case 1:
        done = trap_try_write64(word.address, random_next(random), &fault);
        break;
    case 2:
    case 3:
        done = trap_try_read8(word.address, &byte, &fault);
        break;
    case 4:
        done =
            !is_output(word.address) && trap_try_write8(word.address, (uint8_t)word.value, &fault);
        break;
    case 5:
        done = trap_try(load16, (void *)word.address, &fault);
        break;
    case 6:
        done = trap_try(store16, (void *)word.address, &fault);
        break;
    case 7:
        done = trap_try(swap32, &word, &fault);
        break;
    case 8:
    case 9:
        done = trap_try(load32, (void *)word.address, &fault);
        break;
    default:
        done = trap_try(store32, &word, &fault);
        break;
    }
    return done ? OUTCOME_DONE : OUTCOME_FAULT;
}
