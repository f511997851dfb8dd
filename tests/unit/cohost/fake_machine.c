/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine for cohost's tests. Its guests are scripts: the text behind the header of a kernel, a
 * line for each end of a turn. What it is asked for is written down. See test_cohost_program.py.
 *
 * The folder $COHOST_TEST holds tree.dtb; limits: slots, vharts, memory, entries; pages: "ADDRESS
 * COUNT", where huge pages lie, in the order in which they are given out; moved, if it is there:
 * the same of those that become free when the host moves what it can; gate: what the line of that
 * name waits for. Written: log, run/.
 */
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "abi/hosted.h"
#include "memory.h"
#include "say.h"

#define MOST_PAGES 4096
#define WINDOW_SIZE 0x10000000
#define SCRIPT_OFFSET 64
#define LINE_SIZE 256
#define MS 1000000

struct fake_vhart {
    const char *next; /* line of the script; NULL: not started */
    volatile struct hosted_run *run;
    char pending; /* what the last turn ended for, 'l'oad or 's'bi; 0: another thing */
    uint64_t address;
    const char *put; /* rest of a text that is stored byte by byte */
    uint64_t wake;   /* before which a vhart that sleeps is to have no turn; 0: any time */
};

static const char clearing[16] = "clears memory";
static uint64_t pages[MOST_PAGES];
static size_t page_count; /* those that are free: the last one is given out next */
static struct {
    int file;
    uint64_t offset, physical;
} taken[MOST_PAGES];
static size_t taken_count;
static uint64_t limits[4];
static struct fake_vhart vharts[COTENANT_HOSTED_SLOT_PAGES];
static bool alive;
static uint32_t token = 41;
static bool lines[COTENANT_HOSTED_SOURCES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void pause_for_others(void)
{
    static const struct timespec pause = {0, 20 * MS};

    nanosleep(&pause, NULL);
}

/* In the place of the library's: late, so that who can see a socket before is turned away. */
int listen(int file, int most)
{
    pause_for_others();
    return (int)syscall(SYS_listen, file, most);
}

/* In the place of the library's: with time to end before the next signal comes. */
int kill(pid_t pid, int number)
{
    int result = (int)syscall(SYS_kill, pid, number);
    int reason = errno;

    pause_for_others();
    errno = reason;
    return result;
}

static const char *path(const char *name)
{
    static _Thread_local char full[512];

    snprintf(full, sizeof(full), "%s/%s", getenv("COHOST_TEST"), name);
    return full;
}

static void write_down(const char *format, ...)
{
    FILE *file;
    va_list arguments;

    pthread_mutex_lock(&lock);
    file = fopen(path("log"), "ae");
    va_start(arguments, format);
    vfprintf(file, format, arguments);
    va_end(arguments);
    fputc('\n', file);
    fclose(file);
    pthread_mutex_unlock(&lock);
}

const void *machine_tree(void)
{
    static uint8_t tree[65536];
    int file = open(path("tree.dtb"), O_RDONLY);

    if (read(file, tree, sizeof(tree)) <= 0) {
        abort();
    }
    close(file);
    return tree;
}

/* The memory that is kept for guests: a file, which outlives the process. */
static uint8_t *map_window(void *place, uint64_t address, uint64_t size)
{
    int file = open(path("window"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    int fixed = place == NULL ? 0 : MAP_FIXED;
    uint64_t offset = address % WINDOW_SIZE;
    struct stat status;
    void *bytes;

    if (fstat(file, &status) != 0 || ((uint64_t)status.st_size < offset + size &&
                                      ftruncate(file, (off_t)(offset + size)) != 0)) {
        abort();
    }
    bytes = mmap(place, size, PROT_READ | PROT_WRITE, MAP_SHARED | fixed, file, (off_t)offset);
    close(file);
    return bytes == MAP_FAILED ? NULL : bytes;
}

uint8_t *machine_map_memory(void *place, uint64_t address, uint64_t size)
{
    write_down("map %lx %lx", address, size);
    return map_window(place, address, size);
}

int machine_open_port(const char *name)
{
    (void)name;
    return -1;
}

const char *machine_run_directory(void)
{
    static char directory[512];

    snprintf(directory, sizeof(directory), "%s", path("run"));
    return directory;
}

/* $COHOST_SPARE, if that is set. */
size_t machine_spare_pages(void)
{
    const char *spare = getenv("COHOST_SPARE");

    return spare == NULL ? MOST_PAGES : strtoul(spare, NULL, 10);
}

/* In the order of the file, the first one last. */
static void read_pages(const char *name)
{
    FILE *file = fopen(path(name), "re");
    unsigned long long address;
    size_t count;

    while (file != NULL && fscanf(file, "%llx %zu", &address, &count) == 2) {
        for (size_t i = 0; i < count; i++) {
            pages[page_count++] = address + i * COTENANT_HOSTED_GRAIN;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    for (size_t i = 0; i < page_count / 2; i++) {
        uint64_t page = pages[i];

        pages[i] = pages[page_count - 1 - i];
        pages[page_count - 1 - i] = page;
    }
}

int machine_memory_file(void)
{
    if (page_count == 0 && taken_count == 0) {
        read_pages("pages");
    }
    return memfd_create("guest", MFD_CLOEXEC);
}

void machine_allow_pages(size_t count)
{
    (void)count;
}

void machine_compact(void)
{
    static bool moved;

    if (!moved) {
        read_pages("moved");
    }
    moved = true;
}

bool machine_add_page(int file, uint64_t offset)
{
    struct stat status;

    if (page_count == 0 || fstat(file, &status) != 0 ||
        ((uint64_t)status.st_size < offset + COTENANT_HOSTED_GRAIN &&
         ftruncate(file, (off_t)(offset + COTENANT_HOSTED_GRAIN)) != 0)) {
        return false;
    }
    taken[taken_count].file = file;
    taken[taken_count].offset = offset;
    taken[taken_count++].physical = pages[--page_count];
    return true;
}

static size_t find_taken(int file, uint64_t offset)
{
    for (size_t i = 0; i < taken_count; i++) {
        if (taken[i].file == file && taken[i].offset == offset) {
            return i;
        }
    }
    abort();
}

void machine_remove_page(int file, uint64_t offset)
{
    size_t place = find_taken(file, offset);

    pages[page_count++] = taken[place].physical;
    taken[place] = taken[--taken_count];
}

void machine_hold_pool(void)
{
}

void machine_release_pool(void)
{
}

uint64_t machine_physical(const void *address, int file, uint64_t offset)
{
    (void)address;
    return taken[find_taken(file, offset)].physical;
}

void machine_map_registers(uint64_t address, size_t size)
{
    FILE *file = fopen(path("limits"), "re");

    if (fscanf(file, "%lu %lu %lu %lu", &limits[0], &limits[1], &limits[2], &limits[3]) != 4) {
        abort();
    }
    fclose(file);
    alive = access(path("slot"), F_OK) == 0;
    write_down("registers %lx %zx", address, size);
}

uint64_t machine_read(uint64_t offset)
{
    if (offset == COTENANT_HOSTED_IDENTITY) {
        return COTENANT_HOSTED_MAGIC;
    }
    return limits[(offset - COTENANT_HOSTED_SLOTS) / 8];
}

/* The slot outlives the process, as a file. */
static void set_alive(bool now)
{
    alive = now;
    if (now) {
        close(open(path("slot"), O_CREAT | O_WRONLY, 0600));
    } else {
        unlink(path("slot"));
    }
}

static uint32_t create(struct hosted_request *request)
{
    if (alive || request->slot != 0) {
        return COTENANT_HOSTED_STATE;
    }
    set_alive(true);
    request->token = ++token;
    memset(lines, 0, sizeof(lines));
    return COTENANT_HOSTED_OK;
}

const void *machine_clearing_code(size_t *size)
{
    *size = sizeof(clearing);
    return clearing;
}

const void *machine_power_off_code(size_t *size)
{
    static const char power_off[] = "sbi 53525354 0 0 0 0\n";

    *size = sizeof(power_off);
    return power_off;
}

/* Does what the code does, as the guest, for whom nothing is mapped; returns where it goes on. */
static uint64_t clear(const char *code)
{
    const struct machine_cleared *part = (const void *)(code + sizeof(clearing));

    for (; part->end != 0; part++) {
        uint64_t size = part->end - part->begin;
        void *bytes = map_window(NULL, part->begin, size);

        memset(bytes, 0, size);
        munmap(bytes, size);
    }
    return part->begin;
}

static uint32_t start(const struct hosted_request *request)
{
    struct fake_vhart *vhart = &vharts[request->vhart];
    const char *code = memory_at(request->address, LINE_SIZE);

    if (code != NULL && memcmp(code, clearing, sizeof(clearing)) == 0) {
        code = memory_at(clear(code), LINE_SIZE);
    }
    if (code == NULL) {
        return COTENANT_HOSTED_INVALID;
    }
    memset(vhart, 0, sizeof(*vhart));
    vhart->run =
        (volatile struct hosted_run *)(memory.shared + (request->run - memory.shared_address));
    vhart->next = memcmp(code + 56, "RSC\x05", 4) == 0 ? code + SCRIPT_OFFSET : code;
    return COTENANT_HOSTED_OK;
}

static bool is_a_range(uint64_t address, uint64_t size)
{
    for (unsigned i = 0; i < memory.count; i++) {
        if (memory.ranges[i].address == address && memory.ranges[i].size == size) {
            return true;
        }
    }
    return false;
}

static uint32_t carry_out(struct hosted_request *request)
{
    if (request->operation == COTENANT_HOSTED_CREATE) {
        return create(request);
    }
    if (!alive || (request->token != token && request->token != 0)) {
        return COTENANT_HOSTED_STATE;
    }
    if (request->operation == COTENANT_HOSTED_DESTROY) {
        set_alive(false);
        return COTENANT_HOSTED_BUSY;
    }
    if (request->operation == COTENANT_HOSTED_LEND &&
        !is_a_range(request->address, request->size)) {
        return COTENANT_HOSTED_RANGE;
    }
    return request->operation == COTENANT_HOSTED_START ? start(request) : COTENANT_HOSTED_OK;
}

static void serve_request(uint64_t address)
{
    static const char *const names[] = {"", "create", "destroy", "lend", "start"};
    struct hosted_request *request = (struct hosted_request *)memory.shared;

    if (address != memory.shared_address || request->result != COTENANT_HOSTED_PENDING) {
        abort();
    }
    request->result = carry_out(request);
    write_down("%s slot %u vhart %u address %lx size %lx token %u result %u",
               names[request->operation], request->slot, request->vhart, request->address,
               request->size, request->token, request->result);
}

void machine_write(uint64_t offset, uint64_t value)
{
    if (offset == COTENANT_HOSTED_REQUEST) {
        serve_request(value);
    } else if (offset == COTENANT_HOSTED_LINE) {
        unsigned source = value >> COTENANT_HOSTED_LINE_SOURCE_SHIFT & 0xff;

        __atomic_store_n(&lines[source], (value & COTENANT_HOSTED_LINE_HIGH) != 0,
                         __ATOMIC_SEQ_CST);
    }
}

static void finish_last(struct fake_vhart *vhart, long number)
{
    if (vhart->run->reason == COTENANT_HOSTED_ANSWER_FAULT) {
        write_down("vhart %ld fault %lx", number, vhart->address);
        vhart->run->reason = COTENANT_HOSTED_EXIT_NONE;
    } else if (vhart->pending == 'l') {
        write_down("vhart %ld load %lx = %lx", number, vhart->address, vhart->run->value);
    } else if (vhart->pending == 's') {
        write_down("vhart %ld answer %ld %lx", number, (long)vhart->run->arguments[0],
                   vhart->run->arguments[1]);
    }
    vhart->pending = 0;
}

static void store(struct fake_vhart *vhart, uint64_t address, uint32_t size, uint64_t value)
{
    vhart->address = address;
    vhart->run->address = address;
    vhart->run->size = size;
    vhart->run->value = value;
    vhart->run->reason = COTENANT_HOSTED_EXIT_STORE;
}

static void spin(const volatile bool *kicked)
{
    const struct timespec pause = {0, MS};

    while (!*kicked) {
        nanosleep(&pause, NULL);
    }
}

/* Carries out a line. Returns false if it is to be done again at the next turn. */
static bool do_line(struct fake_vhart *vhart, const char *line, const volatile bool *kicked)
{
    volatile struct hosted_run *run = vhart->run;
    unsigned long a, b, c, d, e;
    unsigned size;

    if (sscanf(line, "store %lx %u %lx", &a, &size, &b) == 3) {
        store(vhart, a, size, b);
    } else if (sscanf(line, "load %lx %u", &a, &size) == 2 ||
               sscanf(line, "load-signed %lx %u", &a, &size) == 2) {
        vhart->address = run->address = a;
        run->size = line[4] == '-' ? size : size | COTENANT_HOSTED_UNSIGNED;
        vhart->pending = 'l';
        run->reason = COTENANT_HOSTED_EXIT_LOAD;
    } else if (sscanf(line, "sbi %lx %lx %lx %lx %lx", &a, &b, &c, &d, &e) == 5) {
        run->arguments[7] = a;
        run->arguments[6] = b;
        run->arguments[0] = c;
        run->arguments[1] = d;
        run->arguments[2] = e;
        vhart->pending = 's';
        run->reason = COTENANT_HOSTED_EXIT_SBI;
    } else if (sscanf(line, "wait %lu", &a) == 1) {
        if (!__atomic_load_n(&lines[a], __ATOMIC_SEQ_CST)) {
            run->deadline = ~0ull;
            run->reason = COTENANT_HOSTED_EXIT_IDLE;
            return false;
        }
    } else if (sscanf(line, "sleep %lu", &a) == 1) {
        vhart->wake = run->deadline = machine_time() + a;
        run->reason = COTENANT_HOSTED_EXIT_IDLE;
    } else if (strncmp(line, "gate", 4) == 0) {
        run->deadline = machine_time();
        run->reason = COTENANT_HOSTED_EXIT_IDLE;
        return access(path("gate"), F_OK) == 0;
    } else if (strncmp(line, "idle", 4) == 0) {
        run->deadline = ~0ull;
        run->reason = COTENANT_HOSTED_EXIT_IDLE;
    } else if (strncmp(line, "crash", 5) == 0) {
        run->value = 1;
        run->reason = COTENANT_HOSTED_EXIT_CRASH;
    } else if (strncmp(line, "spin", 4) == 0) {
        spin(kicked);
        return false;
    } else {
        run->reason = COTENANT_HOSTED_EXIT_STOPPED;
    }
    return true;
}

/* Stores the next byte of a text; false: there is none. */
static bool put(struct fake_vhart *vhart)
{
    if (vhart->put == NULL || *vhart->put == '\n' || *vhart->put == '\0') {
        vhart->put = NULL;
        return false;
    }
    store(vhart, vhart->address, 1, (uint8_t)(*vhart->put == '|' ? '\n' : *vhart->put));
    vhart->put++;
    return true;
}

void machine_turn(uint64_t offset, uint32_t given, const volatile bool *kicked)
{
    uint64_t page = offset / COTENANT_HOSTED_PAGE - 1;
    struct fake_vhart *vhart = &vharts[page % COTENANT_HOSTED_SLOT_PAGES];
    long number = vhart - vharts;
    char line[LINE_SIZE];
    int skipped = 0;

    if (*kicked || given != token || !alive) {
        return;
    }
    if (machine_time() < vhart->wake) {
        write_down("vhart %ld woken early", number);
    }
    vhart->wake = 0;
    finish_last(vhart, number);
    if (put(vhart)) {
        return;
    }
    snprintf(line, sizeof(line), "%.*s", (int)strcspn(vhart->next, "\n"), vhart->next);
    if (sscanf(line, "put %lx %n", &vhart->address, &skipped) == 1) {
        vhart->put = vhart->next + skipped;
        vhart->next += strlen(line) + 1;
        put(vhart);
    } else if (do_line(vhart, line, kicked)) {
        vhart->next += strlen(line) + 1;
    }
}

/* The test is at the other end of a socket that has the name. */
int machine_open_tap(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int file = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s", path(name));
    if (connect(file, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        fail_errno("use tap device", name);
    }
    fcntl(file, F_SETFL, O_NONBLOCK);
    return file;
}

void machine_kick(pthread_t thread)
{
    pthread_kill(thread, 0); /* it is there */
}

uint64_t machine_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 10000000 + (uint64_t)now.tv_nsec / 100;
}
