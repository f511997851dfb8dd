/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef COHOST_VERBS_H
#define COHOST_VERBS_H

#include <stdbool.h>
#include <stdint.h>

#include "disk.h"
#include "net.h"
#include "running.h"

#define SHARES_MOST 2

/* What the command line asks for. */
struct request {
    const char *verb;
    const char *name; /* of the guest, or of the tenant to serve; NULL: none was given */
    uint64_t memory;  /* bytes */
    unsigned cpus;
    const char *kernel;
    const char *components; /* an image of the component OS instead; NULL: a kernel */
    const char *initrd;     /* NULL: none */
    const char *append;
    const char *disks[DISK_MOST];
    unsigned disk_count;
    const char *nets[NET_MOST];
    unsigned net_count;
    const char *shares[SHARES_MOST];
    unsigned share_count;
    bool console;          /* of a tenant to serve */
    bool no_reboot;        /* a reboot ends the guest */
    const char *dump_tree; /* NULL: not asked for */
    bool verbose;
    char **command;   /* of exec; ends with NULL */
    const char *file; /* of save and restore */
    uint64_t at;      /* where the guest's memory is to be; 0: anywhere */
};

/* Each returns the program's exit code. */
int verb_run(const struct request *request);
int verb_serve(const struct request *request);
int verb_list(const struct request *request);
int verb_stop(const struct request *request);
int verb_shutdown(const struct request *request);
int verb_console(const struct request *request);
int verb_signal(const struct request *request); /* pause and resume */
int verb_save(const struct request *request);
int verb_restore(const struct request *request);

/* The guest that a verb is about; ends the program if there is none. */
void verb_find(const struct request *request, struct running *guest);

/* Sends a signal to a guest's process; ends the program if that fails. False: it has ended. */
bool verb_send(const struct running *guest, int number);

/* Waits until a guest's process has ended. False: it takes too long. */
bool verb_wait_for_end(const struct running *guest);

/* Says that a verb about a guest has been carried out. */
void verb_say_done(const struct request *request);

#endif
