/* SPDX-License-Identifier: BSD-2-Clause */
#include "save_port.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "guest.h"
#include "now_ms.h"
#include "power_keys.h"
#include "unix_socket.h"

#define NOBODY (-1)
#define PATIENCE_S 2

/* A system that boots may miss the key; then it is pressed again. */
#define PRESS_AGAIN_MS 5000

enum { POLL_LISTEN, POLL_CLIENT, POLL_SUSPENDED };

const char *(*save_port_write)(int file, uint32_t presses);

static struct {
    int listener, client, file;
    bool written; /* and the client has been told so */
    /* How often the guest will suspend itself because its key was pressed, at most. */
    uint32_t presses;
    int64_t pressed_at; /* when it was tried last */
} port = {.listener = NOBODY, .client = NOBODY, .file = NOBODY};

void save_port_open(const char *path, uint32_t presses)
{
    port.presses = presses;
    port.listener = path == NULL ? NOBODY : unix_socket_listen(path, 1);
}

void save_port_forget_presses(void)
{
    port.presses = 0;
}

void save_port_prepare(struct pollfd *wait)
{
    bool idle = port.client == NOBODY;

    wait[POLL_LISTEN] = (struct pollfd){idle ? port.listener : NOBODY, POLLIN, 0};
    wait[POLL_CLIENT] = (struct pollfd){port.client, POLLIN, 0};
    wait[POLL_SUSPENDED] = (struct pollfd){guest_suspend_event(), POLLIN, 0};
}

bool save_port_has_saved(void)
{
    return port.written;
}

int save_port_patience(void)
{
    return port.client == NOBODY || port.written ? -1 : PRESS_AGAIN_MS;
}

static void dismiss(void)
{
    close(port.client);
    port.client = NOBODY;
    if (port.file != NOBODY) {
        close(port.file);
        port.file = NOBODY;
    }
    port.written = false;
}

static void save(void)
{
    const char *error = save_port_write(port.file, port.presses);
    char answer[SAVE_ANSWER_SIZE];

    snprintf(answer, sizeof(answer), "%s", error == NULL ? SAVE_OK : error);
    port.written = send(port.client, answer, strlen(answer), MSG_NOSIGNAL) > 0 && error == NULL;
    if (!port.written) {
        dismiss();
        guest_wake();
    }
}

static void press(void)
{
    port.pressed_at = now_ms();
    port.presses += power_keys_press_sleep();
}

/* It was asked for, or it answers a key that was pressed once too often. */
static void see_suspended(void)
{
    bool expected = port.presses > 0;

    port.presses -= expected;
    if (port.client != NOBODY) {
        save();
    } else if (expected) {
        guest_wake();
    }
}

static void accept_client(void)
{
    const struct timeval patience = {.tv_sec = PATIENCE_S};

    port.client = accept4(port.listener, NULL, NULL, SOCK_CLOEXEC);
    if (port.client == NOBODY) {
        return;
    }
    setsockopt(port.client, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    port.file = unix_socket_receive_file(port.client);
    if (port.file == NOBODY) {
        dismiss();
    } else if (guest_has_suspended()) {
        see_suspended();
    } else if (guest_suspended() != NULL) {
        save();
    } else {
        press();
    }
}

/* The client has renamed the file, or it has gone. */
static void hear_client(void)
{
    uint8_t byte;
    bool saved =
        recv(port.client, &byte, sizeof(byte), MSG_DONTWAIT) == sizeof(byte) && port.written;

    if (saved) {
        guest_end(GUEST_SAVED);
    } else if (port.written) {
        guest_wake();
    }
    dismiss();
}

void save_port_serve(const struct pollfd *wait)
{
    bool waits = port.client != NOBODY && !port.written, served = false;

    for (unsigned i = 0; i < SAVE_POLLS; i++) {
        served |= wait[i].revents != 0;
    }
    if (wait[POLL_CLIENT].revents != 0) {
        hear_client();
    }
    if (wait[POLL_SUSPENDED].revents != 0 && guest_has_suspended()) {
        see_suspended();
    }
    if (wait[POLL_LISTEN].revents != 0) {
        accept_client();
    }
    if (waits && !served && now_ms() >= port.pressed_at + PRESS_AGAIN_MS) {
        press();
    }
}
