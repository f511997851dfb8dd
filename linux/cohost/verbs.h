/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef COHOST_VERBS_H
#define COHOST_VERBS_H

#include <stdbool.h>
#include <stdint.h>

#include "disk.h"
#include "net.h"

#define SHARES_MOST 2

/* What the command line asks for. */
struct request {
    const char *verb;
    const char *name; /* of the guest, or of the tenant to serve; NULL: none was given */
    uint64_t memory;  /* bytes */
    unsigned cpus;
    const char *kernel;
    const char *initrd; /* NULL: none */
    const char *append;
    const char *disks[DISK_MOST];
    unsigned disk_count;
    const char *nets[NET_MOST];
    unsigned net_count;
    const char *shares[SHARES_MOST];
    unsigned share_count;
    bool no_reboot;        /* a reboot ends the guest */
    const char *dump_tree; /* NULL: not asked for */
    bool verbose;
    char **command; /* of exec; ends with NULL */
};

/* Each returns the program's exit code. */
int verb_run(const struct request *request);
int verb_serve(const struct request *request);
int verb_list(const struct request *request);
int verb_stop(const struct request *request);
int verb_console(const struct request *request);
int verb_signal(const struct request *request); /* pause and resume */

#endif
