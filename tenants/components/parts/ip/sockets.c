/* SPDX-License-Identifier: BSD-2-Clause */
#include "sockets.h"

#include <string.h>

#include "components/lib/network.h"
#include "components/lib/scheduling.h"
#include "generated.h"
#include "lwip/tcp.h"
#include "lwip/udp.h"

#define CONNECTIONS 8
#define BACKLOG 4
#define DATAGRAMS 4
#define MICROSECONDS 1000000

struct socket;

/* A TCP connection, of the socket that listened; pcb is NULL if the other side has broken it. */
struct connection {
    struct socket *socket; /* NULL: this one is free */
    struct tcp_pcb *pcb;
    struct pbuf *received;
    uint64_t number; /* they are accepted in the order in which they came */
    bool is_ended;   /* by the other side */
};

/* What a thread has of the stack, and what it asks for. */
struct socket {
    bool (*serve)(struct socket *socket); /* NULL: nothing. False: not yet */
    uint64_t argument[2];
    uint64_t end; /* of the time to wait, in ticks; 0: for ever */
    uint64_t result;
    struct tcp_pcb *listener;
    uint16_t port;
    struct connection *current;
    struct udp_pcb *datagrams;
    struct pbuf *waiting[DATAGRAMS];
    unsigned waits;
    ip_addr_t sender[DATAGRAMS + 1]; /* the last: of the datagram that was taken */
    uint16_t sender_port[DATAGRAMS + 1];
};

static struct socket sockets[THREADS];
static struct connection connections[CONNECTIONS];
static uint64_t connected;
static uint64_t stack_thread;
static uint64_t ticks_per_us;
static BUFFER uint8_t piece[PIECE_SIZE];

void sockets_init(void)
{
    ticks_per_us = argument("timebase-hz") / MICROSECONDS;
    stack_thread = thread_self();
}

/* The other side has sent, or ended. */
static err_t take_segment(void *argument, struct tcp_pcb *pcb, struct pbuf *segment, err_t error)
{
    struct connection *connection = argument;

    (void)pcb;
    (void)error;
    if (segment == NULL) {
        connection->is_ended = true;
    } else if (connection->received == NULL) {
        connection->received = segment;
    } else {
        pbuf_cat(connection->received, segment);
    }
    return ERR_OK;
}

/* The connection is gone, and lwIP has freed its side. */
static void note_error(void *argument, err_t error)
{
    struct connection *connection = argument;

    (void)error;
    connection->pcb = NULL;
    connection->is_ended = true;
}

static err_t take_connection(void *argument, struct tcp_pcb *pcb, err_t error)
{
    if (error != ERR_OK || pcb == NULL) {
        return ERR_VAL;
    }
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        struct connection *connection = &connections[i];

        if (connection->socket == NULL) {
            *connection =
                (struct connection){.socket = argument, .pcb = pcb, .number = ++connected};
            tcp_arg(pcb, connection);
            tcp_recv(pcb, take_segment);
            tcp_err(pcb, note_error);
            return ERR_OK;
        }
    }
    return ERR_MEM; /* lwIP refuses it */
}

/* What was sent still arrives. */
static void release(struct connection *connection)
{
    struct tcp_pcb *pcb = connection->pcb;

    if (pcb != NULL) {
        tcp_arg(pcb, NULL);
        tcp_recv(pcb, NULL);
        tcp_err(pcb, NULL);
        if (connection->received != NULL) {
            tcp_recved(pcb, connection->received->tot_len);
        }
        if (tcp_close(pcb) != ERR_OK) {
            tcp_abort(pcb);
        }
    }
    if (connection->received != NULL) {
        pbuf_free(connection->received);
    }
    *connection = (struct connection){0};
}

static void end_current(struct socket *socket)
{
    if (socket->current != NULL) {
        release(socket->current);
        socket->current = NULL;
    }
}

static bool answer(struct socket *socket, uint64_t result)
{
    socket->result = result;
    return true;
}

static bool serve_listen(struct socket *socket)
{
    uint16_t port = (uint16_t)socket->argument[0];
    struct tcp_pcb *pcb;

    end_current(socket);
    if (socket->listener != NULL) {
        return answer(socket, socket->port == port);
    }
    pcb = tcp_new();
    if (pcb == NULL) {
        return answer(socket, 0);
    }
    if (tcp_bind(pcb, IP_ADDR_ANY, port) == ERR_OK) {
        socket->listener = tcp_listen_with_backlog(pcb, BACKLOG);
    }
    if (socket->listener == NULL) {
        tcp_abort(pcb);
        return answer(socket, 0);
    }
    socket->port = port;
    tcp_arg(socket->listener, socket);
    tcp_accept(socket->listener, take_connection);
    return answer(socket, 1);
}

