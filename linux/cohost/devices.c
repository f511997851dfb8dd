/* SPDX-License-Identifier: BSD-2-Clause */
#include "devices.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend.h"
#include "disk.h"
#include "net.h"
#include "rng.h"
#include "say.h"

#define READONLY ",readonly"
#define DIRECT ",direct"
#define CACHED ",cached"
#define USER "user"
/* What an image in the format qcow2 begins with. */
#define QCOW2 "QFI\xfb"
#define QCOW2_SIZE 4

struct disk_options {
    bool readonly, direct, cached;
};

/* Takes an option off the end of a text. False: it is not there. */
static bool take_option(char *text, const char *option)
{
    size_t length = strlen(text), size = strlen(option);
    bool found = length > size && strcmp(text + length - size, option) == 0;

    if (found) {
        text[length - size] = '\0';
    }
    return found;
}

/* A disk's file without the options behind it. */
static char *file_of(const char *description, struct disk_options *options)
{
    char *file = strdup(description);
    bool more = true;

    if (file == NULL) {
        fail_errno("find memory for", description);
    }
    *options = (struct disk_options){false, false, false};
    while (more) {
        bool readonly = take_option(file, READONLY), direct = take_option(file, DIRECT);
        bool cached = take_option(file, CACHED);

        options->readonly |= readonly;
        options->direct |= direct;
        options->cached |= cached;
        more = readonly || direct || cached;
    }
    return file;
}

/* Whether another process serves a disk: it is not raw. */
static bool is_served(const char *file)
{
    char magic[QCOW2_SIZE] = {0};
    int open_file = backend_is_named(file) ? -1 : open(file, O_RDONLY | O_CLOEXEC);

    if (open_file >= 0) {
        (void)!read(open_file, magic, sizeof(magic));
        close(open_file);
    }
    return backend_is_named(file) || memcmp(magic, QCOW2, QCOW2_SIZE) == 0;
}

/* The options of a network that another process serves; NULL: it is a tap device. */
static const char *served_net(const char *description)
{
    size_t length = strlen(USER);

    if (backend_is_named(description)) {
        return description;
    }
    return strncmp(description, USER, length) == 0 &&
                   (description[length] == '\0' || description[length] == ',')
               ? description + length
               : NULL;
}

static void add_disk(const char *description)
{
    struct disk_options options;
    char *file = file_of(description, &options);

    if (options.direct && options.cached) {
        fail_start("--disk %s: 'direct' and 'cached' exclude each other", description);
    }
    if (!is_served(file)) {
        disk_add(file, options.readonly,
                 options.cached   ? DISK_CACHED
                 : options.direct ? DISK_DIRECT
                                  : DISK_AS_POSSIBLE);
    } else if (options.direct || options.cached) {
        fail_start("--disk %s: '%s' is for disks that are raw", description,
                   options.direct ? "direct" : "cached");
    } else {
        backend_add_disk(file, options.readonly);
    }
    free(file);
}

bool devices_are_foreign(const struct request *request)
{
    bool foreign = false;

    for (unsigned i = 0; i < request->disk_count; i++) {
        struct disk_options options;
        char *file = file_of(request->disks[i], &options);

        foreign |= is_served(file);
        free(file);
    }
    for (unsigned i = 0; i < request->net_count; i++) {
        foreign |= served_net(request->nets[i]) != NULL;
    }
    return foreign;
}

bool devices_share_memory(const struct request *request)
{
    return request->share_count > 0 || devices_are_foreign(request);
}

void devices_add(const struct request *request, const char *guest)
{
    for (unsigned i = 0; i < request->disk_count; i++) {
        add_disk(request->disks[i]);
    }
    for (unsigned i = 0; i < request->net_count; i++) {
        const char *options = served_net(request->nets[i]);

        if (options != NULL) {
            backend_add_net(options, guest);
        } else {
            net_add(request->nets[i], guest);
        }
    }
    for (unsigned i = 0; i < request->share_count; i++) {
        backend_add_share(request->shares[i]);
    }
    rng_add();
}
