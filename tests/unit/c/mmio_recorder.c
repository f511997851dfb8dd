/* SPDX-License-Identifier: BSD-2-Clause */
#include "mmio_recorder.h"

#include "arch/mmio.h"
#include "cmocka_tests.h"

#define RECORD_MAX 2048

static struct mmio_access record[RECORD_MAX];
static size_t record_count;
static struct mmio_access registers[RECORD_MAX];
static size_t register_count;

void mmio_recorder_reset(void)
{
    record_count = 0;
    register_count = 0;
}

void mmio_recorder_clear(void)
{
    record_count = 0;
}

static struct mmio_access *find_register(uint64_t address)
{
    for (size_t i = 0; i < register_count; i++) {
        if (registers[i].address == address) {
            return &registers[i];
        }
    }
    assert_true(register_count < RECORD_MAX);
    registers[register_count] = (struct mmio_access){.address = address};
    return &registers[register_count++];
}

void mmio_recorder_set(uint64_t address, uint64_t value)
{
    find_register(address)->value = value;
}

size_t mmio_recorder_count(void)
{
    return record_count;
}

struct mmio_access mmio_recorder_get(size_t index)
{
    assert_true(index < record_count);
    return record[index];
}

void assert_mmio_write(size_t index, unsigned bits, uint64_t address, uint64_t value)
{
    struct mmio_access access = mmio_recorder_get(index);

    assert_true(access.write);
    assert_int_equal(access.bits, bits);
    assert_int_equal(access.address, address);
    assert_int_equal(access.value, value);
}

static void note(bool write, unsigned bits, uint64_t address, uint64_t value)
{
    assert_true(record_count < RECORD_MAX);
    assert_int_equal(address % (bits / 8), 0);
    record[record_count++] = (struct mmio_access){write, bits, address, value};
}

static uint64_t read_register(unsigned bits, uint64_t address)
{
    uint64_t value = find_register(address)->value;

    note(false, bits, address, value);
    return value;
}

static void write_register(unsigned bits, uint64_t address, uint64_t value)
{
    find_register(address)->value = value;
    note(true, bits, address, value);
}

uint8_t mmio_read8(uint64_t address)
{
    return (uint8_t)read_register(8, address);
}

uint16_t mmio_read16(uint64_t address)
{
    return (uint16_t)read_register(16, address);
}

uint32_t mmio_read32(uint64_t address)
{
    return (uint32_t)read_register(32, address);
}

void mmio_write8(uint64_t address, uint8_t value)
{
    write_register(8, address, value);
}

void mmio_write16(uint64_t address, uint16_t value)
{
    write_register(16, address, value);
}

void mmio_write32(uint64_t address, uint32_t value)
{
    write_register(32, address, value);
}