static bool serve_accept(struct socket *socket)
{
    struct connection *first = NULL;

    end_current(socket);
    if (socket->listener == NULL) {
        return answer(socket, NETWORK_FAILED);
    }
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        if (connections[i].socket == socket &&
            (first == NULL || connections[i].number < first->number)) {
            first = &connections[i];
        }
    }
    socket->current = first;
    return first != NULL && answer(socket, 1);
}

static bool serve_receive(struct socket *socket)
{
    struct connection *connection = socket->current;
    uint64_t size = socket->argument[1] < PIECE_SIZE ? socket->argument[1] : PIECE_SIZE;

    if (connection == NULL) {
        return answer(socket, NETWORK_FAILED);
    }
    if (connection->received == NULL) {
        return connection->is_ended && answer(socket, 0);
    }
    size = pbuf_copy_partial(connection->received, piece, (u16_t)size, 0);
    if (!copy_to_lent(socket->argument[0], piece, size)) {
        return answer(socket, NETWORK_FAILED);
    }
    connection->received = pbuf_free_header(connection->received, (u16_t)size);
    if (connection->pcb != NULL) {
        tcp_recved(connection->pcb, (u16_t)size);
    }
    return answer(socket, size);
}

static bool serve_send(struct socket *socket)
{
    struct connection *connection = socket->current;
    uint64_t size = socket->argument[1] < PIECE_SIZE ? socket->argument[1] : PIECE_SIZE;
    err_t error;

    if (connection == NULL || connection->pcb == NULL) {
        return answer(socket, NETWORK_FAILED);
    }
    if (size > tcp_sndbuf(connection->pcb)) {
        size = tcp_sndbuf(connection->pcb);
    }
    if (size == 0) {
        return socket->argument[1] == 0 && answer(socket, 0);
    }
    if (!copy_from_lent(piece, socket->argument[0], size)) {
        return answer(socket, NETWORK_FAILED);
    }
    error = tcp_write(connection->pcb, piece, (u16_t)size, TCP_WRITE_FLAG_COPY);
    if (error == ERR_MEM) {
        return false;
    }
    if (error != ERR_OK) {
        return answer(socket, NETWORK_FAILED);
    }
    tcp_output(connection->pcb);
    return answer(socket, size);
}

static bool serve_close(struct socket *socket)
{
    end_current(socket);
    return answer(socket, 1);
}

/* A datagram for which there is no room is lost, as datagrams may be. */
static void take_datagram(void *argument, struct udp_pcb *pcb, struct pbuf *packet,
                          const ip_addr_t *address, u16_t port)
{
    struct socket *socket = argument;

    (void)pcb;
    if (socket->waits == DATAGRAMS) {
        pbuf_free(packet);
        return;
    }
    socket->waiting[socket->waits] = packet;
    socket->sender[socket->waits] = *address;
    socket->sender_port[socket->waits++] = port;
}

static bool open_datagrams(struct socket *socket, uint16_t port)
{
    if (socket->datagrams != NULL) {
        return socket->datagrams->local_port == port;
    }
    socket->datagrams = udp_new();
    if (socket->datagrams == NULL) {
        return false;
    }
    if (udp_bind(socket->datagrams, IP_ADDR_ANY, port) != ERR_OK) {
        udp_remove(socket->datagrams);
        socket->datagrams = NULL;
        return false;
    }
    udp_recv(socket->datagrams, take_datagram, socket);
    return true;
}

/* The first datagram that waits, into `piece`: its length. */
static uint16_t pop_datagram(struct socket *socket)
{
    uint16_t size = pbuf_copy_partial(socket->waiting[0], piece, DATAGRAM_SIZE, 0);

    pbuf_free(socket->waiting[0]);
    socket->sender[DATAGRAMS] = socket->sender[0];
    socket->sender_port[DATAGRAMS] = socket->sender_port[0];
    socket->waits--;
    for (unsigned i = 0; i < socket->waits; i++) {
        socket->waiting[i] = socket->waiting[i + 1];
        socket->sender[i] = socket->sender[i + 1];
        socket->sender_port[i] = socket->sender_port[i + 1];
    }
    return size;
}

