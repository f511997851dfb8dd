/* SPDX-License-Identifier: BSD-2-Clause */
/* The verb save: opens the file, and has the guest's process write it (save_port.h). */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "draft.h"
#include "running.h"
#include "save_port.h"
#include "say.h"
#include "unix_socket.h"
#include "verbs.h"

/* How long a guest may take to suspend itself, and to end. */
#define PATIENCE_MS 120000

static int connect_to(const struct request *request)
{
    char path[RUNNING_PATH_SIZE];
    int port;

    running_save_port(path, request->name);
    port = unix_socket_connect(path);
    if (port < 0 && errno == ENOENT) {
        fail(EXIT_REFUSED, "guest %s cannot be saved: a command of exec runs in it", request->name);
    }
    if (port < 0) {
        fail(EXIT_REFUSED, "guest %s cannot be reached: %s", request->name, strerror(errno));
    }
    return port;
}

/* Returns what the guest's process says; empty: nothing, and it is gone. */
static void hear(int port, char *answer)
{
    struct pollfd wait = {port, POLLIN, 0};
    ssize_t count = 0;

    if (poll(&wait, 1, PATIENCE_MS) > 0) {
        count = recv(port, answer, SAVE_ANSWER_SIZE - 1, 0);
    } else {
        snprintf(answer, SAVE_ANSWER_SIZE,
                 "it did not suspend itself. systemd does when its sleep key is pressed; elsewhere "
                 "type echo mem >/sys/power/state there meanwhile");
        return;
    }
    answer[count > 0 ? count : 0] = '\0';
}

int verb_save(const struct request *request)
{
    char answer[SAVE_ANSWER_SIZE];
    const uint8_t done = 1;
    struct running guest;
    int port, file;

    verb_find(request, &guest);
    port = connect_to(request);
    file = draft_open(request->file);
    if (file < 0) {
        fail(EXIT_REFUSED, "cannot write %s: %s", request->file, strerror(errno));
    }
    if (unix_socket_send_file(port, file) != 0) {
        fail(EXIT_REFUSED, "guest %s cannot be reached: %s", request->name, strerror(errno));
    }
    hear(port, answer);
    if (strcmp(answer, SAVE_OK) != 0) {
        fail(EXIT_REFUSED, "guest %s was not saved: %s", request->name,
             answer[0] == '\0' ? "it ended" : answer);
    }
    if (draft_keep(request->file) != 0) {
        fail(EXIT_REFUSED, "cannot write %s: %s", request->file, strerror(errno));
    }
    (void)!send(port, &done, sizeof(done), MSG_NOSIGNAL);
    (void)verb_wait_for_end(&guest);
    verb_say_done(request);
    return EXIT_DONE;
}
