/* SPDX-License-Identifier: BSD-2-Clause */
/* cotenantctl: what a user of a tenant can ask of the monitor. See cotenantctl.8. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "abi/bundle.h"
#include "link.h"
#include "say.h"
#include "verbs.h"

#define DEFAULT_TIMEOUT 10
#define DEFAULT_DELAY_MS 1000
#define MOST_SECONDS 86400

const char *argp_program_version = "cotenantctl " COTENANTCTL_VERSION;

enum { OPTION_JSON = 256, OPTION_PORT, OPTION_TIMEOUT, OPTION_HISTORY };

/*
 * The operands of a verb: 'n' a tenant, 'f' a file, 'p' a policy, 't' a time. A capital letter: it
 * may be left out.
 */
static const struct verb {
    const char *name;
    const char *operands;
    void (*run)(const struct request *request);
} verbs[] = {
    {"version", "", verb_version},   {"list", "", verb_list},        {"top", "", verb_top},
    {"start", "n", verb_command},    {"stop", "n", verb_command},    {"restart", "n", verb_command},
    {"load", "nF", verb_load},       {"destroy", "n", verb_command}, {"switch", "n", verb_command},
    {"watch", "npT", verb_watch},    {"console", "n", verb_console}, {"save", "nf", verb_save},
    {"restore", "nf", verb_restore}, {"log", "", verb_log},          {"trace", "f", verb_trace},
};

static struct {
    struct request request;
    const struct verb *verb;
    const char *port;
    unsigned timeout;
    unsigned operands;
} options = {
    .request = {.delay_ms = DEFAULT_DELAY_MS},
    .port = NULL,
    .timeout = DEFAULT_TIMEOUT,
};

static const struct argp_option known[] = {
    {"json", OPTION_JSON, NULL, 0, "print JSON", 0},
    {"port", OPTION_PORT, "PATH", 0, "control port or socket (default: " DEFAULT_PORT ")", 0},
    {"timeout", OPTION_TIMEOUT, "SECONDS", 0, "how long an answer may take (default: 10)", 0},
    {"count", 'n', "N", 0, "top: end after so many samples", 0},
    {"delay", 'd', "SECONDS", 0,
     "top: time between samples; console: how long to go on after standard input has ended "
     "(default: 1)",
     0},
    {"follow", 'f', NULL, 0, "log: go on with new messages", 0},
    {"history", OPTION_HISTORY, NULL, 0, "console: begin with earlier output", 0},
    {0},
};

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        if (strcmp(verbs[i].name, name) == 0) {
            return &verbs[i];
        }
    }
    return NULL;
}

/* Reads a time such as 50ms. */
static uint32_t microseconds_of(const char *text, struct argp_state *state)
{
    static const struct {
        const char *name;
        uint32_t microseconds;
    } units[] = {{"us", 1}, {"ms", 1000}, {"s", 1000000}};
    char *end;
    double value = strtod(text, &end);

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        double time = value * units[i].microseconds;

        if (end != text && strcmp(end, units[i].name) == 0 && time >= COTENANT_WATCH_LEAST_US &&
            time <= UINT32_MAX) {
            return (uint32_t)time;
        }
    }
    argp_error(state, "%s is not a time such as 50ms, at least 1ms", text);
    return 0;
}

static void take_operand(char *text, struct argp_state *state)
{
    char kind;

    if (options.verb == NULL) {
        options.verb = find_verb(text);
        if (options.verb == NULL) {
            argp_error(state, "unknown verb: %s", text);
        }
        options.request.verb = text;
        return;
    }
    kind = options.verb->operands[options.operands];
    if (kind == '\0') {
        argp_error(state, "%s: too much: %s", options.verb->name, text);
    } else if (kind == 'n') {
        options.request.name = text;
    } else if (kind == 'p') {
        options.request.policy = text;
    } else if (kind == 'T') {
        options.request.within_us = microseconds_of(text, state);
    } else {
        options.request.file = text;
    }
    options.operands++;
}

static double seconds_of(const char *text, struct argp_state *state)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end != '\0' || !(value > 0 && value <= MOST_SECONDS)) {
        argp_error(state, "%s is not a number of seconds", text);
    }
    return value;
}

static void check_operands(struct argp_state *state)
{
    char missing;

    if (options.verb == NULL) {
        argp_usage(state);
        return;
    }
    missing = options.verb->operands[options.operands];
    if (missing == 'n') {
        argp_error(state, "%s: which tenant?", options.verb->name);
    } else if (missing == 'f') {
        argp_error(state, "%s: which file?", options.verb->name);
    } else if (missing == 'p') {
        argp_error(state, "%s: off, log, restart or stop?", options.verb->name);
    }
}

static error_t take_option(int key, char *text, struct argp_state *state)
{
    char *end;

    switch (key) {
    case OPTION_JSON:
        as_json = true;
        break;
    case OPTION_PORT:
        options.port = text;
        break;
    case OPTION_TIMEOUT:
        options.timeout = (unsigned)seconds_of(text, state);
        options.timeout += options.timeout == 0;
        break;
    case OPTION_HISTORY:
        options.request.history = true;
        break;
    case 'f':
        options.request.follow = true;
        break;
    case 'd':
        options.request.delay_ms = (uint32_t)(seconds_of(text, state) * 1000);
        break;
    case 'n':
        options.request.count = (uint32_t)strtoul(text, &end, 10);
        if (options.request.count == 0 || *end != '\0') {
            argp_error(state, "%s is not a number of samples", text);
        }
        break;
    case ARGP_KEY_ARG:
        take_operand(text, state);
        break;
    case ARGP_KEY_END:
        check_operands(state);
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
        .args_doc = "VERB [TENANT] [ARGUMENT...]",
        .doc = "Inspect and control the operating systems on this machine.\v"
               "Verbs: version, list, top, start TENANT, stop TENANT, restart TENANT, "
               "load TENANT [IMAGE], destroy TENANT, switch TENANT, "
               "watch TENANT POLICY [TIME], console TENANT, save TENANT FILE, "
               "restore TENANT FILE, log, trace FILE. See cotenantctl(8).",
    };

    argp_err_exit_status = EXIT_USAGE;
    argp_parse(&parser, count, arguments, 0, NULL, NULL);
    if (options.port == NULL) {
        options.port = getenv("COTENANT_PORT");
    }
    link_open(options.port == NULL ? DEFAULT_PORT : options.port, options.timeout);
    options.verb->run(&options.request);
    if (fflush(stdout) != 0) {
        fail_errno("write to", "standard output");
    }
    return EXIT_DONE;
}
