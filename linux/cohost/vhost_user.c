/* SPDX-License-Identifier: BSD-2-Clause */
#include "vhost_user.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "now_ms.h"

enum {
    GET_FEATURES = 1,
    SET_FEATURES = 2,
    SET_OWNER = 3,
    SET_MEM_TABLE = 5,
    SET_VRING_NUM = 8,
    SET_VRING_ADDR = 9,
    SET_VRING_BASE = 10,
    GET_VRING_BASE = 11,
    SET_VRING_KICK = 12,
    SET_VRING_CALL = 13,
    GET_PROTOCOL_FEATURES = 15,
    SET_PROTOCOL_FEATURES = 16,
    SET_VRING_ENABLE = 18,
    GET_CONFIG = 24,
    SET_CONFIG = 25,
};

#define VERSION 1
#define VERSION_MASK 3
#define FLAG_REPLY 4
#define FLAG_NEED_REPLY 8

/* A bit of the features. */
#define FEATURE_PROTOCOL (1ull << 30)
/* Bits of the protocol's features. */
#define PROTOCOL_REPLY_ACK (1ull << 3)
#define PROTOCOL_CONFIG (1ull << 9)

#define MOST_CONFIGURATION 256
#define MOST_FILES 8
/* A back end that does not answer for so long has stopped. */
#define PATIENCE_MS 10000

struct vring_state {
    uint32_t index;
    uint32_t number;
};

struct vring_addresses {
    uint32_t index;
    uint32_t flags;
    uint64_t descriptors; /* these are addresses of this process */
    uint64_t used;
    uint64_t available;
    uint64_t log;
};

struct region {
    uint64_t guest_address;
    uint64_t size;
    uint64_t user_address;
    uint64_t file_offset;
};

struct configuration {
    uint32_t offset;
    uint32_t size;
    uint32_t flags;
    uint8_t bytes[MOST_CONFIGURATION];
};

struct message {
    uint32_t request;
    uint32_t flags;
    uint32_t size;
    union {
        uint64_t number;
        struct vring_state state;
        struct vring_addresses addresses;
        struct {
            uint32_t count;
            uint32_t padding;
            struct region regions[COTENANT_HOSTED_MAX_RANGES];
        } memory;
        struct configuration configuration;
    };
} __attribute__((packed, aligned(4)));

#define HEAD_SIZE offsetof(struct message, number)

static bool send_message(const struct vhost *vhost, const struct message *message, const int *files,
                         unsigned file_count)
{
    struct iovec bytes = {(void *)message, HEAD_SIZE + message->size};
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(MOST_FILES * sizeof(int))];
    } control = {.space = {0}};
    struct msghdr head = {.msg_iov = &bytes, .msg_iovlen = 1};
    ssize_t sent;

    if (file_count > 0) {
        head.msg_control = control.space;
        head.msg_controllen = CMSG_SPACE(file_count * sizeof(int));
        control.head.cmsg_level = SOL_SOCKET;
        control.head.cmsg_type = SCM_RIGHTS;
        control.head.cmsg_len = CMSG_LEN(file_count * sizeof(int));
        memcpy(CMSG_DATA(&control.head), files, file_count * sizeof(int));
    }
    do {
        sent = sendmsg(vhost->socket, &head, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)bytes.iov_len;
}

/* Reads exactly so many bytes before a moment. Files that come along are not taken. */
static bool read_all(const struct vhost *vhost, void *bytes, size_t size, int64_t deadline)
{
    uint8_t *next = bytes;

    while (size > 0) {
        struct pollfd wait = {.fd = vhost->socket, .events = POLLIN};
        int64_t left = deadline - now_ms();
        ssize_t count;

        if (left <= 0 || (poll(&wait, 1, (int)left) <= 0 && errno != EINTR)) {
            return false;
        }
        count = recv(vhost->socket, next, size, MSG_DONTWAIT);
        if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) {
            return false;
        }
        if (count > 0) {
            next += count;
            size -= (size_t)count;
        }
    }
    return true;
}

/* Reads the answer to a request, whose payload is of the given size. */
static bool read_reply(const struct vhost *vhost, struct message *message, uint32_t size)
{
    uint32_t request = message->request;
    int64_t deadline = now_ms() + PATIENCE_MS;

    return read_all(vhost, message, HEAD_SIZE, deadline) && message->request == request &&
           (message->flags & (VERSION_MASK | FLAG_REPLY)) == (VERSION | FLAG_REPLY) &&
           message->size == size && read_all(vhost, &message->number, size, deadline);
}

static struct message make(uint32_t request, uint32_t size)
{
    struct message message;

    memset(&message, 0, sizeof(message));
    message.request = request;
    message.flags = VERSION;
    message.size = size;
    return message;
}

/* Tells the back end something; where it can, it says that it has done so. */
static bool tell(const struct vhost *vhost, struct message *message, const int *files,
                 unsigned file_count)
{
    bool answers = (vhost->protocol_features & PROTOCOL_REPLY_ACK) != 0;

    message->flags |= answers ? FLAG_NEED_REPLY : 0;
    return send_message(vhost, message, files, file_count) &&
           (!answers ||
            (read_reply(vhost, message, sizeof(message->number)) && message->number == 0));
}

