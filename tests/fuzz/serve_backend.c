/* SPDX-License-Identifier: BSD-2-Clause */
#include "serve_backend.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Requests of vhost-user that mean something here (docs/interop/vhost-user.rst of QEMU). */
enum {
    GET_FEATURES = 1,
    SET_MEM_TABLE = 5,
    SET_VRING_ADDR = 9,
    SET_VRING_KICK = 12,
    SET_VRING_CALL = 13,
    GET_PROTOCOL_FEATURES = 15,
};

#define REPLY 5 /* version 1, and that it is one */
#define FLAG_NEED_REPLY 8
#define FEATURES (1ull << 30 | 1ull << 32)
#define PROTOCOL_REPLY_ACK (1ull << 3)
#define QUEUES 2
#define RING 2
#define MOST_FILES 8
#define TURN_MS 1

struct ring {
    uint16_t flags, index, heads[RING];
};

struct used {
    uint16_t flags, index;
    struct {
        uint32_t head, length;
    } elements[RING];
};

struct descriptor {
    uint64_t address;
    uint32_t length;
    uint16_t flags, next;
};

static struct {
    int listener;
    int socket;
    uint64_t state; /* of the random numbers: of this thread alone */
    atomic_int manner;
    bool keeps_rules;  /* in this connection */
    bool keeps_format; /* of messages, in the first one: the program has to start */
    /* The thread is one of the process that it serves: addresses are the same. */
    uint64_t memory_address, memory_size;
    uint8_t *memory;
    struct queue {
        struct descriptor *descriptors;
        struct ring *available;
        struct used *used;
        int kick, call;
        uint16_t next;
    } queues[QUEUES];
} backend;

struct message {
    uint32_t request, flags, size;
    union {
        uint64_t number;
        struct {
            uint32_t index, flags;
            uint64_t descriptors, used, available, log;
        } rings;
        struct {
            uint32_t count, padding;
            uint64_t address, size, user, offset;
        } memory;
        uint8_t bytes[512];
    };
} __attribute__((packed, aligned(4)));

#define HEAD_SIZE 12

static uint32_t draw(uint32_t below)
{
    backend.state ^= backend.state << 13;
    backend.state ^= backend.state >> 7;
    backend.state ^= backend.state << 17;
    return (uint32_t)(backend.state >> 32) % below;
}

static bool whim(uint32_t one_in)
{
    return !backend.keeps_rules && draw(one_in) == 0;
}

static void replace(int *file, int other)
{
    if (*file >= 0) {
        close(*file);
    }
    *file = other;
}

/* Receives a message and at most one file with it. False: the connection has ended. */
static bool receive(struct message *message, int *file)
{
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(MOST_FILES * sizeof(int))];
    } control;
    struct iovec head = {message, HEAD_SIZE};
    struct msghdr received = {
        .msg_iov = &head,
        .msg_iovlen = 1,
        .msg_control = control.space,
        .msg_controllen = sizeof(control),
    };
    const struct cmsghdr *files;

    *file = -1;
    if (recvmsg(backend.socket, &received, MSG_WAITALL | MSG_CMSG_CLOEXEC) != HEAD_SIZE) {
        return false;
    }
    files = CMSG_FIRSTHDR(&received);
    if (files != NULL && files->cmsg_type == SCM_RIGHTS) {
        memcpy(file, CMSG_DATA(files), sizeof(*file));
    }
    return message->size <= sizeof(message->bytes) &&
           (message->size == 0 || recv(backend.socket, message->bytes, message->size,
                                       MSG_WAITALL) == (ssize_t)message->size);
}