static bool serve_datagram(struct socket *socket)
{
    uint16_t size;

    if (!open_datagrams(socket, (uint16_t)socket->argument[0])) {
        return answer(socket, NETWORK_FAILED);
    }
    if (socket->waits == 0) {
        return false;
    }
    size = pop_datagram(socket);
    if (size != 0 && !copy_to_lent(socket->argument[1], piece, size)) {
        return answer(socket, NETWORK_FAILED);
    }
    return answer(socket, size);
}

static bool serve_answer(struct socket *socket)
{
    uint64_t size = socket->argument[1];
    struct pbuf *packet;
    err_t error;

    if (socket->datagrams == NULL || socket->sender_port[DATAGRAMS] == 0 || size > DATAGRAM_SIZE ||
        (size != 0 && !copy_from_lent(piece, socket->argument[0], size))) {
        return answer(socket, NETWORK_FAILED);
    }
    packet = pbuf_alloc(PBUF_TRANSPORT, (u16_t)size, PBUF_RAM);
    if (packet == NULL) {
        return answer(socket, 0);
    }
    pbuf_take(packet, piece, (u16_t)size);
    error = udp_sendto(socket->datagrams, packet, &socket->sender[DATAGRAMS],
                       socket->sender_port[DATAGRAMS]);
    pbuf_free(packet);
    return answer(socket, error == ERR_OK);
}

void sockets_serve(void)
{
    for (uint64_t thread = 0; thread < THREADS; thread++) {
        struct socket *socket = &sockets[thread];
        bool (*serve)(struct socket *) = __atomic_load_n(&socket->serve, __ATOMIC_ACQUIRE);

        if (serve == NULL) {
            continue;
        }
        if (!serve(socket)) {
            if (socket->end == 0 || time_now() < socket->end) {
                continue;
            }
            socket->result = NETWORK_FAILED;
        }
        __atomic_store_n(&socket->serve, NULL, __ATOMIC_RELEASE);
        kernel_event(SCHEDULE_WAKE, thread, 0, 0);
    }
}

uint64_t sockets_next_end(void)
{
    uint64_t next = UINT64_MAX;

    for (uint64_t thread = 0; thread < THREADS; thread++) {
        if (sockets[thread].serve != NULL && sockets[thread].end != 0 &&
            sockets[thread].end < next) {
            next = sockets[thread].end;
        }
    }
    return next;
}

/* By the thread that asks: what the stack's thread answers. */
static uint64_t ask(bool (*serve)(struct socket *), uint64_t argument0, uint64_t argument1,
                    uint64_t duration_us)
{
    struct socket *socket = &sockets[thread_self()];

    socket->argument[0] = argument0;
    socket->argument[1] = argument1;
    socket->end = duration_us != 0 ? time_now() + duration_us * ticks_per_us : 0;
    __atomic_store_n(&socket->serve, serve, __ATOMIC_RELEASE);
    kernel_event(SCHEDULE_WAKE, stack_thread, SCHEDULE_WOKEN, 0);
    while (__atomic_load_n(&socket->serve, __ATOMIC_ACQUIRE) != NULL) {
        kernel_event(SCHEDULE_WAIT, 0, 0, 0);
    }
    return socket->result;
}

/* 1: connections to that TCP port are taken from now on. */
uint64_t export_listen(uint64_t port)
{
    return ask(serve_listen, port, 0, 0);
}

/* Closes the thread's connection, and waits for the next one: 1. */
uint64_t export_accept(uint64_t duration_us)
{
    return ask(serve_accept, 0, 0, duration_us);
}

/* Up to `length` bytes of the connection to `address`: how many, 0 at its end. */
uint64_t export_receive(uint64_t address, uint64_t length, uint64_t duration_us)
{
    return ask(serve_receive, address, length, duration_us);
}

/* Takes up to `length` bytes to send: how many. */
uint64_t export_send(uint64_t address, uint64_t length, uint64_t duration_us)
{
    return ask(serve_send, address, length, duration_us);
}

uint64_t export_close(void)
{
    return ask(serve_close, 0, 0, 0);
}

/* The next datagram to that UDP port goes to `address`, DATAGRAM_SIZE bytes: its length. */
uint64_t export_datagram(uint64_t port, uint64_t address, uint64_t duration_us)
{
    return ask(serve_datagram, port, address, duration_us);
}

/* Sends a datagram to where the last one came from: 1. */
uint64_t export_answer(uint64_t address, uint64_t length)
{
    return ask(serve_answer, address, length, 0);
}