static bool tell_number(const struct vhost *vhost, uint32_t request, uint64_t number)
{
    struct message message = make(request, sizeof(number));

    message.number = number;
    return tell(vhost, &message, NULL, 0);
}

static bool tell_state(const struct vhost *vhost, uint32_t request, uint32_t index, uint32_t number)
{
    struct message message = make(request, sizeof(message.state));

    message.state = (struct vring_state){index, number};
    return tell(vhost, &message, NULL, 0);
}

/* An eventfd of a queue. */
static bool tell_file(const struct vhost *vhost, uint32_t request, uint32_t index, int file)
{
    struct message message = make(request, sizeof(message.number));

    message.number = index;
    return tell(vhost, &message, &file, 1);
}

static bool ask_number(const struct vhost *vhost, uint32_t request, uint64_t *number)
{
    struct message message = make(request, 0);

    if (!send_message(vhost, &message, NULL, 0) ||
        !read_reply(vhost, &message, sizeof(message.number))) {
        return false;
    }
    *number = message.number;
    return true;
}

static bool share_memory(const struct vhost *vhost)
{
    struct message message = make(SET_MEM_TABLE, 0);
    int files[COTENANT_HOSTED_MAX_RANGES];
    const struct memory *shared = vhost->memory;
    uint64_t offset = 0;

    message.memory.count = shared->count;
    message.size = (uint32_t)(offsetof(struct message, memory.regions) - HEAD_SIZE +
                              shared->count * sizeof(struct region));
    for (unsigned i = 0; i < shared->count; i++) {
        message.memory.regions[i] = (struct region){
            shared->ranges[i].address,
            shared->ranges[i].size,
            (uintptr_t)shared->bytes[i],
            offset,
        };
        files[i] = shared->file;
        offset += shared->ranges[i].size;
    }
    return tell(vhost, &message, files, shared->count);
}

bool vhost_open(struct vhost *vhost, int socket, const struct memory *shared, const char **why)
{
    uint64_t offered = 0;

    *vhost = (struct vhost){.socket = socket, .memory = shared};
    *why = "it does not answer as a vhost-user back end does";
    if (!ask_number(vhost, GET_FEATURES, &vhost->features)) {
        return false;
    }
    if ((vhost->features & FEATURE_PROTOCOL) != 0) {
        if (!ask_number(vhost, GET_PROTOCOL_FEATURES, &offered)) {
            return false;
        }
        offered &= PROTOCOL_REPLY_ACK | PROTOCOL_CONFIG;
        if (!tell_number(vhost, SET_PROTOCOL_FEATURES, offered)) {
            return false;
        }
        vhost->protocol_features = offered;
    }
    struct message owner = make(SET_OWNER, 0);

    if (!tell(vhost, &owner, NULL, 0)) {
        return false;
    }
    *why = "it does not take the guest's memory";
    return share_memory(vhost);
}

bool vhost_read_configuration(struct vhost *vhost, void *bytes, uint32_t size)
{
    struct message message =
        make(GET_CONFIG, (uint32_t)offsetof(struct configuration, bytes) + size);

    if ((vhost->protocol_features & PROTOCOL_CONFIG) == 0 || size > MOST_CONFIGURATION) {
        return false;
    }
    message.configuration.size = size;
    if (!send_message(vhost, &message, NULL, 0) ||
        !read_reply(vhost, &message, (uint32_t)offsetof(struct configuration, bytes) + size)) {
        return false;
    }
    memcpy(bytes, message.configuration.bytes, size);
    return true;
}

bool vhost_write_configuration(struct vhost *vhost, uint32_t offset, uint8_t byte)
{
    struct message message = make(SET_CONFIG, offsetof(struct configuration, bytes) + 1);

    message.configuration.offset = offset;
    message.configuration.size = 1;
    message.configuration.bytes[0] = byte;
    return (vhost->protocol_features & PROTOCOL_CONFIG) != 0 && tell(vhost, &message, NULL, 0);
}

bool vhost_set_features(struct vhost *vhost, uint64_t features)
{
    return tell_number(vhost, SET_FEATURES, features | (vhost->features & FEATURE_PROTOCOL));
}

bool vhost_start_queue(struct vhost *vhost, unsigned number, const struct vhost_queue *queue,
                       int kick, int call)
{
    struct message message = make(SET_VRING_ADDR, sizeof(message.addresses));

    message.addresses = (struct vring_addresses){
        .index = number,
        .descriptors = (uintptr_t)queue->descriptors,
        .used = (uintptr_t)queue->used,
        .available = (uintptr_t)queue->available,
    };
    return tell_state(vhost, SET_VRING_NUM, number, queue->size) &&
           tell_state(vhost, SET_VRING_BASE, number, queue->next) &&
           tell(vhost, &message, NULL, 0) && tell_file(vhost, SET_VRING_CALL, number, call) &&
           tell_file(vhost, SET_VRING_KICK, number, kick) &&
           ((vhost->features & FEATURE_PROTOCOL) == 0 ||
            tell_state(vhost, SET_VRING_ENABLE, number, 1));
}

bool vhost_stop_queue(struct vhost *vhost, unsigned number)
{
    struct message message = make(GET_VRING_BASE, sizeof(message.state));

    message.state.index = number;
    return send_message(vhost, &message, NULL, 0) &&
           read_reply(vhost, &message, sizeof(message.state));
}
