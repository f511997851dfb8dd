/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * streamcheck PORT SEND RECEIVE [LONGEST]: opens a port of a virtual console, or a stream of
 * AF_VSOCK (vsock:CID:NUMBER connects, vsock:listen:NUMBER waits for somebody who does), and sends
 * SEND messages of stream_message.h while it receives RECEIVE of them, each at most LONGEST bytes
 * (512). Waits until the other end is open before it begins. Prints what went each way. Exit status
 * 0: all of it, and right; 1: something was wrong; 3: the other end hung up before the end.
 */
#include "common.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/vm_sockets.h> /* which needs sys/socket.h before it */

#include "stream_message.h"

#define LONGEST_AT_MOST 32768
#define LONGEST_DEFAULT 512
#define HUNG_UP 3

static int port;
static unsigned long to_send;
static unsigned long longest = LONGEST_DEFAULT;
static unsigned long sent;

/* The stream that a text such as vsock:4:1234 means. */
static int open_socket(const char *where)
{
    struct sockaddr_vm address = {.svm_family = AF_VSOCK, .svm_cid = VMADDR_CID_ANY};
    const char *number = strchr(where, ':');
    int stream = socket(AF_VSOCK, SOCK_STREAM, 0);

    if (number == NULL || stream < 0)
        return -1;
    address.svm_port = (unsigned)parse_number(number + 1);
    if (strncmp(where, "listen:", 7) == 0) {
        if (bind(stream, (struct sockaddr *)&address, sizeof(address)) != 0 ||
            listen(stream, 1) != 0)
            return -1;
        return accept(stream, NULL, NULL);
    }
    address.svm_cid = (unsigned)strtoul(where, NULL, 10);
    return connect(stream, (struct sockaddr *)&address, sizeof(address)) == 0 ? stream : -1;
}

/* A port without anybody at the other end reports POLLHUP at once. */
static void wait_for_other_end(void)
{
    struct pollfd poll_port = {.fd = port, .events = POLLOUT};

    while (poll(&poll_port, 1, -1) < 0 || (poll_port.revents & POLLHUP) != 0)
        usleep(1000);
}

static void *send_all(void *nothing)
{
    static uint64_t words[LONGEST_AT_MOST / 8];

    (void)nothing;
    for (; sent < to_send; sent++) {
        uint32_t length = stream_message_make(words, (uint32_t)sent, (uint32_t)longest);
        const uint8_t *next = (const uint8_t *)words;

        while (length > 0) {
            ssize_t count = write(port, next, length);

            if (count <= 0)
                give_up("write");
            next += count;
            length -= (uint32_t)count;
        }
    }
    return NULL;
}

/* Returns the exit status. */
static int receive(struct stream_receiver *receiver, unsigned long wanted, unsigned long *bytes)
{
    static uint8_t buffer[LONGEST_AT_MOST];

    while (receiver->number < wanted) {
        ssize_t count = read(port, buffer, sizeof(buffer));

        if (count == 0 || (count < 0 && (errno == ECONNRESET || errno == ENOTCONN)))
            return HUNG_UP;
        if (count < 0)
            give_up("read");
        *bytes += (unsigned long)count;
        if (!stream_receive(receiver, buffer, (uint32_t)count))
            return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct stream_receiver receiver = {0};
    unsigned long bytes = 0;
    pthread_t sender;
    int64_t begun;
    int status;

    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: streamcheck PORT SEND RECEIVE [LONGEST]\n");
        return 2;
    }
    to_send = parse_number(argv[2]);
    if (argc == 5)
        longest = parse_number(argv[4]);
    if (longest < 8 || longest > LONGEST_AT_MOST)
        return 2;
    receiver.longest = (uint32_t)longest;
    port = strncmp(argv[1], "vsock:", 6) == 0 ? open_socket(argv[1] + 6) : open(argv[1], O_RDWR);
    if (port < 0)
        give_up(argv[1]);
    wait_for_other_end();
    begun = now_ns();
    if (pthread_create(&sender, NULL, send_all, NULL) != 0)
        give_up("pthread_create");
    status = receive(&receiver, parse_number(argv[3]), &bytes);
    if (status == 0)
        pthread_join(sender, NULL);
    printf("streamcheck: sent=%lu received=%u bytes=%lu ns=%lld %s\n", sent, receiver.number, bytes,
           (long long)(now_ns() - begun),
           status == 0         ? "good"
           : status == HUNG_UP ? "hung up"
                               : "wrong");
    return status;
}
