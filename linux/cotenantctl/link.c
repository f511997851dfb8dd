/* SPDX-License-Identifier: BSD-2-Clause */
#include "link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "say.h"

/* Bytes that are no answer, after which we give up. */
#define MOST_GARBAGE 65536

union link_data link_data;
uint32_t link_length;

static int port = -1;
static bool is_socket;
/* Bytes that were read and are not looked at yet: most answers come by one read. */
static uint8_t waiting[sizeof(struct control_answer) + COTENANT_CONTROL_MOST_DATA];
static size_t waiting_first, waiting_end;
static const char *port_name;
static unsigned limit; /* seconds */
static uint32_t last_tag;

static int64_t now_ms(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (strlen(path) >= sizeof(address.sun_path)) {
        fail(EXIT_NO_MONITOR, "the path of socket %s is too long", path);
    }
    strcpy(address.sun_path, path);
    if (descriptor < 0 ||
        connect(descriptor, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        fail(EXIT_NO_MONITOR, "cannot connect to %s: %s; does the system still run?", path,
             strerror(errno));
    }
    return descriptor;
}

void link_open(const char *path, unsigned seconds)
{
    struct stat status;

    port_name = path;
    limit = seconds;
    if (stat(path, &status) == 0 && S_ISSOCK(status.st_mode)) {
        port = connect_to(path);
        is_socket = true;
        if (fcntl(port, F_SETFL, O_NONBLOCK) < 0) {
            fail_errno("open", path);
        }
        return;
    }
    port = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (port < 0) {
        fail(EXIT_NO_MONITOR,
             "cannot open the control port %s: %s; the configuration of this tenant needs the key "
             "'control'",
             path, strerror(errno));
    }
}

static void wait_for(short events, int64_t deadline)
{
    struct pollfd wait = {.fd = port, .events = events};
    int64_t left = deadline - now_ms();

    if (left <= 0 || poll(&wait, 1, (int)left) == 0) {
        fail(EXIT_NO_MONITOR, "no answer on %s within %u s", port_name, limit);
    }
}

static void send_all(const void *bytes, size_t length, int64_t deadline)
{
    const uint8_t *next = bytes;

    while (length > 0) {
        ssize_t count =
            is_socket ? send(port, next, length, MSG_NOSIGNAL) : write(port, next, length);

        if (count < 0 && errno == EAGAIN) {
            wait_for(POLLOUT, deadline);
        } else if (count < 0 && errno != EINTR) {
            fail(EXIT_NO_MONITOR, "cannot write to %s: %s", port_name, strerror(errno));
        }
        if (count > 0) {
            next += count;
            length -= (size_t)count;
        }
    }
}

/* Waits until there is something, and reads what there is. */
static void read_more(int64_t deadline)
{
    ssize_t count = read(port, waiting, sizeof(waiting));

    if (count == 0) {
        fail(EXIT_NO_MONITOR, "%s was closed by the other end", port_name);
    }
    if (count < 0 && errno == EAGAIN) {
        wait_for(POLLIN, deadline);
    } else if (count < 0 && errno != EINTR) {
        fail(EXIT_NO_MONITOR, "cannot read from %s: %s", port_name, strerror(errno));
    }
    waiting_first = 0;
    waiting_end = count > 0 ? (size_t)count : 0;
}

static void receive_all(void *bytes, size_t length, int64_t deadline)
{
    uint8_t *next = bytes;

    while (length > 0) {
        size_t there = waiting_end - waiting_first;
        size_t count = there < length ? there : length;

        memcpy(next, waiting + waiting_first, count);
        waiting_first += count;
        next += count;
        length -= count;
        if (length > 0) {
            read_more(deadline);
        }
    }
}

/* Reads up to an answer's header: what stands in front of it is nothing for us. */
static void receive_header(struct control_answer *header, int64_t deadline)
{
    uint8_t *bytes = (uint8_t *)header;

    receive_all(header, sizeof(*header), deadline);
    for (unsigned dropped = 0; header->magic != COTENANT_CONTROL_MAGIC; dropped++) {
        if (dropped == MOST_GARBAGE) {
            fail(EXIT_NO_MONITOR, "what comes from %s is not the control protocol", port_name);
        }
        memmove(bytes, bytes + 1, sizeof(*header) - 1);
        receive_all(bytes + sizeof(*header) - 1, 1, deadline);
    }
    if (header->version != COTENANT_CONTROL_VERSION) {
        fail(EXIT_NO_MONITOR, "the monitor speaks version %u of the control protocol, not %u",
             header->version, COTENANT_CONTROL_VERSION);
    }
    if (header->length > COTENANT_CONTROL_MOST_DATA || header->status > COTENANT_CONTROL_REFUSED) {
        fail(EXIT_NO_MONITOR, "what comes from %s is no answer", port_name);
    }
}

uint16_t link_ask(uint8_t verb, uint32_t tenant, uint32_t item, uint64_t position, const void *data,
                  uint32_t length, uint32_t least)
{
    int64_t deadline = now_ms() + (int64_t)limit * 1000;
    struct {
        struct control_request header;
        uint8_t data[COTENANT_CONTROL_MOST_DATA];
    } request = {
        .header =
            {
                .magic = COTENANT_CONTROL_MAGIC,
                .version = COTENANT_CONTROL_VERSION,
                .verb = verb,
                .tag = ++last_tag,
                .length = length,
                .tenant = tenant,
                .item = item,
                .position = position,
            },
    };
    struct control_answer header;

    if (length != 0) {
        memcpy(request.data, data, length);
    }
    send_all(&request, sizeof(request.header) + length, deadline);
    do { /* the answer to a program that has not waited for it may come first */
        receive_header(&header, deadline);
        receive_all(link_data.bytes, header.length, deadline);
    } while (header.tag != last_tag || header.verb != verb);
    link_length = header.length;
    if (header.status == COTENANT_CONTROL_OK && link_length < least) {
        fail(EXIT_NO_MONITOR, "the monitor's answer is too short");
    }
    return header.status;
}
