/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine under `cohost serve`, with a client that writes anything, at any moment, where its
 * driver should: descriptors, rings, requests, and what the monitor's registers tell of them. The
 * program runs as it is, with its threads. The client's memory has pages around it that nobody may
 * touch. In the end the client keeps to the rules, and its disk has to answer.
 *
 * COHOST_SEED and COHOST_ROUNDS say how; COHOST_TEST is the folder for sockets. See the Makefile.
 */
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <libfdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "abi/served.h"

#define REGISTERS 0x10000000ull
#define MEMORY 0x80000000ull
#define SIZE 0x10000ull
#define GUARD 0x100000ull
#define PAGES 4
#define QUEUE_SIZE 64
#define DISK 0
#define DISK_READ 0
/* Where the client keeps to the rules. */
#define TABLE 0x1000
#define AVAILABLE 0x2000
#define USED 0x3000
#define REQUEST 0x4000
#define SECTOR 512
#define PATIENCE_MS 20000

static const struct {
    uint32_t id, queues;
} devices[PAGES] = {{2, 1}, {1, 2}, {3, 2}, {4, 1}};

static uint64_t state = 1; /* of the random numbers: of the main thread alone */
static uint64_t rounds;    /* that are left */
static uint8_t *memory_bytes;
static uint32_t resets[PAGES];
static unsigned waited_ms;
static bool is_honest;
static unsigned told; /* the devices that know that the client is honest now, a bit each */
static bool is_live;  /* the disk */

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % below;
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text == NULL ? otherwise : strtoull(text, NULL, 0);
}

static void put(uint64_t offset, const void *bytes, size_t size)
{
    if (offset + size <= SIZE) {
        memcpy(memory_bytes + offset, bytes, size);
    }
}

/* Mostly of the client's memory, and short. */
static uint64_t some_address(void)
{
    switch (draw(8)) {
    case 0:
        return (uint64_t)draw(UINT32_MAX) << 32 | draw(UINT32_MAX);
    case 1:
        return MEMORY + SIZE - draw(64);
    default:
        return MEMORY + draw(SIZE);
    }
}

static uint32_t some_length(void)
{
    static const uint32_t usual[] = {0, 1, 12, 16, 512, 4096, 0x10000, UINT32_MAX};

    return draw(3) == 0 ? draw(UINT32_MAX) >> draw(32)
                        : usual[draw(sizeof(usual) / sizeof(usual[0]))];
}

static void scribble_descriptor(void)
{
    const struct {
        uint64_t address;
        uint32_t length;
        uint16_t flags, next;
    } descriptor = {some_address(), some_length(), (uint16_t)draw(8), (uint16_t)draw(70)};

    put(16ull * draw(SIZE / 16), &descriptor, sizeof(descriptor));
}

/* A request that a disk may take for one. */
static void scribble_disk(void)
{
    const struct {
        uint32_t type, reserved;
        uint64_t sector;
    } header = {draw(6), 0, draw(4) == 0 ? (uint64_t)draw(UINT32_MAX) << 32 : draw(16)};

    put(draw(SIZE), &header, sizeof(header));
}

static void scribble(void)
{
    const uint64_t any = (uint64_t)draw(UINT32_MAX) << 32 | draw(UINT32_MAX);

    for (unsigned i = draw(16); i > 0; i--) {
        scribble_descriptor();
    }
    scribble_disk();
    put(draw(SIZE), &any, 1u << draw(4));
}

/* The rings of a queue lie anywhere, mostly in the same few places, so that they are met. */
static uint64_t some_queue(uint64_t word)
{
    if (word == 0) {
        return draw(8) == 0 ? draw(UINT32_MAX) : 1u << draw(7);
    }
    return draw(6) == 0 ? some_address() : MEMORY + 0x1000 * draw(16);
}

