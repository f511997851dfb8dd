/* SPDX-License-Identifier: BSD-2-Clause */
/* What the user can ask for, one function a verb. Each returns if all went well. */
#ifndef COTENANTCTL_VERBS_H
#define COTENANTCTL_VERBS_H

#include <stdbool.h>
#include <stdint.h>

/* What the command line says behind the verb. */
struct request {
    const char *verb;
    const char *name;   /* of a tenant, or NULL */
    const char *file;   /* or NULL */
    const char *policy; /* watch */
    uint32_t within_us; /* watch; 0: as before */
    bool follow;        /* log: go on */
    bool history;       /* console: begin with what was printed before */
    uint32_t count;     /* top: samples, 0 without an end */
    uint32_t delay_ms;
};

void verb_version(const struct request *request);
void verb_list(const struct request *request);
void verb_top(const struct request *request);
void verb_command(const struct request *request); /* load without a file, start, stop... */
void verb_watch(const struct request *request);
void verb_load(const struct request *request);
void verb_console(const struct request *request);
void verb_log(const struct request *request);
void verb_trace(const struct request *request);
void verb_save(const struct request *request);
void verb_restore(const struct request *request);

#endif
