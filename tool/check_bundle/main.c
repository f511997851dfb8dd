/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The monitor's check of a bundle as a program of the machine that builds it, for monitors that are
 * built without the check: monitor/Makefile makes one for each choice of features, with the
 * monitor's own sources.
 *
 *   check-bundle MEMORY_SIZE    MEMORY_SIZE: of the monitor, bytes, in hexadecimal
 *
 * Reads struct bundle from its input. Exit status 0 if the monitor may have it; 1 if not: its
 * output names the field, as the monitor does.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "boot/check.h"
#include "features/virtio/type.h"

static struct bundle bundle;

/*
 * Virtual devices, of which only the kind is looked at. That the monitor has the feature of each is
 * the check of features.
 */
#define DEVICE(name)                                                                               \
    static const struct virtio_type name = {.kind = COTENANT_VIRTUAL_##name};                      \
    VIRTIO_TYPE(name)

DEVICE(NET);
DEVICE(CONSOLE);
DEVICE(INPUT);
DEVICE(SOCKET);
DEVICE(SERVED_NET);
DEVICE(SERVED_DISK);
DEVICE(SERVED_RNG);

static void print(const struct check_result *refusal)
{
    if (refusal->index == CHECK_NO_FEATURE) {
        fputs("features: this monitor is built without ", stdout);
    }
    fputs(refusal->problem, stdout);
    if (refusal->rule != 0) {
        printf(": %s", refusal->problem + refusal->rule);
    }
    if (refusal->index >= 0) {
        printf(" [%" PRId32 "]", refusal->index);
    }
    putchar('\n');
}

int main(int argc, char **argv)
{
    struct check_result result;

    if (argc != 2 || fread(&bundle, sizeof(bundle), 1, stdin) != 1) {
        fputs("usage: check-bundle MEMORY_SIZE < BUNDLE\n", stderr);
        return 2;
    }
    result = check_bundle(&bundle, strtoull(argv[1], NULL, 16));
    if (result.problem == NULL) {
        return 0;
    }
    print(&result);
    return 1;
}
