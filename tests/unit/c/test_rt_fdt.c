/* SPDX-License-Identifier: BSD-2-Clause */
/* The tenants' device tree reader: finds what is there, and survives whatever it is given. */
#include <stdlib.h>
#include <string.h>

#include "cmocka_tests.h"
#include "random.h"
#include "rt/fdt.h"

#define BLOB_SIZE 2048
#define HEADER_SIZE 40
#define STRUCTURE_OFFSET 64
#define STRINGS_OFFSET 1536
#define MUTATIONS 20000

/* A tree under construction. */
struct writer {
    uint8_t blob[BLOB_SIZE];
    uint32_t structure; /* bytes written */
    uint32_t strings;
};

static void put32(uint8_t *to, uint32_t value)
{
    to[0] = (uint8_t)(value >> 24);
    to[1] = (uint8_t)(value >> 16);
    to[2] = (uint8_t)(value >> 8);
    to[3] = (uint8_t)value;
}

static void token(struct writer *writer, uint32_t value)
{
    put32(writer->blob + STRUCTURE_OFFSET + writer->structure, value);
    writer->structure += 4;
}

static void bytes(struct writer *writer, const void *data, uint32_t length)
{
    memcpy(writer->blob + STRUCTURE_OFFSET + writer->structure, data, length);
    writer->structure += (length + 3) & ~3u;
}

static void begin(struct writer *writer, const char *name)
{
    token(writer, 1);
    bytes(writer, name, (uint32_t)strlen(name) + 1);
}

static void end(struct writer *writer)
{
    token(writer, 2);
}

static void property(struct writer *writer, const char *name, const void *data, uint32_t length)
{
    token(writer, 3);
    token(writer, length);
    token(writer, writer->strings);
    bytes(writer, data, length);
    memcpy(writer->blob + STRINGS_OFFSET + writer->strings, name, strlen(name) + 1);
    writer->strings += (uint32_t)strlen(name) + 1;
}

static void cells(struct writer *writer, const char *name, const uint32_t *values, uint32_t count)
{
    uint8_t data[64];

    for (uint32_t i = 0; i < count; i++) {
        put32(data + (size_t)i * 4, values[i]);
    }
    property(writer, name, data, count * 4);
}

static void header(struct writer *writer)
{
    const uint32_t fields[] = {
        0xd00dfeed, BLOB_SIZE, STRUCTURE_OFFSET, STRINGS_OFFSET,   HEADER_SIZE, 17,
        16,         0,         writer->strings,  writer->structure};

    for (uint32_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        put32(writer->blob + (size_t)i * 4, fields[i]);
    }
}

/* A small machine: cpus, memory with 64-bit cells, a soc with 32-bit cells and a UART. */
static void build(struct writer *writer)
{
    memset(writer, 0, sizeof(*writer));
    begin(writer, "");
    cells(writer, "#address-cells", (const uint32_t[]){2}, 1);
    cells(writer, "#size-cells", (const uint32_t[]){2}, 1);
    begin(writer, "cpus");
    cells(writer, "timebase-frequency", (const uint32_t[]){10000000}, 1);
    begin(writer, "cpu@1");
    token(writer, 4);
    begin(writer, "interrupt-controller");
    cells(writer, "phandle", (const uint32_t[]){7}, 1);
    end(writer);
    end(writer);
    end(writer);
    begin(writer, "memory@90000000");
    cells(writer, "reg", (const uint32_t[]){1, 0x90000000, 0, 0x400000}, 4);
    end(writer);
    begin(writer, "soc");
    cells(writer, "#address-cells", (const uint32_t[]){1}, 1);
    cells(writer, "#size-cells", (const uint32_t[]){1}, 1);
    begin(writer, "serial@10000000");
    property(writer, "compatible", "vendor,uart\0ns16550a", 21);
    cells(writer, "reg", (const uint32_t[]){0x10000000, 0x100}, 2);
    end(writer);
    end(writer);
    begin(writer, "chosen");
    property(writer, "bootargs", "report=1s", 10);
    property(writer, "unended", "text", 4);
    end(writer);
    end(writer);
    token(writer, 9);
    header(writer);
}

