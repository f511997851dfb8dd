/* SPDX-License-Identifier: BSD-2-Clause */
#include "client_tree.h"

#include <libfdt.h>
#include <string.h>

#include "machine.h"
#include "say.h"

#define SERVED "cotenant,served"
/* An address and a size, of two cells each: the tree's own rule for these nodes. */
#define RANGE_CELLS 4

static uint64_t read_pair(const fdt32_t *cells)
{
    return (uint64_t)fdt32_to_cpu(cells[0]) << 32 | fdt32_to_cpu(cells[1]);
}

static struct range read_range(const fdt32_t *cells)
{
    return (struct range){read_pair(cells), read_pair(cells + 2)};
}

static bool read_text(const void *tree, int node, const char *name, char text[CLIENT_NAME_SIZE])
{
    int length;
    const char *value = fdt_getprop(tree, node, name, &length);

    if (value == NULL || length < 2 || length > CLIENT_NAME_SIZE || value[length - 1] != '\0') {
        return false;
    }
    memcpy(text, value, (size_t)length);
    return true;
}

static void read_client(const void *tree, int node, struct client *client)
{
    int length, count;
    const fdt32_t *cells = fdt_getprop(tree, node, "reg", &length);

    *client = (struct client){.memory_count = 0};
    count = cells == NULL ? 0 : length / (RANGE_CELLS * (int)sizeof(*cells));
    if (count < 2 || count > 1 + COTENANT_HOSTED_MAX_RANGES ||
        !read_text(tree, node, "label", client->name) ||
        !read_text(tree, node, "cotenant,port", client->port)) {
        fail_start("the device tree of this system does not say what there is to serve");
    }
    client->registers = read_range(cells);
    client->memory_count = (unsigned)count - 1;
    for (unsigned i = 0; i < client->memory_count; i++) {
        client->memory[i] = read_range(cells + (i + 1) * RANGE_CELLS);
    }
}

void client_tree_each(void (*call)(const struct client *client))
{
    const void *tree = machine_tree();
    int node = fdt_node_offset_by_compatible(tree, -1, SERVED);

    for (; node >= 0; node = fdt_node_offset_by_compatible(tree, node, SERVED)) {
        struct client client;

        read_client(tree, node, &client);
        call(&client);
    }
}

static struct {
    const char *name;
    struct client *client;
    bool found;
} search;

static void compare(const struct client *client)
{
    if (strcmp(client->name, search.name) == 0) {
        *search.client = *client;
        search.found = true;
    }
}

bool client_tree_find(const char *name, struct client *client)
{
    search.name = name;
    search.client = client;
    search.found = false;
    client_tree_each(compare);
    return search.found;
}
