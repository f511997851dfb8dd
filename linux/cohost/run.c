/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs run and exec: a guest from its start to its end. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bus.h"
#include "clearing.h"
#include "command_ports.h"
#include "components.h"
#include "console.h"
#include "devices.h"
#include "exec.h"
#include "guest.h"
#include "guest_tree.h"
#include "hosted.h"
#include "huge_pages.h"
#include "json.h"
#include "kernel.h"
#include "machine.h"
#include "memory.h"
#include "power_keys.h"
#include "running.h"
#include "save_port.h"
#include "savefile.h"
#include "say.h"
#include "verbs.h"
#include "virtio_mmio.h"
#include "window.h"

/* The guest's kernel reboots when it panics, and in a way that is told apart (sbi.c). */
#define ARGUMENTS "console=ttyS0 panic=-1 reboot=panic_warm"
#define MOST_ARGUMENTS 2048

static struct {
    const struct request *request;
    struct host_tree host;
    struct content kernel, initrd, archive;
    struct running self;
    char arguments[MOST_ARGUMENTS];
    bool created;
    uint32_t slots_in_use;    /* by other processes */
    struct saved_guest saved; /* that is restored */
    bool restores;            /* at the next start it goes on from there */
} run;

static void note_slot(const struct running *guest)
{
    run.slots_in_use |= 1u << guest->slot % COTENANT_HOSTED_MAX_SLOTS;
}

/* Ends the guests whose processes were killed. With the lock no other guest is being started. */
static void destroy_orphans(void)
{
    running_each(note_slot);
    for (unsigned slot = 0; slot < hosted.slots; slot++) {
        if ((run.slots_in_use & 1u << slot) == 0) {
            hosted_destroy(slot, 0);
        }
    }
}

static void leave(void)
{
    if (run.created) {
        hosted_destroy(hosted.slot, hosted.token);
    }
    running_leave();
}

static void check_limits(const struct request *request)
{
    if (request->cpus > hosted.vharts) {
        fail_start("a guest here has at most %u CPUs", (unsigned)hosted.vharts);
    }
    if (request->memory > hosted.memory) {
        fail_start("the configuration allows guests %llu MiB of memory",
                   (unsigned long long)hosted.memory >> 20);
    }
}

/* What is always on the guest's kernel command line. */
static const char *own_arguments(const struct request *request)
{
    if (request->components != NULL) {
        return "";
    }
    if (request->command == NULL) {
        return ARGUMENTS;
    }
    return request->verbose ? ARGUMENTS " " EXEC_ARGUMENTS : ARGUMENTS " " EXEC_ARGUMENTS " quiet";
}

static void write_arguments(const struct request *request)
{
    const char *own = own_arguments(request), *append = request->append;
    int length = snprintf(run.arguments, sizeof(run.arguments), "%s%s%s", own,
                          *own != '\0' && append != NULL ? " " : "", append != NULL ? append : "");

    if (length >= (int)sizeof(run.arguments)) {
        fail_start("the kernel command line is longer than %u characters", MOST_ARGUMENTS - 1);
    }
}

static void read_files(const struct request *request)
{
    run.kernel = content_read(request->components != NULL ? request->components : request->kernel);
    if (request->initrd != NULL) {
        run.initrd = content_read(request->initrd);
    }
    if (request->command != NULL) {
        run.archive = exec_archive(request->command);
    }
}

/*
 * Takes them in the window if they can be there: certain ranges, or one of a size. False: nothing
 * is taken.
 */
static bool take_in_window(struct range *ranges, unsigned count, bool certain, bool share)
{
    const struct range *window = &run.host.window;

    if (certain ? !window_has(window, ranges, count) : share || !window_find(window, ranges)) {
        return false;
    }
    if (share) {
        fail_start("the memory that is kept for guests cannot be shared with the programs that "
                   "serve these devices");
    }
    if (certain && !window_claim(ranges, count)) {
        fail_start("another guest has memory at the addresses that this one needs");
    }
    window_take(ranges, count);
    return true;
}

static bool memory_suffices(void)
{
    return run.request->components != NULL ||
           kernel_has_room(&run.kernel, &run.initrd, &run.archive);
}

