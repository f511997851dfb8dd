/* SPDX-License-Identifier: BSD-2-Clause */
#include "tree_maker.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "features/handed_tree/fdt.h"

#define WORD 4
#define RESERVATIONS 16

void tree_set(uint8_t *blob, uint32_t number, uint32_t value)
{
    for (int i = 0; i < WORD; i++) {
        blob[WORD * number + i] = (uint8_t)(value >> (24 - 8 * i));
    }
}

uint32_t tree_get(const uint8_t *blob, uint32_t number)
{
    uint32_t value = 0;

    for (int i = 0; i < WORD; i++) {
        value = value << 8 | blob[WORD * number + i];
    }
    return value;
}

static void put(struct tree_maker *maker, const void *bytes, uint32_t size)
{
    assert(maker->structure_size + size + WORD <= TREE_MOST);
    memcpy(&maker->structure[maker->structure_size], bytes, size);
    maker->structure_size += size;
    while (maker->structure_size % WORD != 0) {
        maker->structure[maker->structure_size++] = 0;
    }
}

void tree_word(struct tree_maker *maker, uint32_t word)
{
    uint8_t bytes[WORD];

    tree_set(bytes, 0, word);
    put(maker, bytes, WORD);
}

void tree_begin(struct tree_maker *maker, const char *name)
{
    tree_word(maker, FDT_BEGIN);
    put(maker, name, (uint32_t)strlen(name) + 1);
}

void tree_property(struct tree_maker *maker, const char *name, const void *value, uint32_t size)
{
    uint32_t length = (uint32_t)strlen(name) + 1;

    tree_word(maker, FDT_PROPERTY);
    tree_word(maker, size);
    tree_word(maker, maker->strings_size);
    put(maker, value, size);
    assert(maker->strings_size + length <= TREE_MOST);
    memcpy(&maker->strings[maker->strings_size], name, length);
    maker->strings_size += length;
}

void tree_text(struct tree_maker *maker, const char *name, const char *value)
{
    tree_property(maker, name, value, (uint32_t)strlen(value) + 1);
}

void tree_end(struct tree_maker *maker)
{
    tree_word(maker, FDT_END);
}

uint8_t *tree_finish(struct tree_maker *maker, uint32_t *size)
{
    uint32_t structure = FDT_HEADER_SIZE + RESERVATIONS;
    uint32_t strings;
    uint8_t *blob;

    tree_word(maker, FDT_LAST);
    strings = structure + maker->structure_size;
    *size = strings + maker->strings_size;
    blob = calloc(1, *size);
    assert(blob != NULL);
    tree_set(blob, FDT_HEADER_MAGIC, FDT_MAGIC);
    tree_set(blob, FDT_HEADER_SIZE_OF_ALL, *size);
    tree_set(blob, FDT_HEADER_STRUCTURE, structure);
    tree_set(blob, FDT_HEADER_STRINGS, strings);
    tree_set(blob, FDT_HEADER_RESERVATIONS, FDT_HEADER_SIZE);
    tree_set(blob, FDT_HEADER_VERSION, FDT_VERSION);
    tree_set(blob, FDT_HEADER_OLDEST_VERSION, FDT_OLDEST_VERSION);
    tree_set(blob, FDT_HEADER_STRINGS_SIZE, maker->strings_size);
    tree_set(blob, FDT_HEADER_STRUCTURE_SIZE, maker->structure_size);
    memcpy(&blob[structure], maker->structure, maker->structure_size);
    memcpy(&blob[strings], maker->strings, maker->strings_size);
    return blob;
}

uint8_t *tree_of_machine(uint32_t *size)
{
    struct tree_maker maker = {0};

    tree_begin(&maker, "");
    tree_text(&maker, "compatible", "made,board");
    tree_text(&maker, "serial-number", "4711");
    tree_property(&maker, "#address-cells", "\0\0\0\2", 4);
    tree_property(&maker, "#size-cells", "\0\0\0\2", 4);
    tree_begin(&maker, "memory@0");
    tree_text(&maker, "device_type", "memory");
    tree_property(&maker, "reg", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16);
    tree_end(&maker);
    tree_begin(&maker, "chosen");
    tree_text(&maker, "bootargs", "of the vendor");
    tree_end(&maker);
    tree_begin(&maker, "cpus");
    tree_begin(&maker, "cpu@3");
    tree_property(&maker, "phandle", "\0\0\0\3", 4);
    tree_text(&maker, "riscv,isa", "rv64imafdch");
    tree_text(&maker, "clocks", "vendor's");
    tree_end(&maker);
    tree_end(&maker);
    tree_begin(&maker, "soc");
    tree_begin(&maker, "serial@10000000");
    tree_property(&maker, "phandle", "\0\0\0\7", 4);
    tree_text(&maker, "local-mac-address", "fuse");
    tree_end(&maker);
    tree_word(&maker, FDT_NOTHING);
    tree_begin(&maker, "stranger@20000000");
    tree_begin(&maker, "below");
    tree_text(&maker, "compatible", "made,stranger");
    tree_end(&maker);
    tree_end(&maker);
    tree_end(&maker);
    tree_end(&maker);
    return tree_finish(&maker, size);
}

uint8_t *tree_of_plan(uint32_t *size)
{
    struct tree_maker maker = {0};

    tree_begin(&maker, "");
    tree_text(&maker, "compatible", "made,board");
    tree_text(&maker, "plan,same", "compatible");
    tree_begin(&maker, "chosen");
    tree_property(&maker, "plan,new", "", 0);
    tree_text(&maker, "bootargs", "ours");
    tree_end(&maker);
    tree_begin(&maker, "cpus");
    tree_property(&maker, "plan,needed", "", 0);
    tree_begin(&maker, "cpu@3");
    tree_text(&maker, "plan,name", "cpu@0");
    tree_property(&maker, "plan,needed", "", 0);
    tree_property(&maker, "phandle", "\0\0\0\3", 4);
    tree_text(&maker, "riscv,isa", "rv64imafdc");
    tree_property(&maker, "plan,same", "compatible\0phandle", 19);
    tree_property(&maker, "plan,drop", "nothing\0clocks", 15);
    tree_end(&maker);
    tree_end(&maker);
    tree_begin(&maker, "soc");
    tree_begin(&maker, "absent@30000000");
    tree_text(&maker, "status", "disabled");
    tree_end(&maker);
    tree_begin(&maker, "serial@10000000");
    tree_text(&maker, "status", "okay");
    tree_end(&maker);
    tree_begin(&maker, "virtio@40000000");
    tree_property(&maker, "plan,new", "", 0);
    tree_begin(&maker, "port");
    tree_text(&maker, "compatible", "made,port");
    tree_end(&maker);
    tree_end(&maker);
    tree_end(&maker);
    tree_end(&maker);
    return tree_finish(&maker, size);
}