static void make_honest_request(void)
{
    const struct {
        uint32_t type, reserved;
        uint64_t sector;
    } header = {DISK_READ, 0, 0};
    const struct {
        uint64_t address;
        uint32_t length;
        uint16_t flags, next;
    } table[] = {
        {MEMORY + REQUEST, sizeof(header), 1, 1},
        {MEMORY + REQUEST + SECTOR, SECTOR, 3, 2},
        {MEMORY + REQUEST + 2 * SECTOR, 1, 2, 0},
    };
    const uint16_t available[] = {0, 1, 0};

    memset(memory_bytes, 0, SIZE);
    memset(memory_bytes + REQUEST + 2 * SECTOR, 0xff, 1);
    put(REQUEST, &header, sizeof(header));
    put(TABLE, table, sizeof(table));
    put(AVAILABLE, available, sizeof(available));
}

static uint64_t honest_queue(unsigned page, uint64_t queue, uint64_t word)
{
    static const uint64_t words[] = {QUEUE_SIZE, MEMORY + TABLE, MEMORY + AVAILABLE, MEMORY + USED};

    return page == DISK && queue == 0 ? words[word] : 0;
}

/* All devices are reset; then the disk has a driver and a request, and in the end its answer. */
static uint64_t honest_events(unsigned page)
{
    const struct timespec pause = {0, 1000000};
    uint16_t used;

    if ((told >> page & 1) == 0) {
        told |= 1u << page;
        return COTENANT_SERVED_STATE_CHANGED;
    }
    if (page != DISK || told != (1u << PAGES) - 1) {
        return 0;
    }
    if (!is_live) {
        make_honest_request();
        is_live = true;
        return COTENANT_SERVED_STATE_CHANGED | 1;
    }
    memcpy(&used, memory_bytes + USED + 2, sizeof(used));
    if (__atomic_load_n(memory_bytes + REQUEST + 2 * SECTOR, __ATOMIC_ACQUIRE) == 0 && used == 1) {
        puts("serve: the disk answers");
        fflush(stdout);
        _exit(0);
    }
    if (++waited_ms == PATIENCE_MS) {
        fputs("serve: the disk does not answer any more\n", stderr);
        _exit(1);
    }
    nanosleep(&pause, NULL);
    return 1;
}

static uint64_t read_events(unsigned page)
{
    if (is_honest) {
        return honest_events(page);
    }
    if (rounds > 0 && --rounds == 0) {
        /* The threads are still at what there was: their requests end when the device is reset. */
        for (unsigned i = 0; i < PAGES; i++) {
            resets[i]++;
        }
        is_honest = true;
        return 0;
    }
    scribble();
    return draw(8) == 0 ? COTENANT_SERVED_STATE_CHANGED | draw(16) : draw(16);
}

static uint64_t read_state(unsigned page)
{
    if (!is_honest && draw(4) == 0) {
        resets[page] += draw(3);
    }
    return resets[page] | ((is_honest ? is_live : draw(4) != 0) ? COTENANT_SERVED_LIVE : 0);
}

uint64_t machine_read(uint64_t offset)
{
    unsigned page = (unsigned)(offset / COTENANT_SERVED_PAGE);
    uint64_t place = offset % COTENANT_SERVED_PAGE;
    uint64_t queue = (place - COTENANT_SERVED_QUEUE_FIRST) / COTENANT_SERVED_QUEUE;

    switch (place) {
    case COTENANT_SERVED_IDENTITY:
        return COTENANT_SERVED_MAGIC;
    case COTENANT_SERVED_DEVICE:
        return devices[page].id;
    case COTENANT_SERVED_QUEUES:
        return devices[page].queues;
    case COTENANT_SERVED_EVENTS:
        return read_events(page);
    case COTENANT_SERVED_STATE:
        return read_state(page);
    case COTENANT_SERVED_ACCEPTED:
        return 0;
    default:
        break;
    }
    if (place < COTENANT_SERVED_QUEUE_FIRST) {
        return 0;
    }
    place = place % COTENANT_SERVED_QUEUE / sizeof(uint64_t);
    return is_honest ? honest_queue(page, queue, place) : some_queue(place);
}