static void take_memory(const struct request *request)
{
    struct range at = {request->at, (request->memory + COTENANT_HOSTED_GRAIN - 1) &
                                        -(uint64_t)COTENANT_HOSTED_GRAIN};
    struct range *ranges = run.restores ? run.saved.ranges : &at;
    unsigned count = run.restores ? run.saved.range_count : 1;
    bool certain = run.restores || request->at != 0;
    bool share = devices_share_memory(request);

    if (take_in_window(ranges, count, certain, share)) {
        return;
    }
    if (certain) {
        huge_pages_take_at(ranges, count, share);
    } else {
        /* Components have theirs in one piece, for which one entry is enough. */
        huge_pages_take(request->memory, request->components != NULL ? 1 : (unsigned)hosted.entries,
                        share, memory_suffices);
    }
}

/* Takes what a guest needs from host and monitor: memory, a slot, a name. */
static void take(const struct request *request)
{
    atexit(leave);
    running_lock();
    running_remove_stale();
    running_take_name(request->name, &run.self);
    machine_release_pool(); /* a process that was killed may have left it held */
    take_memory(request);
    destroy_orphans();
    hosted_create(request->cpus);
    run.created = true;
    run.self.pid = getpid();
    run.self.slot = hosted.slot;
    run.self.token = hosted.token;
    run.self.cpus = request->cpus;
    run.self.memory = memory_size();
    running_publish(&run.self);
    running_unlock();
}

/* What was written as data is about to be executed. */
static void lend(void)
{
    for (unsigned i = 0; i < memory.count; i++) {
        struct hosted_request request = {
            .operation = COTENANT_HOSTED_LEND,
            .slot = hosted.slot,
            .token = hosted.token,
            .range = i,
            .address = memory.ranges[i].address,
            .size = memory.ranges[i].size,
        };

        __builtin___clear_cache((char *)memory.bytes[i],
                                (char *)memory.bytes[i] + memory.ranges[i].size);
        hosted_must(&request, "lend the guest its memory");
    }
}

static void dump_tree(const char *name, const void *tree)
{
    FILE *file = fopen(name, "we");

    if (file == NULL || fwrite(tree, GUEST_TREE_SIZE, 1, file) != 1 || fclose(file) != 0) {
        fail_errno("write", name);
    }
}

/* A guest that is switched on. *clearing: where clearing_begin() has room. */
static struct guest_start load(const struct request *request, uint64_t *clearing)
{
    struct loaded loaded = request->components != NULL
                               ? components_load(&run.kernel)
                               : kernel_load(&run.kernel, &run.initrd, &run.archive);
    const struct guest_tree_facts facts = {
        .host = &run.host,
        .cpus = request->cpus,
        .arguments = run.arguments,
        .initrd = loaded.initrd,
    };
    void *tree = memory_at(loaded.tree, GUEST_TREE_SIZE);

    memset(tree, 0, GUEST_TREE_SIZE);
    guest_tree_write(tree, &facts);
    clearing_written(loaded.tree, GUEST_TREE_SIZE);
    if (request->dump_tree != NULL) {
        dump_tree(request->dump_tree, tree);
    }
    *clearing = loaded.clearing;
    return (struct guest_start){0, loaded.entry, loaded.tree};
}

/* Fills the memory, as it was saved or anew; returns where the guest begins. */
static struct guest_start fill(const struct request *request)
{
    uint64_t clearing = 0;
    struct guest_start start = run.restores ? save_load(&run.saved) : load(request, &clearing);

    run.restores = false;
    start.entry = clearing_begin(clearing, start.entry);
    return start;
}

/* From power on to power off, or to a reboot. */
static enum guest_end run_once(const struct request *request)
{
    struct guest_start start;

    console_reset();
    virtio_reset_all(); /* before it is filled, the memory is theirs no more */
    start = fill(request);
    lend();
    guest_begin(request->cpus, run.host.timebase, &start);
    console_serve();
    /* A signal that came when the guest was rebooting ends it all the same. */
    return guest_state() == GUEST_REBOOT && console_stop_asked() ? GUEST_STOPPED : guest_state();
}

/* CPUs as after they were switched on, in the same memory. */
static void renew_cpus(const struct request *request)
{
    running_lock();
    hosted_destroy(hosted.slot, hosted.token);
    run.created = false;
    hosted_create(request->cpus);
    run.created = true;
    run.self.slot = hosted.slot;
    run.self.token = hosted.token;
    running_publish(&run.self);
    running_unlock();
}

/* The machine anew. */
static void reboot(const struct request *request)
{
    if (run.kernel.bytes == NULL) {
        read_files(request); /* it was restored */
    }
    save_port_forget_presses();
    renew_cpus(request);
}

