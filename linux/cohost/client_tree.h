/* SPDX-License-Identifier: BSD-2-Clause */
/* The tenants whose devices this one serves, as its device tree tells of them. */
#ifndef COHOST_CLIENT_TREE_H
#define COHOST_CLIENT_TREE_H

#include <stdbool.h>

#include "ranges.h"

#define CLIENT_NAME_SIZE 32

struct client {
    char name[CLIENT_NAME_SIZE];
    char port[CLIENT_NAME_SIZE]; /* of the virtual console, by which events come */
    struct range registers;      /* a page for each device */
    unsigned memory_count;
    struct range memory[COTENANT_HOSTED_MAX_RANGES];
};

/* Calls for each client, in the order of the tree. */
void client_tree_each(void (*call)(const struct client *client));

/* Fills in the client of a name. False: there is none. */
bool client_tree_find(const char *name, struct client *client);

#endif
