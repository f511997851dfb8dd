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

#include "running.h"
#include "say.h"
#include "vhost_device.h"

#define RUNNING_SOCKET "socket:"
#define FORWARD "forward="
#define MOST_WORDS 32
/* Pauses of 20 ms until the back end listens. */
#define MOST_PAUSES 500

/* The words of a command; NULL ends them. */
struct words {
    unsigned count;
    char *all[MOST_WORDS];
};

static void add_word(struct words *words, const char *format, const char *value)
{
    if (words->count == MOST_WORDS - 1 ||
        asprintf(&words->all[words->count++], format, value) < 0) {
        fail_start("there are too many options for a back end");
    }
}

/* Connects to a socket; -1: nobody listens there. */
static int try_connect(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (strlen(path) >= sizeof(address.sun_path)) {
        fail_start("%s is too long for the name of a socket", path);
    }
    strcpy(address.sun_path, path);
    if (file >= 0 && connect(file, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        close(file);
        file = -1;
    }
    return file;
}

/* The path of a back end's socket: beside the guest's console. */
static const char *new_path(void)
{
    static char path[RUNNING_PATH_SIZE];
    static unsigned number;

    snprintf(path, sizeof(path), "/run/cohost/.backend.%d.%u", (int)getpid(), number++);
    unlink(path);
    return path;
}

/* In the process of the back end; its signals are as usual again, and it ends with its parent. */
__attribute__((noreturn)) static void become(const struct words *words, pid_t parent)
{
    sigset_t none;

    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    setpgid(0, 0); /* Ctrl-C is for the guest */
    if (getppid() == parent) {
        execvp(words->all[0], words->all);
        fprintf(stderr, "cohost: cannot start %s: %s\n", words->all[0], strerror(errno));
    }
    _exit(EXIT_NO_START);
}

/* Starts a back end; returns the socket that is connected to it. */
static int start(struct words *words, const char *path)
{
    const struct timespec pause = {0, 20000000};
    pid_t parent = getpid(), child = fork();
    int file = -1;

    if (child == 0) {
        become(words, parent);
    }
    if (child < 0) {
        fail_errno("start", words->all[0]);
    }
    for (unsigned i = 0; i < MOST_PAUSES && file < 0; i++) {
        nanosleep(&pause, NULL);
        file = try_connect(path);
        if (file < 0 && waitpid(child, NULL, WNOHANG) == child) {
            break;
        }
    }
    unlink(path);
    if (file < 0) {
        fail_start("%s does not serve the guest; is it installed?", words->all[0]);
    }
    return file;
}

/* The socket of a back end that runs; -1: none is named. */
static int running_backend(const char *text)
{
    int file;

    if (strncmp(text, RUNNING_SOCKET, strlen(RUNNING_SOCKET)) != 0) {
        return -1;
    }
    file = try_connect(text + strlen(RUNNING_SOCKET));
    if (file < 0) {
        fail_errno("connect to back end", text + strlen(RUNNING_SOCKET));
    }
    return file;
}

bool backend_is_named(const char *text)
{
    return strncmp(text, RUNNING_SOCKET, strlen(RUNNING_SOCKET)) == 0;
}

void backend_add_disk(const char *file, bool readonly)
{
    struct words words = {.count = 0};
    int socket = running_backend(file);

    if (socket < 0) {
        const char *path = new_path();

        add_word(&words, "%s", "qemu-storage-daemon");
        add_word(&words, "%s", "--blockdev");
        add_word(&words,
                 readonly ? "driver=file,node-name=file,read-only=on,filename=%s"
                          : "driver=file,node-name=file,filename=%s",
                 file);
        add_word(&words, "%s", "--blockdev");
        add_word(&words, "driver=qcow2,node-name=disk,file=file%s",
                 readonly ? ",read-only=on" : "");
        add_word(&words, "%s", "--export");
        add_word(&words,
                 readonly ? "type=vhost-user-blk,id=disk,node-name=disk,addr.type=unix,addr.path=%s"
                          : "type=vhost-user-blk,id=disk,node-name=disk,writable=on,"
                            "addr.type=unix,addr.path=%s",
                 path);
        socket = start(&words, path);
    }
    vhost_add_disk(file, socket);
}

/* The options behind "user": ports that are forwarded. */
static void add_forwards(struct words *words, const char *options)
{
    char *text = strdup(options), *rest = text, *option;

    while (text != NULL && (option = strsep(&rest, ",")) != NULL) {
        if (*option == '\0') {
            continue;
        }
        if (strncmp(option, FORWARD, strlen(FORWARD)) != 0) {
            fail_start("--net user: %s is no option; forward=2222:22 is one", option);
        }
        add_word(words, "%s", "--tcp-ports");
        add_word(words, "%s", option + strlen(FORWARD));
    }
    free(text);
}

void backend_add_net(const char *options, const char *guest)
{
    struct words words = {.count = 0};
    int socket = running_backend(options);

    if (socket < 0) {
        const char *path = new_path();

        add_word(&words, "%s", "passt");
        add_word(&words, "%s", "--vhost-user");
        add_word(&words, "%s", "--foreground");
        add_word(&words, "%s", "--one-off");
        add_word(&words, "%s", "--quiet");
        add_word(&words, "%s", "--socket");
        add_word(&words, "%s", path);
        add_forwards(&words, options);
        socket = start(&words, path);
    }
    vhost_add_net("passt", socket, guest);
}

void backend_add_share(const char *description)
{
    struct words words = {.count = 0};
    char *text = strdup(description), *tag = text == NULL ? NULL : strrchr(text, '=');
    int socket;

    if (tag == NULL || tag == text) {
        fail_start("--share %s: DIRECTORY=NAME is wanted", description);
    }
    *tag++ = '\0';
    socket = running_backend(text);
    if (socket < 0) {
        const char *path = new_path();

        add_word(&words, "%s", "/usr/libexec/virtiofsd");
        add_word(&words, "--shared-dir=%s", text);
        add_word(&words, "--socket-path=%s", path);
        socket = start(&words, path);
    }
    vhost_add_share("virtiofsd", socket, tag);
    free(text);
}