/*
 * Has a guest that ended leave nothing in the window. If this process is killed before, the next
 * one does it that takes the memory.
 */
static void clear_window(const struct request *request)
{
    const struct guest_start start = {0, clearing_prepare(), 0};
    struct pollfd end = {.events = POLLIN};

    renew_cpus(request);
    lend();
    guest_begin(request->cpus, run.host.timebase, &start);
    end.fd = guest_end_event();
    while (poll(&end, 1, -1) < 0) {
    }
    guest_join();
    if (guest_state() == GUEST_POWEROFF) {
        clearing_end();
        window_is_clear();
    }
}

static const struct {
    const char *name;
    enum exit_code code;
} ends[] = {
    [GUEST_RUNS] = {"running", EXIT_CRASH},   [GUEST_POWEROFF] = {"poweroff", EXIT_DONE},
    [GUEST_REBOOT] = {"reboot", EXIT_REBOOT}, [GUEST_PANIC] = {"panic", EXIT_PANIC},
    [GUEST_CRASH] = {"crash", EXIT_CRASH},    [GUEST_STOPPED] = {"stopped", EXIT_STOPPED},
    [GUEST_LOST] = {"lost", EXIT_CRASH},      [GUEST_SAVED] = {"saved", EXIT_SAVED},
};

static int exit_code_of(enum guest_end end)
{
    if (end == GUEST_LOST) {
        say("the monitor gives the guest no turn any more");
    }
    if (run.request->command == NULL) {
        return ends[end].code;
    }
    if (command_ports_code() < 0) {
        say("the guest ended before the command did; --verbose shows what its kernel says");
        return EXIT_EXEC;
    }
    return command_ports_code();
}

/* With --json the last line of the output says how the guest ended. */
static void show_end(enum guest_end end, int code)
{
    if (as_json) {
        json_open('{');
        json_string("name", run.self.name);
        json_string("end", ends[end].name);
        json_number("exit", (uint64_t)code);
        json_close('}');
    }
}

static const char *write_guest(int file, uint32_t presses)
{
    return save_write(file, &run.self, presses, &run.host);
}

static void add_devices(const struct request *request)
{
    char socket[RUNNING_PATH_SIZE], save_socket[RUNNING_PATH_SIZE];
    const struct console_plan plan = {
        .command = request->command != NULL,
        .messages = request->command == NULL ? STDOUT_FILENO
                    : request->verbose       ? STDERR_FILENO
                                             : -1,
        .socket = socket,
        .save_socket = request->command != NULL ? NULL : save_socket,
        .presses = run.saved.presses,
    };

    running_console(socket, run.self.name);
    running_save_port(save_socket, run.self.name);
    save_port_write = write_guest;
    bus_place(&run.host.plic);
    console_add(&plan);
    devices_add(request, run.self.name);
    power_keys_add();
}

/* Opens the way to the monitor. */
static void open_host(const struct request *request)
{
    run.request = request;
    write_arguments(request);
    run.host = host_tree_read();
    hosted_open(&run.host.registers);
}

/* Until the guest ends for good; its memory and slot have been taken. */
static int run_to_the_end(const struct request *request)
{
    enum guest_end end;
    int code;

    while ((end = run_once(request)) == GUEST_REBOOT && request->command == NULL &&
           !request->no_reboot) {
        reboot(request);
    }
    code = exit_code_of(end);
    show_end(end, code);
    if (memory.apart && end != GUEST_LOST && end != GUEST_CRASH) {
        virtio_reset_all();
        clear_window(request);
    }
    return code;
}

int verb_run(const struct request *request)
{
    read_files(request);
    open_host(request);
    check_limits(request);
    console_block_signals();
    take(request);
    add_devices(request);
    return run_to_the_end(request);
}

int verb_restore(const struct request *request)
{
    static struct request same;

    save_open(request->file, &run.saved);
    run.restores = true;
    same = *request;
    same.name = request->name != NULL ? request->name : run.saved.name;
    same.cpus = run.saved.cpus;
    same.memory = 0;
    for (unsigned i = 0; i < run.saved.range_count; i++) {
        same.memory += run.saved.ranges[i].size;
    }
    open_host(&same);
    save_check_machine(&run.saved, &run.host);
    check_limits(&same);
    console_block_signals();
    take(&same);
    add_devices(&same);
    save_check_devices(&run.saved);
    return run_to_the_end(&same);
}
