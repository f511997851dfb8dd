/* SPDX-License-Identifier: BSD-2-Clause */
/* cohost: virtual machines that are processes of this Linux. See cohost.8. */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/hosted.h"
#include "defaults.h"
#include "running.h"
#include "say.h"
#include "verbs.h"

#define MOST_MEMORY (1ull << 40)

const char *argp_program_version = "cohost " COHOST_VERSION;

enum {
    OPTION_JSON = 256,
    OPTION_NET,
    OPTION_SHARE,
    OPTION_KERNEL,
    OPTION_COMPONENTS,
    OPTION_INITRD,
    OPTION_APPEND,
    OPTION_DUMP_TREE,
    OPTION_NO_REBOOT,
    OPTION_CONSOLE,
    OPTION_AT
};

static const struct verb {
    const char *name;
    int (*run)(const struct request *request);
    bool needs_name;
    bool needs_file;
} verbs[] = {
    {"run", verb_run, false, false},      {"exec", verb_run, false, false},
    {"list", verb_list, false, false},    {"shutdown", verb_shutdown, true, false},
    {"stop", verb_stop, true, false},     {"pause", verb_signal, true, false},
    {"resume", verb_signal, true, false}, {"console", verb_console, true, false},
    {"save", verb_save, true, true},      {"restore", verb_restore, false, true},
    {"serve", verb_serve, true, false},
};

static struct {
    struct request request;
    const struct verb *verb;
} options = {
    .request = {.cpus = 1},
};

static const struct argp_option known[] = {
    {"name", 'n', "NAME", 0, "name of the guest (default: guest0 and so on)", 0},
    {"tenant", 't', "NAME", 0, "serve: the tenant whose devices are served", 0},
    {"memory", 'm', "SIZE", 0, "memory of the guest, such as 256M (default: 128M, components 8M)",
     0},
    {"cpus", 'c', "N", 0, "CPUs of the guest (default: 1)", 0},
    {"kernel", OPTION_KERNEL, "FILE", 0, "kernel (default: see cohost(8))", 0},
    {"components", OPTION_COMPONENTS, "IMAGE", 0, "run: the component OS in place of a kernel", 0},
    {"initrd", OPTION_INITRD, "FILE", 0, "initrd; - for none", 0},
    {"append", OPTION_APPEND, "TEXT", 0, "what is added to the kernel command line", 0},
    {"disk", 'd', "FILE[,readonly][,cached]", 0,
     "a raw file, block device or qcow2 image as a disk; up to 4 times", 0},
    {"net", OPTION_NET, "TAP[,mac=MAC]|user[,forward=P:Q]", 0, "a network card; up to 4 times", 0},
    {"share", OPTION_SHARE, "DIR=NAME", 0, "a directory that the guest mounts as virtiofs; twice",
     0},
    {"console", OPTION_CONSOLE, NULL, 0, "serve: a console, which the verb console attaches to", 0},
    {"at", OPTION_AT, "ADDRESS", 0, "physical address of the guest's memory", 0},
    {"no-reboot", OPTION_NO_REBOOT, NULL, 0, "end when the guest reboots", 0},
    {"verbose", 'v', NULL, 0, "exec: the kernel's messages on standard error", 0},
    {"dump-tree", OPTION_DUMP_TREE, "FILE", 0, "write the guest's device tree into a file", 0},
    {"json", OPTION_JSON, NULL, 0, "print JSON", 0},
    {0},
};

/* Reads a size such as 256M. */
static uint64_t size_of(const char *text, struct argp_state *state)
{
    static const char units[] = "KMG";
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    const char *unit = *end == '\0' ? NULL : strchr(units, *end);
    unsigned shift = unit == NULL ? 0 : 10 * (unsigned)(unit - units + 1);

    if (end == text || text[0] == '-' || (*end != '\0' && (unit == NULL || end[1] != '\0')) ||
        number > MOST_MEMORY >> shift || number << shift < COTENANT_HOSTED_GRAIN) {
        argp_error(state, "%s is not a size such as 256M, at least 2M", text);
    }
    return number << shift;
}

/* Reads an address at which memory can begin. */
static uint64_t address_of(const char *text, struct argp_state *state)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 0);

    if (end == text || *end != '\0' || text[0] == '-' || number == 0 ||
        number % COTENANT_HOSTED_GRAIN != 0 || number > UINT64_MAX / 2) {
        argp_error(state, "%s is not an address such as 0x90000000, a multiple of 2 MiB", text);
    }
    return number;
}

static unsigned cpus_of(const char *text, struct argp_state *state)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);

    if (end == text || *end != '\0' || number == 0 || number > COTENANT_HOSTED_SLOT_PAGES) {
        argp_error(state, "%s is not a number of CPUs from 1 to %u", text,
                   COTENANT_HOSTED_SLOT_PAGES);
    }
    return (unsigned)number;
}

