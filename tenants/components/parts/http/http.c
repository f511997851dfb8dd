/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One connection at a time. What others read or write is in two pages that are lent to whom it
 * concerns for as long as it does: the IP stack or the archive. If one of them is restarted, the
 * call fails, the connection is given up, and the next one finds all as it was.
 */
#include <string.h>

#include "components/lib/network.h"
#include "generated.h"
#include "request.h"
#include "rt/format.h"
#include "system.h"

#define PAGE 4096
#define PORT 80
#define ACCEPT_US 1000000
#define PATIENCE_US 5000000
#define RETRY_US 20000
/* A client that is slower holds up others. */
#define SILENCE_US 20000000
#define LINUX_FILE_SIZE 2000
#define NO_FILE (~0ull)
#define MOST_NUMBER 1000000
#define NOT_COUNTED (~0ull)

static BUFFER char request[PAGE] __attribute__((aligned(PAGE)));
static BUFFER char reply[PAGE] __attribute__((aligned(PAGE)));
static BUFFER char text[PAGE]; /* a page in the making */
static uint64_t requests;
static uint64_t last_status;
static volatile uint64_t *volatile nowhere = (volatile uint64_t *)8;

uint64_t export_requests(void)
{
    return requests;
}

/* To the component of that capability, and to no other. */
static void lend(uint64_t capability)
{
    kernel_call(CALL_TAKE_BACK, 0, 0, 0);
    kernel_call(CALL_LEND, capability, (uintptr_t)request, 0);
    kernel_call(CALL_LEND, capability, (uintptr_t)reply, 0);
}

static bool has_failed(struct result result)
{
    return result.error != OK || result.value == NETWORK_FAILED;
}

/* The bytes of a request; 0: none came whole. */
static uint64_t receive(void)
{
    uint64_t length = 0;

    while (!request_is_whole(request, length)) {
        struct result result;

        if (length == sizeof(request)) {
            return 0;
        }
        result = ip_receive((uintptr_t)request + length, sizeof(request) - length, PATIENCE_US);
        if (has_failed(result) || result.value == 0 || result.value > sizeof(request) - length) {
            return 0;
        }
        length += result.value;
    }
    return length;
}

/* The first `length` bytes of `reply`. */
static bool send(uint64_t length)
{
    uint64_t done = 0;

    lend(CAPABILITY_IP_SEND);
    while (done < length) {
        struct result result = ip_send((uintptr_t)reply + done, length - done, PATIENCE_US);

        if (has_failed(result) || result.value > length - done) {
            return false;
        }
        done += result.value;
    }
    return true;
}

/* The number that a text begins with. */
static uint64_t number_of(const char *digits)
{
    uint64_t number = 0;

    for (; *digits >= '0' && *digits <= '9' && number < MOST_NUMBER; digits++) {
        number = number * 10 + (uint64_t)(*digits - '0');
    }
    return number;
}

static bool send_head(const char *status, const char *type, uint64_t length)
{
    last_status = number_of(status);
    return send(format_text(reply, sizeof(reply),
                            "HTTP/1.0 %s\r\nContent-Type: %s\r\nContent-Length: %lu\r\n"
                            "Connection: close\r\n\r\n",
                            status, type, length));
}

/* A short answer in words. */
static bool send_text(const char *status, const char *words)
{
    size_t length = strlen(words);

    if (!send_head(status, "text/plain", length)) {
        return false;
    }
    memcpy(reply, words, length);
    return send(length);
}

static const char *type_of(const char *path)
{
    size_t length = strlen(path);

    if (length > 5 && strcmp(path + length - 5, ".html") == 0) {
        return "text/html; charset=utf-8";
    }
    return length > 4 && strcmp(path + length - 4, ".css") == 0 ? "text/css" : "text/plain";
}

static void send_file(const char *path)
{
    uint64_t words[PATH_SIZE / sizeof(uint64_t)] = {0};
    struct result file;
    uint64_t size;

    memcpy(words, path, strlen(path));
    file = files_find(words[0], words[1], words[2], words[3]);
    if (file.error != OK) {
        send_text("503 Service Unavailable", "The archive is being restarted.\n");
        return;
    }
    if (file.value == NO_FILE) {
        send_text("404 Not Found", "There is no such page.\n");
        return;
    }
    size = files_size(file.value).value;
    if (!send_head("200 OK", type_of(path), size)) {
        return;
    }
    for (uint64_t done = 0; done < size;) {
        struct result piece;

        lend(CAPABILITY_FILES_READ);
        piece = files_read(file.value, done, (uintptr_t)reply, PIECE_SIZE);
        if (piece.error != OK || piece.value == 0 || piece.value > PIECE_SIZE ||
            !send(piece.value)) {
            return;
        }
        done += piece.value;
    }
}

/* A line of /stats. Returns the bytes. */
static size_t format_line(char *line, size_t size, uint64_t component)
{
    uint64_t name[3] = {names_name(component, 0).value, names_name(component, 1).value, 0};
    struct result count = counters_of(component);
    uint64_t restarts = statistics_restarts(component).value;

    if (component == COMPONENT_ID) {
        count = (struct result){.error = OK, .value = requests};
    }
    if (count.error != OK || count.value == NOT_COUNTED) {
        return format_text(line, size, "%16s %8lu           -\n", (const char *)name, restarts);
    }
    return format_text(line, size, "%16s %8lu %11lu\n", (const char *)name, restarts, count.value);
}