/* Mostly as it should be; of any length, with anything in it, and late. */
static void reply(struct message *message, uint64_t number)
{
    size_t size = HEAD_SIZE + sizeof(number);

    message->flags = REPLY;
    message->size = sizeof(number);
    message->number = number;
    if (!backend.keeps_format && whim(50)) {
        ((uint8_t *)message)[draw((uint32_t)size)] = (uint8_t)draw(256);
    }
    if (!backend.keeps_format && whim(100)) {
        size = draw(sizeof(*message));
    }
    if (backend.keeps_format || !whim(2000)) { /* silence takes the other side seconds */
        (void)!send(backend.socket, message, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
}

static void obey(struct message *message, int file)
{
    struct queue *queue = &backend.queues[message->rings.index % QUEUES];
    uint64_t answer = 0;

    switch (message->request) {
    case SET_MEM_TABLE:
        backend.memory_address = message->memory.address;
        backend.memory_size = message->memory.size;
        backend.memory = (uint8_t *)message->memory.user;
        break;
    case SET_VRING_ADDR:
        queue->descriptors = (struct descriptor *)message->rings.descriptors;
        queue->available = (struct ring *)message->rings.available;
        queue->used = (struct used *)message->rings.used;
        queue->next = 0;
        break;
    case SET_VRING_KICK:
        replace(&queue->kick, file);
        file = -1;
        break;
    case SET_VRING_CALL:
        replace(&queue->call, file);
        file = -1;
        break;
    default:
        break;
    }
    replace(&file, -1);
    if (message->request == GET_FEATURES || message->request == GET_PROTOCOL_FEATURES) {
        answer = message->request == GET_FEATURES ? FEATURES : PROTOCOL_REPLY_ACK;
        reply(message, answer);
    } else if ((message->flags & FLAG_NEED_REPLY) != 0) {
        reply(message, !backend.keeps_format && whim(100));
    }
}

static void ring_call(const struct queue *queue)
{
    const uint64_t one = 1;

    (void)!write(queue->call, &one, sizeof(one));
}

/* Fills the parts of a request that are for an answer, and returns their length. */
static uint32_t fill(const struct queue *queue)
{
    uint32_t length = 0;

    for (unsigned i = 0; i < RING; i++) {
        const struct descriptor *piece = &queue->descriptors[i];
        uint64_t offset = piece->address - backend.memory_address;

        if ((piece->flags & 2) != 0 && offset < backend.memory_size &&
            piece->length <= backend.memory_size - offset) {
            memset(backend.memory + offset, SERVE_BACKEND_ANSWER, piece->length);
            length += piece->length;
        }
        if ((piece->flags & 1) == 0) {
            break;
        }
    }
    return length;
}

static void answer(struct queue *queue)
{
    uint32_t length;

    if (__atomic_load_n(&queue->available->index, __ATOMIC_ACQUIRE) == queue->next) {
        return;
    }
    length = fill(queue);
    queue->used->elements[queue->next % RING].head = whim(10) ? draw(UINT32_MAX) : 0;
    queue->used->elements[queue->next % RING].length = whim(4) ? draw(UINT32_MAX) : length;
    queue->next++;
    __atomic_store_n(&queue->used->index, queue->next, __ATOMIC_RELEASE);
    ring_call(queue);
}

/* Stores anything anywhere in its memory, mostly to the rings: it begins with those of a queue. */
static void scribble(void)
{
    uint8_t *place = draw(2) == 0 ? (uint8_t *)backend.queues[draw(QUEUES)].used : backend.memory;

    if (place != NULL && backend.memory != NULL) {
        uint32_t room = (uint32_t)(backend.memory + backend.memory_size - place);

        place[draw(draw(4) == 0 ? room : 64)] = (uint8_t)draw(256);
    }
}

static void serve_queue(struct queue *queue)
{
    uint64_t count;

    if (queue->kick < 0 || queue->call < 0 || queue->used == NULL || queue->available == NULL ||
        queue->descriptors == NULL) {
        return;
    }
    (void)!read(queue->kick, &count, sizeof(count));
    for (unsigned i = 0; whim(4) && i < 8; i++) {
        scribble();
    }
    if (whim(8)) {
        ring_call(queue);
    } else if (!whim(3)) {
        answer(queue);
    }
}

static void serve_queues(void)
{
    for (unsigned i = 0; i < QUEUES; i++) {
        serve_queue(&backend.queues[i]);
    }
}

/* Until one of both has had enough; for who answers nothing, that is the other one. */
static void serve_connection(enum serve_backend_manner manner)
{
    struct message message;
    int file;

    while (manner != SERVE_BACKEND_HOSTILE ||
           (atomic_load(&backend.manner) == (int)manner && !whim(1000))) {
        struct pollfd wait[] = {
            {backend.socket, POLLIN, 0},
            {backend.queues[0].kick, POLLIN, 0},
            {backend.queues[1].kick, POLLIN, 0},
        };

        (void)poll(wait, manner == SERVE_BACKEND_DEAF ? 1 : 3, TURN_MS);
        if (wait[0].revents != 0) {
            if (!receive(&message, &file)) {
                return;
            }
            obey(&message, file);
        }
        if (manner != SERVE_BACKEND_DEAF) {
            serve_queues();
        }
    }
}

static void *run(void *argument)
{
    enum serve_backend_manner manner;

    (void)argument;
    for (;;) {
        backend.socket = accept4(backend.listener, NULL, NULL, SOCK_CLOEXEC);
        manner = (enum serve_backend_manner)atomic_load(&backend.manner);
        backend.keeps_rules = manner != SERVE_BACKEND_HOSTILE;
        serve_connection(manner);
        backend.keeps_format = false;
        for (unsigned i = 0; i < QUEUES; i++) {
            struct queue *queue = &backend.queues[i];

            replace(&queue->kick, -1);
            replace(&queue->call, -1);
            *queue = (struct queue){.kick = -1, .call = -1};
        }
        backend.memory = NULL;
        close(backend.socket);
    }
    return NULL;
}

void serve_backend_begin(const char *path, uint64_t seed)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    pthread_t thread;

    if (strlen(path) >= sizeof(address.sun_path)) {
        abort();
    }
    strcpy(address.sun_path, path);
    unlink(path);
    backend.state = seed | 1;
    backend.keeps_format = true;
    for (unsigned i = 0; i < QUEUES; i++) {
        backend.queues[i].kick = backend.queues[i].call = -1;
    }
    backend.listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (backend.listener < 0 ||
        bind(backend.listener, (const struct sockaddr *)&address, sizeof(address)) != 0 ||
        listen(backend.listener, 1) != 0 || pthread_create(&thread, NULL, run, NULL) != 0) {
        abort();
    }
}

void serve_backend_be(enum serve_backend_manner manner)
{
    atomic_store(&backend.manner, (int)manner);
}
