/* SPDX-License-Identifier: BSD-2-Clause */
#include "running.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine.h"
#include "say.h"

#define LOCK ".lock" /* no guest's name begins with a point */
#define MOST_NAMES 1000
/* And the guest's name: sockets. */
#define CONSOLE ".console."
#define SAVE_PORT ".save."
#define SERVED ".served."

static int lock_file = -1;
static int own_file = -1;
static struct running own;
static char own_path[RUNNING_PATH_SIZE];

bool running_name_is_good(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    size_t length = strlen(name);

    return length > 0 && length < RUNNING_NAME_SIZE && strspn(name, letters) == length &&
           name[0] != '.' && name[0] != '-';
}

static void make_path(char *path, const char *name)
{
    snprintf(path, RUNNING_PATH_SIZE, "%s/%s", machine_run_directory(), name);
}

void running_console(char *path, const char *name)
{
    snprintf(path, RUNNING_PATH_SIZE, "%s/" CONSOLE "%s", machine_run_directory(), name);
}

void running_served_console(char *path, const char *tenant)
{
    snprintf(path, RUNNING_PATH_SIZE, "%s/" SERVED "%s", machine_run_directory(), tenant);
}

void running_save_port(char *path, const char *name)
{
    snprintf(path, RUNNING_PATH_SIZE, "%s/" SAVE_PORT "%s", machine_run_directory(), name);
}

void running_lock(void)
{
    char path[RUNNING_PATH_SIZE];

    if (mkdir(machine_run_directory(), 0755) != 0 && errno != EEXIST) {
        fail_errno("make", machine_run_directory());
    }
    make_path(path, LOCK);
    lock_file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock_file < 0 || flock(lock_file, LOCK_EX) != 0) {
        fail_errno("lock", path);
    }
}

void running_unlock(void)
{
    close(lock_file);
}

/* Opens the file of a name and locks it; false: another process has it. */
static bool take(const char *name)
{
    struct stat status = {.st_nlink = 0};

    make_path(own_path, name);
    snprintf(own.name, sizeof(own.name), "%s", name);
    /* A process that ends, without the lock of all, may just have removed what was opened. */
    while (status.st_nlink == 0) {
        own_file = open(own_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (own_file < 0) {
            fail_errno("write", own_path);
        }
        if (flock(own_file, LOCK_EX | LOCK_NB) != 0 || fstat(own_file, &status) != 0) {
            close(own_file);
            own_file = -1;
            return false;
        }
        if (status.st_nlink == 0) {
            close(own_file);
        }
    }
    return ftruncate(own_file, 0) == 0;
}

void running_take_name(const char *name, struct running *self)
{
    if (name != NULL) {
        snprintf(self->name, sizeof(self->name), "%s", name);
        if (!take(name)) {
            fail_start("a guest %s runs already", name);
        }
        return;
    }
    for (unsigned i = 0; i < MOST_NAMES; i++) {
        snprintf(self->name, sizeof(self->name), "guest%u", i);
        if (take(self->name)) {
            return;
        }
    }
    fail_start("there are too many guests");
}

void running_publish(const struct running *self)
{
    char text[256];
    int length = snprintf(text, sizeof(text), "pid %d\nslot %u\ntoken %u\ncpus %u\nmemory %llu\n",
                          (int)self->pid, self->slot, self->token, self->cpus,
                          (unsigned long long)self->memory);

    /* At once: who reads it while the guest reboots finds the one or the other. */
    if (pwrite(own_file, text, (size_t)length, 0) != length || ftruncate(own_file, length) != 0) {
        fail_errno("write", own_path);
    }
}

static void remove_files(const struct running *guest)
{
    char path[RUNNING_PATH_SIZE];

    running_console(path, guest->name);
    unlink(path);
    running_save_port(path, guest->name);
    unlink(path);
    make_path(path, guest->name);
    unlink(path);
}

void running_leave(void)
{
    if (own_file >= 0) {
        remove_files(&own);
        close(own_file);
        own_file = -1;
    }
}

static bool parse(FILE *file, struct running *guest)
{
    unsigned long long memory;
    int pid;

    if (fscanf(file, "pid %d slot %u token %u cpus %u memory %llu", &pid, &guest->slot,
               &guest->token, &guest->cpus, &memory) != 5 ||
        pid <= 1) {
        return false;
    }
    guest->pid = pid;
    guest->memory = memory;
    return true;
}

/* Reads the file of a name. *alive: a process has it locked. False: there is no such guest. */
static bool read_file(const char *name, struct running *guest, bool *alive)
{
    char path[RUNNING_PATH_SIZE];
    FILE *file;
    bool good;

    make_path(path, name);
    file = fopen(path, "re");
    if (file == NULL) {
        return false;
    }
    *alive = flock(fileno(file), LOCK_SH | LOCK_NB) != 0;
    snprintf(guest->name, sizeof(guest->name), "%s", name);
    good = parse(file, guest);
    if (!*alive) {
        flock(fileno(file), LOCK_UN);
    }
    fclose(file);
    return good;
}

static int is_guest(const struct dirent *entry)
{
    return running_name_is_good(entry->d_name);
}

static void each(bool alive, void (*call)(const struct running *guest))
{
    struct dirent **entries;
    int count = scandir(machine_run_directory(), &entries, is_guest, alphasort);

    for (int i = 0; i < count; i++) {
        struct running guest = {.pid = 0};
        bool lives = false;
        bool good = read_file(entries[i]->d_name, &guest, &lives);

        if (lives == alive && (good || !alive)) {
            call(&guest);
        }
        free(entries[i]);
    }
    if (count >= 0) {
        free(entries);
    }
}

void running_each(void (*call)(const struct running *guest))
{
    each(true, call);
}

void running_remove_stale(void)
{
    each(false, remove_files);
}

bool running_find(const char *name, struct running *guest)
{
    bool alive;

    return running_name_is_good(name) && read_file(name, guest, &alive) && alive;
}
