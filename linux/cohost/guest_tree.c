/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A guest has the CPUs and the PLIC that its host has (docs/abi/hosted.md says how many sources and
 * contexts), the memory that this process lends, and the devices on the bus.
 */
#include "guest_tree.h"

#include <libfdt.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "memory.h"
#include "say.h"

/* Values of phandle. */
#define PHANDLE_PLIC 1
#define PHANDLE_CPU 16 /* and above: the interrupt controllers of the CPUs */
/* Interrupts of a hart (privileged ISA, mcause). */
#define IRQ_SUPERVISOR_EXTERNAL 9
#define IRQ_MACHINE_EXTERNAL 11
#define SEED_SIZE 64

/* What makes a CPU what it is: bindings riscv/cpus.yaml and riscv/extensions.yaml. */
static const char *const cpu_properties[] = {
    "riscv,isa",
    "riscv,isa-base",
    "riscv,isa-extensions",
    "mmu-type",
    "riscv,cbom-block-size",
    "riscv,cboz-block-size",
    "riscv,cbop-block-size",
};

/* libfdt remembers no error: the first one of a sequence of calls is kept here. */
static int error;

static void keep(int result)
{
    if (error == 0 && result < 0) {
        error = result;
    }
}

static void begin(void *tree, const char *name)
{
    keep(fdt_begin_node(tree, name));
}

static void begin_at(void *tree, const char *name, uint64_t address)
{
    char full[64];

    snprintf(full, sizeof(full), "%s@%llx", name, (unsigned long long)address);
    begin(tree, full);
}

static void end(void *tree)
{
    keep(fdt_end_node(tree));
}

static void cell(void *tree, const char *name, uint32_t value)
{
    keep(fdt_property_u32(tree, name, value));
}

static void string(void *tree, const char *name, const char *value)
{
    keep(fdt_property_string(tree, name, value));
}

static void flag(void *tree, const char *name)
{
    keep(fdt_property(tree, name, NULL, 0));
}

static void reg(void *tree, struct range range)
{
    fdt64_t cells[2] = {cpu_to_fdt64(range.address), cpu_to_fdt64(range.size)};

    keep(fdt_property(tree, "reg", cells, sizeof(cells)));
}

/* Repeats a property of the host's; there may be none. */
static void repeat(void *tree, const struct host_tree *host, int node, const char *name)
{
    int length;
    const void *value = host_tree_property(host, node, name, &length);

    if (value != NULL) {
        keep(fdt_property(tree, name, value, length));
    }
}

static void two_cells(void *tree)
{
    cell(tree, "#address-cells", 2);
    cell(tree, "#size-cells", 2);
}

static void write_chosen(void *tree, const struct guest_tree_facts *facts)
{
    uint8_t seed[SEED_SIZE];
    char path[64];

    begin(tree, "chosen");
    string(tree, "bootargs", facts->arguments);
    if (bus_count > 0) {
        snprintf(path, sizeof(path), "/soc/%s@%llx", bus[0].node,
                 (unsigned long long)bus[0].range.address);
        string(tree, "stdout-path", path);
    }
    if (facts->initrd.size != 0) {
        keep(fdt_property_u64(tree, "linux,initrd-start", facts->initrd.address));
        keep(
            fdt_property_u64(tree, "linux,initrd-end", facts->initrd.address + facts->initrd.size));
    }
    /* Without a seed the guest's random numbers are slow for a long time. */
    if (getrandom(seed, sizeof(seed), 0) == sizeof(seed)) {
        keep(fdt_property(tree, "rng-seed", seed, sizeof(seed)));
    }
    end(tree);
}

static void write_cpu(void *tree, const struct host_tree *host, unsigned number)
{
    begin_at(tree, "cpu", number);
    string(tree, "device_type", "cpu");
    cell(tree, "reg", number);
    string(tree, "status", "okay");
    string(tree, "compatible", "riscv");
    for (size_t i = 0; i < sizeof(cpu_properties) / sizeof(cpu_properties[0]); i++) {
        repeat(tree, host, host->cpu_node, cpu_properties[i]);
    }
    begin(tree, "interrupt-controller");
    cell(tree, "#interrupt-cells", 1);
    flag(tree, "interrupt-controller");
    string(tree, "compatible", "riscv,cpu-intc");
    cell(tree, "phandle", PHANDLE_CPU + number);
    end(tree);
    end(tree);
}