static void test_finds_nodes_and_properties(void **state)
{
    struct writer writer;
    struct fdt fdt;
    struct fdt_node node;
    uint32_t value;

    (void)state;
    build(&writer);
    assert_true(fdt_open(&fdt, writer.blob));
    assert_true(fdt_find(&fdt, "/", &node));
    assert_true(fdt_find(&fdt, "/cpus", &node));
    assert_true(fdt_cell(&fdt, &node, "timebase-frequency", 0, &value));
    assert_int_equal(value, 10000000);
    assert_false(fdt_cell(&fdt, &node, "timebase-frequency", 1, &value));
    assert_false(fdt_cell(&fdt, &node, "phandle", 0, &value));
    assert_true(fdt_find(&fdt, "/cpus/cpu@1/interrupt-controller", &node));
    assert_true(fdt_cell(&fdt, &node, "phandle", 0, &value));
    assert_int_equal(value, 7);
    assert_true(fdt_find(&fdt, "/cpus/cpu/interrupt-controller", &node));
    assert_false(fdt_find(&fdt, "/cpus/cpu@10", &node));
    assert_false(fdt_find(&fdt, "/cpus/cpu@", &node));
    assert_false(fdt_find(&fdt, "/interrupt-controller", &node));
    assert_false(fdt_find(&fdt, "/memory/reg", &node));
}

static void test_reads_addresses_by_the_cells_of_the_parent(void **state)
{
    struct writer writer;
    struct fdt fdt;
    struct fdt_node node;
    uint64_t base;
    uint64_t size;

    (void)state;
    build(&writer);
    assert_true(fdt_open(&fdt, writer.blob));
    assert_true(fdt_find(&fdt, "/memory", &node));
    assert_true(fdt_reg(&fdt, &node, &base, &size));
    assert_true(base == 0x190000000 && size == 0x400000);
    assert_true(fdt_find_compatible(&fdt, "ns16550a", &node));
    assert_true(fdt_reg(&fdt, &node, &base, &size));
    assert_true(base == 0x10000000 && size == 0x100);
    assert_true(fdt_find_compatible(&fdt, "vendor,uart", &node));
    assert_false(fdt_find_compatible(&fdt, "ns16550", &node));
    assert_true(fdt_find(&fdt, "/chosen", &node));
    assert_false(fdt_reg(&fdt, &node, &base, &size));
}

static void test_reads_texts_that_end(void **state)
{
    struct writer writer;
    struct fdt fdt;
    struct fdt_node node;

    (void)state;
    build(&writer);
    assert_true(fdt_open(&fdt, writer.blob));
    assert_true(fdt_find(&fdt, "/chosen", &node));
    assert_string_equal(fdt_text(&fdt, &node, "bootargs"), "report=1s");
    assert_null(fdt_text(&fdt, &node, "unended"));
    assert_null(fdt_text(&fdt, &node, "absent"));
}

static void test_refuses_what_is_no_tree(void **state)
{
    struct writer writer;
    struct fdt fdt;
    struct fdt_node node;

    (void)state;
    assert_false(fdt_open(&fdt, NULL));
    assert_false(fdt_find(&fdt, "/", &node));
    for (uint32_t field = 0; field < 10; field++) {
        build(&writer);
        put32(writer.blob + (size_t)field * 4, 0x7fffffff);
        /* Reserved memory, compatible version, boot hart and version are not looked at. */
        assert_int_equal(fdt_open(&fdt, writer.blob), field >= 4 && field <= 7);
    }
}

static void use_everything(const uint8_t *blob)
{
    struct fdt fdt;
    struct fdt_node node;
    uint64_t base;
    uint64_t size;
    uint32_t value;

    if (!fdt_open(&fdt, blob)) {
        return;
    }
    if (fdt_find(&fdt, "/cpus/cpu@1/interrupt-controller", &node)) {
        fdt_cell(&fdt, &node, "phandle", 0, &value);
    }
    if (fdt_find_compatible(&fdt, "ns16550a", &node)) {
        fdt_reg(&fdt, &node, &base, &size);
    }
    if (fdt_find(&fdt, "/chosen", &node)) {
        fdt_text(&fdt, &node, "bootargs");
    }
}

/* Random damage; the sanitizers watch each access. The blob is as large as its header says. */
static void test_survives_damage(void **state)
{
    struct writer writer;
    uint8_t *blob = malloc(BLOB_SIZE);
    struct random random = {.state = 1};

    (void)state;
    assert_non_null(blob);
    build(&writer);
    for (unsigned i = 0; i < MUTATIONS; i++) {
        memcpy(blob, writer.blob, BLOB_SIZE);
        for (unsigned change = 0; change < 1 + i % 4; change++) {
            uint32_t place = 8 + random_below(&random, STRUCTURE_OFFSET + writer.structure - 8);

            blob[place] = (uint8_t)random_next(&random);
        }
        use_everything(blob);
    }
    free(blob);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_nodes_and_properties),
        cmocka_unit_test(test_reads_addresses_by_the_cells_of_the_parent),
        cmocka_unit_test(test_reads_texts_that_end),
        cmocka_unit_test(test_refuses_what_is_no_tree),
        cmocka_unit_test(test_survives_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
