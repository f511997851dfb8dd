/* SPDX-License-Identifier: BSD-2-Clause */
#include "host_tree.h"

#include <libfdt.h>
#include <string.h>

#include "machine.h"
#include "say.h"

#define HOSTED "cotenant,hosted"
#define GUEST_MEMORY "cotenant,guest-memory"

/* A number of one or two cells. */
static uint64_t read_cells(const fdt32_t *cells, int count)
{
    uint64_t number = 0;

    for (int i = 0; i < count; i++) {
        number = number << 32 | fdt32_to_cpu(cells[i]);
    }
    return number;
}

/* The first range of a node's `reg`. */
static struct range read_reg(const void *tree, int node, const char *what)
{
    int parent = fdt_parent_offset(tree, node);
    int address = fdt_address_cells(tree, parent), size = fdt_size_cells(tree, parent), length;
    const fdt32_t *cells = fdt_getprop(tree, node, "reg", &length);

    if (cells == NULL || address < 1 || address > 2 || size < 1 || size > 2 ||
        length < (address + size) * (int)sizeof(*cells)) {
        fail_start("the device tree of this system does not say where %s is", what);
    }
    return (struct range){read_cells(cells, address), read_cells(cells + address, size)};
}

static int find_plic(const void *tree)
{
    static const char *const names[] = {"riscv,plic0", "sifive,plic-1.0.0", "thead,c900-plic"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        int node = fdt_node_offset_by_compatible(tree, -1, names[i]);

        if (node >= 0) {
            return node;
        }
    }
    fail_start("the device tree of this system has no PLIC");
}

static uint32_t read_timebase(const void *tree, int cpu)
{
    int length, cpus = fdt_parent_offset(tree, cpu);
    const fdt32_t *cells = fdt_getprop(tree, cpus, "timebase-frequency", &length);

    if (cells == NULL) {
        cells = fdt_getprop(tree, cpu, "timebase-frequency", &length);
    }
    if (cells == NULL || length < (int)sizeof(*cells) || fdt32_to_cpu(*cells) == 0) {
        fail_start("the device tree of this system has no timebase-frequency");
    }
    return fdt32_to_cpu(*cells);
}

struct host_tree host_tree_read(void)
{
    const void *tree = machine_tree();
    struct host_tree host = {.tree = tree};
    int node;

    if (fdt_check_header(tree) != 0) {
        fail_start("the device tree of this system cannot be read");
    }
    node = fdt_node_offset_by_compatible(tree, -1, HOSTED);
    if (node < 0) {
        fail_start("this system cannot host guests: its device tree has no node %s; the "
                   "configuration of this tenant needs the key 'guests'",
                   HOSTED);
    }
    host.registers = read_reg(tree, node, HOSTED);
    node = fdt_node_offset_by_compatible(tree, -1, GUEST_MEMORY);
    if (node >= 0) {
        host.window = read_reg(tree, node, GUEST_MEMORY);
    }
    host.plic_node = find_plic(tree);
    host.plic = read_reg(tree, host.plic_node, "the PLIC");
    host.cpu_node = fdt_node_offset_by_prop_value(tree, -1, "device_type", "cpu", sizeof("cpu"));
    if (host.cpu_node < 0) {
        fail_start("the device tree of this system has no cpu");
    }
    host.timebase = read_timebase(tree, host.cpu_node);
    return host;
}

const void *host_tree_property(const struct host_tree *host, int node, const char *name,
                               int *length)
{
    const void *property = fdt_getprop(host->tree, node, name, length);

    if (property == NULL) {
        *length = 0;
    }
    return property;
}
