/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The guests of this system that run: each has a file NAME in /run/cohost, which its process keeps
 * locked. A file without a lock is of a process that was killed. The file tells the guest's slot,
 * so a slot that no locked file tells is of such a process too, unless a guest is being started.
 */
#ifndef COHOST_RUNNING_H
#define COHOST_RUNNING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define RUNNING_NAME_SIZE 64
#define RUNNING_PATH_SIZE 256

struct running {
    char name[RUNNING_NAME_SIZE];
    pid_t pid;
    unsigned slot;
    uint32_t token;
    unsigned cpus;
    uint64_t memory;
};

/* Tells whether a guest can have the name. */
bool running_name_is_good(const char *name);

/* Makes sure that one cohost at a time starts a guest, until running_unlock. */
void running_lock(void);
void running_unlock(void);

/* Takes a name for this process; NULL: a free one is found. Ends the program if it is taken. */
void running_take_name(const char *name, struct running *self);

/* Writes what this process's guest is into its file. */
void running_publish(const struct running *self);

/* Where the console of a guest can be attached to. `path`: RUNNING_PATH_SIZE bytes. */
void running_console(char *path, const char *name);

/* Where the console of a served tenant can be attached to; the same size. */
void running_served_console(char *path, const char *tenant);

/* Where its process can be asked to save it (save_port.h); the same size. */
void running_save_port(char *path, const char *name);

/* Removes the files of this process's guest. */
void running_leave(void);

/* Calls for each guest. */
void running_each(void (*call)(const struct running *guest));

/* Removes the files of processes that are gone. Needs running_lock. */
void running_remove_stale(void);

/* Fills in the guest of a name. False: there is none. */
bool running_find(const char *name, struct running *guest);

#endif