static void take_verb(const char *text, struct argp_state *state)
{
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        if (strcmp(verbs[i].name, text) == 0) {
            options.verb = &verbs[i];
            options.request.verb = text;
            return;
        }
    }
    argp_error(state, "unknown verb: %s", text);
}

static void take_operand(char *text, struct argp_state *state)
{
    if (options.verb == NULL) {
        take_verb(text, state);
    } else if (strcmp(options.verb->name, "exec") == 0) {
        options.request.command = &state->argv[state->next - 1];
        state->next = state->argc;
    } else if (options.verb->needs_name && options.request.name == NULL) {
        options.request.name = text;
    } else if (options.verb->needs_file && options.request.file == NULL) {
        options.request.file = text;
    } else {
        argp_error(state, "%s: too much: %s", options.verb->name, text);
    }
}

/* The component OS is its own kernel, and uses one hart. */
static bool may_be_components(void)
{
    const struct request *request = &options.request;

    return strcmp(options.verb->name, "run") == 0 && request->cpus == 1 &&
           request->kernel == NULL && request->initrd == NULL;
}

static void check(struct argp_state *state)
{
    if (options.verb == NULL) {
        argp_usage(state);
    } else if (options.verb->needs_name && options.request.name == NULL) {
        argp_error(state, "%s: which guest?", options.verb->name);
    } else if (options.verb->needs_file && options.request.file == NULL) {
        argp_error(state, "%s: which file?", options.verb->name);
    } else if (strcmp(options.verb->name, "exec") == 0 && options.request.command == NULL) {
        argp_error(state, "exec: which command? It stands behind --");
    } else if (options.request.console && strcmp(options.verb->name, "serve") != 0) {
        argp_error(state, "--console is for serve; a guest always has one");
    } else if (options.request.components != NULL && !may_be_components()) {
        argp_error(state, "--components is for run, with one CPU, without --kernel and --initrd");
    } else if (options.request.name != NULL && !running_name_is_good(options.request.name)) {
        argp_error(state, "%s is no name: letters, digits, points, _ and -, at most %d",
                   options.request.name, RUNNING_NAME_SIZE - 1);
    }
}

static error_t take_option(int key, char *text, struct argp_state *state)
{
    struct request *request = &options.request;

    switch (key) {
    case 'n':
    case 't':
        request->name = text;
        break;
    case 'm':
        request->memory = size_of(text, state);
        break;
    case 'c':
        request->cpus = cpus_of(text, state);
        break;
    case 'd':
        if (request->disk_count == DISK_MOST) {
            argp_error(state, "a guest has at most %u disks", DISK_MOST);
        }
        request->disks[request->disk_count++] = text;
        break;
    case 'v':
        request->verbose = true;
        break;
    case OPTION_NET:
        if (request->net_count == NET_MOST) {
            argp_error(state, "a guest has at most %u network cards", NET_MOST);
        }
        request->nets[request->net_count++] = text;
        break;
    case OPTION_SHARE:
        if (request->share_count == SHARES_MOST) {
            argp_error(state, "a guest has at most %u shares", SHARES_MOST);
        }
        request->shares[request->share_count++] = text;
        break;
    case OPTION_CONSOLE:
        request->console = true;
        break;
    case OPTION_AT:
        request->at = address_of(text, state);
        break;
    case OPTION_NO_REBOOT:
        request->no_reboot = true;
        break;
    case OPTION_KERNEL:
        request->kernel = text;
        break;
    case OPTION_COMPONENTS:
        request->components = text;
        break;
    case OPTION_INITRD:
        request->initrd = text;
        break;
    case OPTION_APPEND:
        request->append = text;
        break;
    case OPTION_DUMP_TREE:
        request->dump_tree = text;
        break;
    case OPTION_JSON:
        as_json = true;
        break;
    case ARGP_KEY_ARG:
        take_operand(text, state);
        break;
    case ARGP_KEY_END:
        check(state);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

int main(int count, char **arguments)
{
    static const struct argp parser = {
        .options = known,
        .parser = take_option,
        .args_doc = "VERB [NAME]\nexec [OPTION...] -- COMMAND [ARGUMENT...]",
        .doc = "Run virtual machines as processes of this system.\v"
               "Verbs: run, exec, list, shutdown NAME, stop NAME, pause NAME, resume NAME, "
               "console NAME, save NAME FILE, restore FILE, serve. See cohost(8).",
    };

    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&parser, count, arguments, ARGP_IN_ORDER, NULL, NULL);
    defaults_fill_in(&options.request);
    if (strcmp(options.request.verb, "exec") == 0) {
        start_failure = EXIT_EXEC;
    }
    return options.verb->run(&options.request);
}