static void send_statistics(void)
{
    size_t length = format_text(text, sizeof(text),
                                "control: samples=%lu missed=%lu\n\n"
                                "       component restarts invocations\n",
                                statistics_samples().value, statistics_missed().value);

    for (uint64_t component = 0; component < SYSTEM_COMPONENTS; component++) {
        length += format_line(text + length, sizeof(text) - length, component);
    }
    send_text("200 OK", text);
}

/* What another component has written into `reply`. */
static void send_page(struct result size)
{
    if (has_failed(size) || size.value == 0 || size.value > PIECE_SIZE) {
        send_text("503 Service Unavailable", "It cannot be read now.\n");
        return;
    }
    memcpy(text, reply, size.value);
    text[size.value] = '\0';
    send_text("200 OK", text);
}

static void send_history(void)
{
    lend(CAPABILITY_HISTORY_PAGE);
    send_page(history_page((uintptr_t)reply));
}

static void send_access(void)
{
    lend(CAPABILITY_ACCESS_PAGE);
    send_page(access_page((uintptr_t)reply));
}

static void send_address(const char *name)
{
    struct result found;
    char line[20];

    memcpy(reply, name, strlen(name));
    lend(CAPABILITY_RESOLVER_FIND);
    found = resolver_find((uintptr_t)reply, strlen(name));
    if (has_failed(found)) {
        send_text("503 Service Unavailable", "No process of Linux knows.\n");
        return;
    }
    if (found.value == 0) {
        send_text("404 Not Found", "There is no such host.\n");
        return;
    }
    format_text(line, sizeof(line), "%lu.%lu.%lu.%lu\n", found.value >> 24, found.value >> 16 & 255,
                found.value >> 8 & 255, found.value & 255);
    send_text("200 OK", line);
}

static void begin_siege(uint64_t rounds)
{
    send_text("200 OK", "It begins.\n");
    chaos_begin(rounds);
}

/* A file that a process of Linux serves, if there is one. */
static void send_linux_file(const char *name)
{
    static const char function[16] = "file";
    uint64_t words[2];
    struct result size;

    memcpy(words, function, sizeof(words));
    memcpy(reply, name, strlen(name));
    lend(CAPABILITY_TRANSLATOR_CALL);
    size = translator_call(words[0], words[1], (uintptr_t)reply, strlen(name), LINUX_FILE_SIZE,
                           PATIENCE_US);
    if (has_failed(size) || size.value > LINUX_FILE_SIZE) {
        send_text("503 Service Unavailable", "No process of Linux has that.\n");
        return;
    }
    memcpy(text, reply, size.value);
    if (send_head("200 OK", "text/plain", size.value)) {
        memcpy(reply, text, size.value);
        send(size.value);
    }
}

/* The answer is on its way before the component goes. */
static void crash(const char *name)
{
    uint64_t words[2] = {0};
    struct result found;

    memcpy(words, name, strlen(name) < sizeof(words) ? strlen(name) : sizeof(words));
    found = names_find(words[0], words[1]);
    if (found.error != OK || found.value >= SYSTEM_COMPONENTS) {
        send_text("404 Not Found", "There is no such component.\n");
        return;
    }
    send_text("200 OK", "It fails now, and is restarted.\n");
    ip_close();
    timer_sleep(RETRY_US);
    if (found.value == COMPONENT_ID) {
        *nowhere = 1;
    }
    faults_kill(found.value);
}

/* What is behind `start`; NULL: the path begins with something else. */
static const char *behind(const char *path, const char *start)
{
    return strncmp(path, start, strlen(start)) == 0 ? path + strlen(start) : NULL;
}

static void serve_path(const char *path)
{
    if (strcmp(path, "stats") == 0) {
        send_statistics();
    } else if (strcmp(path, "history") == 0) {
        send_history();
    } else if (strcmp(path, "access") == 0) {
        send_access();
    } else if (behind(path, "crash/") != NULL) {
        crash(behind(path, "crash/"));
    } else if (behind(path, "siege/") != NULL) {
        begin_siege(number_of(behind(path, "siege/")));
    } else if (behind(path, "linux/") != NULL) {
        send_linux_file(behind(path, "linux/"));
    } else if (behind(path, "resolve/") != NULL) {
        send_address(behind(path, "resolve/"));
    } else {
        send_file(path[0] != '\0' ? path : "index.html");
    }
}

static void serve(void)
{
    char path[PATH_SIZE + 1];
    uint64_t words[PATH_SIZE / sizeof(uint64_t)] = {0};
    uint64_t length = receive();

    if (length == 0) {
        return;
    }
    requests++;
    switch (request_read(request, length, path)) {
    case REQUEST_METHOD:
        send_text("405 Method Not Allowed", "There is only GET here.\n");
        return;
    case REQUEST_BAD:
        send_text("400 Bad Request", "This is no request.\n");
        return;
    case REQUEST_NOT_FOUND:
        send_text("404 Not Found", "There is no such page.\n");
        return;
    default:
        break;
    }
    serve_path(path);
    memcpy(words, path, strlen(path));
    access_note(last_status, words[0], words[1], words[2], words[3]);
}

void thread_serve(uint64_t unused)
{
    (void)unused;
    for (;;) {
        struct result result;

        watchdog_beat(SILENCE_US);
        result = ip_listen(PORT);
        if (result.error != OK || result.value != 1) {
            timer_sleep(RETRY_US);
            continue;
        }
        lend(CAPABILITY_IP_RECEIVE);
        result = ip_accept(ACCEPT_US);
        if (result.error == OK && result.value == 1) {
            serve();
            ip_close();
        }
    }
}
