/* SPDX-License-Identifier: BSD-2-Clause */
#include "backend.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bounce.h"
#include "say.h"
#include "vhost_device.h"
#include "virtio_mmio.h"

#define RUNNING_SOCKET "socket:"
#define FORWARD "forward="
#define MOST_WORDS 32
/* Pauses of 20 ms until the back end listens. */
#define MOST_PAUSES 500

struct backend {
    struct vhost_way way;
    char *path; /* of its socket */
    /* The words of the command that starts it, NULL ends them; none: it runs already. */
    unsigned count;
    char *words[MOST_WORDS];
    pid_t child; /* 0: none */
};

static void add_word(struct backend *backend, const char *format, const char *value)
{
    if (backend->count == MOST_WORDS - 1 ||
        asprintf(&backend->words[backend->count++], format, value) < 0) {
        fail_start("there are too many options for a back end");
    }
}

/* Connects to a socket; -1: nobody listens there. */
static int try_connect(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    strcpy(address.sun_path, path); /* its length was checked */
    if (file >= 0 && connect(file, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        close(file);
        file = -1;
    }
    return file;
}

/* In the process of the back end; its signals are as usual again, and it ends with its parent. */
__attribute__((noreturn)) static void become(const struct backend *backend, pid_t parent)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setpgid(0, 0); /* Ctrl-C is for the guest */
    if (getppid() == parent) {
        execvp(backend->words[0], backend->words);
        fprintf(stderr, "cohost: cannot start %s: %s\n", backend->words[0], strerror(errno));
    }
    _exit(EXIT_NO_START);
}

/* Nothing of the process before is left that could write to the guest's memory. */
static void end_child(struct backend *backend)
{
    if (backend->child > 0) {
        kill(-backend->child, SIGKILL); /* virtiofsd is two */
        kill(backend->child, SIGKILL);
        waitpid(backend->child, NULL, 0);
    }
    backend->child = 0;
}

/* Starts a back end; returns a socket that is connected to it, -1: it does not serve. */
static int start(struct backend *backend)
{
    const struct timespec pause = {0, 20000000};
    pid_t parent = getpid();
    int file = -1;

    end_child(backend);
    unlink(backend->path);
    backend->child = fork();
    if (backend->child == 0) {
        become(backend, parent);
    }
    for (unsigned i = 0; i < MOST_PAUSES && file < 0 && backend->child > 0; i++) {
        nanosleep(&pause, NULL);
        file = try_connect(backend->path);
        if (file < 0 && waitpid(backend->child, NULL, WNOHANG) == backend->child) {
            backend->child = 0;
        }
    }
    unlink(backend->path);
    return file;
}

static int reach(struct vhost_way *way)
{
    struct backend *backend = (struct backend *)way; /* its first member */

    return backend->count == 0 ? try_connect(backend->path) : start(backend);
}

bool backend_is_named(const char *text)
{
    return strncmp(text, RUNNING_SOCKET, strlen(RUNNING_SOCKET)) == 0;
}

/* The back end that `text` names, or one whose words are still to be added. */
static struct backend *make(const char *name, const char *text)
{
    static unsigned number;
    struct backend *backend = calloc(1, sizeof(*backend));
    int length = -1;

    if (backend != NULL && backend_is_named(text)) {
        length = asprintf(&backend->path, "%s", text + strlen(RUNNING_SOCKET));
        name = backend->path;
    } else if (backend != NULL) {
        length = asprintf(&backend->path, "/run/cohost/.backend.%d.%u", (int)getpid(), number++);
    }
    if (length < 0) {
        fail_errno("find memory for", name);
    }
    if (strlen(backend->path) >= sizeof(((struct sockaddr_un *)NULL)->sun_path)) {
        fail_start("%s is too long for the name of a socket", backend->path);
    }
    backend->way = (struct vhost_way){name, reach};
    return backend;
}

void backend_add_disk(const char *file, bool readonly)
{
    struct backend *backend = make("qemu-storage-daemon", file);

    if (!backend_is_named(file)) {
        add_word(backend, "%s", "qemu-storage-daemon");
        add_word(backend, "%s", "--blockdev");
        add_word(backend,
                 readonly ? "driver=file,node-name=file,read-only=on,filename=%s"
                          : "driver=file,node-name=file,filename=%s",
                 file);
        add_word(backend, "%s", "--blockdev");
        add_word(backend, "driver=qcow2,node-name=disk,file=file%s",
                 readonly ? ",read-only=on" : "");
        add_word(backend, "%s", "--export");
        add_word(backend,
                 readonly ? "type=vhost-user-blk,id=disk,node-name=disk,addr.type=unix,addr.path=%s"
                          : "type=vhost-user-blk,id=disk,node-name=disk,writable=on,"
                            "addr.type=unix,addr.path=%s",
                 backend->path);
    }
    vhost_add_disk(&backend->way);
}

/* The options behind "user": ports that are forwarded. */
static void add_forwards(struct backend *backend, const char *options)
{
    char *text = strdup(options), *rest = text, *option;

    while (text != NULL && (option = strsep(&rest, ",")) != NULL) {
        if (*option == '\0') {
            continue;
        }
        if (strncmp(option, FORWARD, strlen(FORWARD)) != 0) {
            fail_start("--net user: %s is no option; forward=2222:22 is one", option);
        }
        add_word(backend, "%s", "--tcp-ports");
        add_word(backend, "%s", option + strlen(FORWARD));
    }
    free(text);
}

void backend_add_net(const char *options, const char *guest)
{
    struct backend *backend = make("passt", options);

    if (!backend_is_named(options)) {
        add_word(backend, "%s", "passt");
        add_word(backend, "%s", "--vhost-user");
        add_word(backend, "%s", "--foreground");
        add_word(backend, "%s", "--one-off");
        add_word(backend, "%s", "--quiet");
        add_word(backend, "%s", "--socket");
        add_word(backend, "%s", backend->path);
        add_forwards(backend, options);
    }
    vhost_add_net(&backend->way, guest);
}

void backend_add_share(const char *description)
{
    char *text = strdup(description), *tag = text == NULL ? NULL : strrchr(text, '=');
    struct backend *backend;

    if (tag == NULL || tag == text) {
        fail_start("--share %s: DIRECTORY=NAME is wanted", description);
    }
    *tag++ = '\0';
    backend = make("virtiofsd", text);
    if (!backend_is_named(text)) {
        add_word(backend, "%s", "/usr/libexec/virtiofsd");
        add_word(backend, "--shared-dir=%s", text);
        add_word(backend, "--socket-path=%s", backend->path);
    }
    if (virtio_is_elsewhere()) {
        bounce_add_share(&backend->way, tag);
    } else {
        vhost_add_share(&backend->way, tag);
    }
    free(text);
}
