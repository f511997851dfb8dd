/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * suspend-key: suspends the system to RAM when KEY_SLEEP is pressed on any input device, as
 * systemd-logind does. For systems without that. It looks at the devices that are there when it
 * starts, goes into the background once no press can be missed any more, and runs until it is
 * killed.
 */
#include <fcntl.h>
#include <glob.h>
#include <linux/input.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#define MOST_DEVICES 16
#define PRESSED 1

/* A kernel that does not suspend now says why on its log, and the key can be pressed again. */
static void suspend(void)
{
    int file = open("/sys/power/state", O_WRONLY | O_CLOEXEC);

    if (file < 0 || write(file, "mem", 3) != 3)
        perror("suspend-key: /sys/power/state");
    if (file >= 0)
        close(file);
}

static int is_sleep_key(int device)
{
    struct input_event event;

    return read(device, &event, sizeof(event)) == sizeof(event) && event.type == EV_KEY &&
           event.code == KEY_SLEEP && event.value == PRESSED;
}

int main(void)
{
    struct pollfd devices[MOST_DEVICES];
    nfds_t count = 0;
    glob_t found;

    if (glob("/dev/input/event*", 0, NULL, &found) != 0) {
        fprintf(stderr, "suspend-key: no input device; load the modules evdev and virtio_input\n");
        return 1;
    }
    for (size_t i = 0; i < found.gl_pathc && count < MOST_DEVICES; i++) {
        int file = open(found.gl_pathv[i], O_RDONLY | O_CLOEXEC);

        if (file >= 0)
            devices[count++] = (struct pollfd){.fd = file, .events = POLLIN};
    }
    if (daemon(0, 1) != 0) {
        perror("suspend-key: daemon");
        return 1;
    }
    while (poll(devices, count, -1) > 0) {
        for (nfds_t i = 0; i < count; i++) {
            if ((devices[i].revents & POLLIN) != 0 && is_sleep_key(devices[i].fd))
                suspend();
        }
    }
    perror("suspend-key: poll");
    return 1;
}
