/* SPDX-License-Identifier: BSD-2-Clause */
#include "defaults.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "components.h"

#define OWN_KERNEL "/usr/lib/cohost/Image"
#define OWN_INITRD "/usr/lib/cohost/initrd"
/* As Debian names them. */
#define HOST_KERNEL "/boot/vmlinux-%s"
#define HOST_INITRD "/boot/initrd.img-%s"

#define NAME_SIZE 256
#define DEFAULT_MEMORY (128ull << 20)

/* This system's own file, if it is there. */
static const char *host_file(char *name, const char *format, const char *version)
{
    snprintf(name, NAME_SIZE, format, version);
    return access(name, R_OK) == 0 ? name : NULL;
}

void defaults_fill_in(struct request *request)
{
    static char kernel[NAME_SIZE], initrd[NAME_SIZE];
    const char *own_initrd = OWN_INITRD;
    struct utsname system;

    if (request->memory == 0) {
        request->memory = request->components != NULL ? COMPONENTS_MEMORY : DEFAULT_MEMORY;
    }
    if (request->components != NULL) {
        return;
    }
    if (request->kernel == NULL) {
        request->kernel = OWN_KERNEL;
        if (access(OWN_KERNEL, R_OK) != 0 && uname(&system) == 0 &&
            host_file(kernel, HOST_KERNEL, system.release) != NULL) {
            request->kernel = kernel;
            own_initrd = host_file(initrd, HOST_INITRD, system.release);
        }
        request->initrd = request->initrd == NULL ? own_initrd : request->initrd;
    }
    if (request->initrd != NULL && strcmp(request->initrd, "-") == 0) {
        request->initrd = NULL;
    }
}
