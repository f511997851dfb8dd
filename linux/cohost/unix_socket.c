/* SPDX-License-Identifier: BSD-2-Clause */
#include "unix_socket.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "say.h"

/* Room for a message with one file; aligned as its header is. */
union with_file {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

static int fill_in(struct sockaddr_un *address, const char *path, int flags)
{
    memset(address, 0, sizeof(*address));
    address->sun_family = AF_UNIX;
    if (strlen(path) >= sizeof(address->sun_path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address->sun_path, path);
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
}

int unix_socket_listen(const char *path, int most)
{
    struct sockaddr_un address;
    char beside[sizeof(address.sun_path) + 1];
    int file;

    snprintf(beside, sizeof(beside), "%s~", path);
    file = fill_in(&address, beside, SOCK_NONBLOCK);
    umask(0077);
    if (file < 0 || (unlink(beside) != 0 && errno != ENOENT) ||
        bind(file, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(file, most) != 0 || rename(beside, path) != 0) {
        fail_errno("listen at", path);
    }
    umask(0022);
    return file;
}

int unix_socket_connect(const char *path)
{
    struct sockaddr_un address;
    int file = fill_in(&address, path, 0);

    if (file >= 0 && connect(file, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        int reason = errno;

        close(file);
        errno = reason;
        return -1;
    }
    return file;
}

int unix_socket_send_file(int socket, int file)
{
    uint8_t byte = 0;
    struct iovec piece = {&byte, sizeof(byte)};
    union with_file room = {.bytes = {0}};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = room.bytes,
                             .msg_controllen = sizeof(room.bytes)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(file));
    memcpy(CMSG_DATA(header), &file, sizeof(file));
    return sendmsg(socket, &message, MSG_NOSIGNAL) == sizeof(byte) ? 0 : -1;
}

int unix_socket_receive_file(int socket)
{
    uint8_t byte;
    struct iovec piece = {&byte, sizeof(byte)};
    union with_file room;
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = room.bytes,
                             .msg_controllen = sizeof(room.bytes)};
    const struct cmsghdr *header;
    int file = -1;

    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != sizeof(byte)) {
        return -1;
    }
    header = CMSG_FIRSTHDR(&message);
    if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof(file))) {
        memcpy(&file, CMSG_DATA(header), sizeof(file));
    }
    return file;
}