static void write_cpus(void *tree, const struct guest_tree_facts *facts)
{
    begin(tree, "cpus");
    cell(tree, "#address-cells", 1);
    cell(tree, "#size-cells", 0);
    cell(tree, "timebase-frequency", facts->host->timebase);
    for (unsigned i = 0; i < facts->cpus; i++) {
        write_cpu(tree, facts->host, i);
    }
    end(tree);
}

static void write_memory(void *tree)
{
    for (unsigned i = 0; i < memory.count; i++) {
        begin_at(tree, "memory", memory.ranges[i].address);
        string(tree, "device_type", "memory");
        reg(tree, memory.ranges[i]);
        end(tree);
    }
}

static void write_plic(void *tree, const struct guest_tree_facts *facts)
{
    fdt32_t contexts[4 * COTENANT_HOSTED_SLOT_PAGES];
    const struct host_tree *host = facts->host;

    for (unsigned i = 0; i < facts->cpus; i++) {
        contexts[4 * i] = contexts[4 * i + 2] = cpu_to_fdt32(PHANDLE_CPU + i);
        contexts[4 * i + 1] = cpu_to_fdt32(IRQ_MACHINE_EXTERNAL);
        contexts[4 * i + 3] = cpu_to_fdt32(IRQ_SUPERVISOR_EXTERNAL);
    }
    begin_at(tree, "plic", host->plic.address);
    repeat(tree, host, host->plic_node, "compatible");
    reg(tree, host->plic);
    cell(tree, "#address-cells", 0);
    cell(tree, "#interrupt-cells", 1);
    flag(tree, "interrupt-controller");
    cell(tree, "riscv,ndev", COTENANT_HOSTED_SOURCES - 1);
    keep(fdt_property(tree, "interrupts-extended", contexts,
                      (int)(4 * facts->cpus * sizeof(*contexts))));
    cell(tree, "phandle", PHANDLE_PLIC);
    end(tree);
}

static void write_device(void *tree, const struct bus_device *device)
{
    begin_at(tree, device->node, device->range.address);
    string(tree, "compatible", device->compatible);
    reg(tree, device->range);
    cell(tree, "interrupts", device->source);
    cell(tree, "interrupt-parent", PHANDLE_PLIC);
    for (const struct bus_cell *own = device->cells; own != NULL && own->name != NULL; own++) {
        cell(tree, own->name, own->value);
    }
    end(tree);
}

/* The n-th serial port is the kernel's ttySn. */
static void write_aliases(void *tree)
{
    char name[16], path[64];
    unsigned serial = 0;

    begin(tree, "aliases");
    for (unsigned i = 0; i < bus_count; i++) {
        if (strcmp(bus[i].node, "serial") == 0) {
            snprintf(name, sizeof(name), "serial%u", serial++);
            snprintf(path, sizeof(path), "/soc/serial@%llx",
                     (unsigned long long)bus[i].range.address);
            string(tree, name, path);
        }
    }
    end(tree);
}

static void write_soc(void *tree, const struct guest_tree_facts *facts)
{
    begin(tree, "soc");
    two_cells(tree);
    string(tree, "compatible", "simple-bus");
    flag(tree, "ranges");
    write_plic(tree, facts);
    for (unsigned i = 0; i < bus_count; i++) {
        write_device(tree, &bus[i]);
    }
    end(tree);
}

void guest_tree_write(void *tree, const struct guest_tree_facts *facts)
{
    error = 0;
    /* To find a name that is there already takes longer than to write it again. */
    keep(fdt_create_with_flags(tree, GUEST_TREE_SIZE, FDT_CREATE_FLAG_NO_NAME_DEDUP));
    keep(fdt_finish_reservemap(tree));
    begin(tree, "");
    two_cells(tree);
    string(tree, "compatible", "cotenant,guest");
    string(tree, "model", "Cotenant guest");
    write_aliases(tree);
    write_chosen(tree, facts);
    write_cpus(tree, facts);
    write_memory(tree);
    write_soc(tree, facts);
    end(tree);
    keep(fdt_finish(tree));
    if (error != 0) {
        fail_start("the guest's device tree cannot be written: %s", fdt_strerror(error));
    }
}
