/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The machine under `cohost serve`, with a client that writes anything, at any moment, where its
 * driver should: descriptors, rings, requests, and what the monitor's registers tell of them. The
 * program runs as it is, with its threads. The client's memory has pages around it that nobody may
 * touch. The back end of its share does anything, too (serve_backend.c). Then the client keeps to
 * the rules. It resets its devices while the back end answers nothing, and in the end, when that is
 * honest as well, disk and share have to answer.
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
#include "serve_backend.h"

#define REGISTERS 0x10000000ull
#define MEMORY 0x80000000ull
#define SIZE 0x10000ull
#define GUARD 0x100000ull
#define PAGES 5
#define QUEUE_SIZE 64
#define DISK 0
#define SHARE 4
#define DISK_READ 0
/* Where the client keeps to the rules: of each device that it uses, behind BASE times its page. */
#define BASE 0x1800
#define TABLE 0x1000
#define AVAILABLE 0x1400
#define USED 0x1800
#define REQUEST 0x2000
#define SECTOR 512
#define SHARE_REQUEST 40
#define SHARE_ANSWER 16
#define PATIENCE_MS 20000
/* How long the share has a request that is not answered before it is reset. */
#define DEAF_MS 200

static const struct {
    uint32_t id, queues;
} devices[PAGES] = {{2, 1}, {1, 2}, {3, 2}, {4, 1}, {26, 2}};

static uint64_t state = 1; /* of the random numbers: of the main thread alone */
static uint64_t rounds;    /* that are left */
static uint8_t *memory_bytes;
static uint32_t resets[PAGES];
static unsigned waited_ms;
static bool is_honest;
static bool is_last;  /* with a back end that is honest, too */
static unsigned told; /* the devices that know that the client is honest now, a bit each */
static bool is_live;  /* disk and share are used */

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

/* Puts a request of two or three descriptors into the first queue of a device. */
static void make_request(unsigned page, const uint32_t *lengths, unsigned first_written,
                         unsigned number)
{
    uint64_t base = (uint64_t)page * BASE, next = base + REQUEST;
    const uint16_t available[] = {0, 1, 0};

    for (unsigned i = 0; i < number; i++) {
        const struct {
            uint64_t address;
            uint32_t length;
            uint16_t flags, next;
        } descriptor = {
            MEMORY + next,
            lengths[i],
            (uint16_t)((i >= first_written ? 2 : 0) | (i + 1 < number ? 1 : 0)),
            (uint16_t)(i + 1),
        };

        put(base + TABLE + i * sizeof(descriptor), &descriptor, sizeof(descriptor));
        memset(memory_bytes + next, 0xff, lengths[i]);
        next += lengths[i];
    }
    put(base + AVAILABLE, available, sizeof(available));
}

static void make_honest_requests(void)
{
    static const uint32_t disk[] = {16, SECTOR, 1}, share[] = {SHARE_REQUEST, SHARE_ANSWER};
    const struct {
        uint32_t type, reserved;
        uint64_t sector;
    } header = {DISK_READ, 0, 0};

    memset(memory_bytes, 0, SIZE);
    make_request(DISK, disk, 1, 3);
    put(DISK * BASE + REQUEST, &header, sizeof(header));
    make_request(SHARE, share, 1, 2);
}

/* Of a share the second queue is for requests. */
static uint64_t honest_queue(unsigned page, uint64_t queue, uint64_t word)
{
    uint64_t base = MEMORY + (uint64_t)page * BASE;
    const uint64_t words[] = {QUEUE_SIZE, base + TABLE, base + AVAILABLE, base + USED};

    return (page == DISK && queue == 0) || (page == SHARE && queue == 1) ? words[word] : 0;
}

/* Whether a request was given back once, and its last byte says so. */
static bool is_answered(unsigned page, uint64_t size, uint8_t with)
{
    const uint8_t *base = memory_bytes + (uint64_t)page * BASE;
    uint16_t used;

    memcpy(&used, base + USED + 2, sizeof(used));
    return used == 1 && __atomic_load_n(base + REQUEST + size - 1, __ATOMIC_ACQUIRE) == with;
}

/* The threads are still at what there was: their requests end when the device is reset. */
static void begin_to_be_honest(void)
{
    for (unsigned i = 0; i < PAGES; i++) {
        resets[i]++;
    }
    is_last = is_honest;
    is_honest = true;
    is_live = false;
    told = 0;
    waited_ms = 0;
    serve_backend_be(is_last ? SERVE_BACKEND_HONEST : SERVE_BACKEND_DEAF);
}

static void look_for_answers(void)
{
    const struct timespec pause = {0, 1000000};
    bool disk = is_answered(DISK, 16 + SECTOR + 1, 0);
    bool share = is_answered(SHARE, SHARE_REQUEST + SHARE_ANSWER, SERVE_BACKEND_ANSWER);

    waited_ms++;
    if (!is_last && waited_ms == DEAF_MS) {
        begin_to_be_honest();
    }
    if (disk && share) {
        puts("serve: disk and share answer");
        fflush(stdout);
        _exit(0);
    }
    if (waited_ms == PATIENCE_MS) {
        fprintf(stderr, "serve: %s%s not answer any more\n", disk ? "" : "the disk does ",
                share ? "" : "the share does");
        _exit(1);
    }
    nanosleep(&pause, NULL);
}

/* All devices are reset; then disk and share have drivers and requests, and in the end answers. */
static uint64_t honest_events(unsigned page)
{
    if ((told >> page & 1) == 0) {
        told |= 1u << page;
        return COTENANT_SERVED_STATE_CHANGED;
    }
    if (told != (1u << PAGES) - 1) {
        return 0;
    }
    if (!is_live && page == DISK) {
        make_honest_requests();
        is_live = true;
    }
    if (page == DISK) {
        look_for_answers();
    }
    if (!is_live) {
        return 0; /* once more from the beginning */
    }
    /* The share is told once more, when it is live: what it was told before was the reset. */
    return page == DISK || page == SHARE ? COTENANT_SERVED_STATE_CHANGED | 3 : 0;
}

static uint64_t read_events(unsigned page)
{
    if (is_honest) {
        return honest_events(page);
    }
    if (rounds > 0 && --rounds == 0) {
        begin_to_be_honest();
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

/* Where the back end of the share listens: the command line names the same. */
static void begin_backend(void)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/backend", machine_run_directory());
    serve_backend_begin(path, state * 3);
}

uint8_t *machine_map_memory(void *wanted, uint64_t address, uint64_t size)
{
    uint8_t *place =
        mmap(NULL, size + 2 * GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    (void)wanted;
    (void)address;
    if (place == MAP_FAILED || mprotect(place + GUARD, size, PROT_READ | PROT_WRITE) != 0) {
        abort();
    }
    memory_bytes = place + GUARD;
    begin_backend();
    return memory_bytes;
}

const void *machine_clearing_code(size_t *size)
{
    *size = 0;
    return "";
}

const void *machine_power_off_code(size_t *size)
{
    *size = 0;
    return "";
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