void machine_write(uint64_t offset, uint64_t value)
{
    (void)offset;
    (void)value;
}

static void add_client(void *tree)
{
    const uint32_t cells[] = {0, REGISTERS, 0, PAGES * COTENANT_SERVED_PAGE, 0, MEMORY, 0, SIZE};
    uint32_t big[sizeof(cells) / sizeof(cells[0])];

    for (unsigned i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
        big[i] = cpu_to_fdt32(cells[i]);
    }
    fdt_begin_node(tree, "client");
    fdt_property_string(tree, "compatible", "cotenant,served");
    fdt_property_string(tree, "label", "client");
    fdt_property_string(tree, "cotenant,port", "served.client");
    fdt_property(tree, "reg", big, sizeof(big));
    fdt_end_node(tree);
}

const void *machine_tree(void)
{
    static uint8_t tree[4096];

    fdt_create(tree, sizeof(tree));
    fdt_finish_reservemap(tree);
    fdt_begin_node(tree, "");
    add_client(tree);
    fdt_end_node(tree);
    fdt_finish(tree);
    return tree;
}

const char *machine_run_directory(void)
{
    return getenv("COHOST_TEST");
}

void machine_map_registers(uint64_t address, size_t size)
{
    (void)address;
    (void)size;
    state = setting("COHOST_SEED", 1) * 0x9e3779b97f4a7c15 | 1;
    rounds = setting("COHOST_ROUNDS", 10000);
}

uint8_t *machine_map_memory(uint64_t address, uint64_t size)
{
    uint8_t *place =
        mmap(NULL, size + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    (void)address;
    if (place == MAP_FAILED || mprotect(place + GUARD, size, PROT_READ | PROT_WRITE) != 0) {
        abort();
    }
    memory_bytes = place + GUARD;
    return memory_bytes;
}

/* The monitor always has something to tell. */
int machine_open_port(const char *name)
{
    (void)name;
    return open("/dev/zero", O_RDONLY | O_CLOEXEC);
}

/* Sends back what the client sends, and packets of any length. */
static void *run_network(void *argument)
{
    const struct timespec pause = {0, 100000};
    int file = *(int *)argument;
    uint8_t packet[2000] = {0};

    for (unsigned i = 0;; i++) {
        ssize_t size = recv(file, packet, sizeof(packet), MSG_DONTWAIT);

        (void)!send(file, packet, size > 0 ? (size_t)size : i % sizeof(packet), MSG_DONTWAIT);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

int machine_open_tap(const char *name)
{
    static int ends[2];
    pthread_t thread;

    (void)name;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0 ||
        pthread_create(&thread, NULL, run_network, &ends[1]) != 0) {
        abort();
    }
    return ends[0];
}

uint64_t machine_time(void)
{
    return 0;
}

/* Nothing else of a machine is needed by a server. */
int machine_memory_file(void)
{
    abort();
}

void machine_allow_pages(size_t count)
{
    (void)count;
    abort();
}

size_t machine_spare_pages(void)
{
    abort();
}

void machine_compact(void)
{
    abort();
}

bool machine_add_page(int file, uint64_t offset)
{
    (void)file;
    (void)offset;
    abort();
}

void machine_remove_page(int file, uint64_t offset)
{
    (void)file;
    (void)offset;
    abort();
}

void machine_hold_pool(void)
{
    abort();
}

void machine_release_pool(void)
{
    abort();
}

uint64_t machine_physical(const void *address, int file, uint64_t offset)
{
    (void)address;
    (void)file;
    (void)offset;
    abort();
}

void machine_turn(uint64_t offset, uint32_t token, const volatile bool *kicked)
{
    (void)offset;
    (void)token;
    (void)kicked;
    abort();
}

void machine_kick(pthread_t thread)
{
    (void)thread;
    abort();
}
