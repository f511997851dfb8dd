/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs version and list, and those that command a tenant. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "abi/bundle.h"
#include "json.h"
#include "link.h"
#include "say.h"
#include "show.h"
#include "verbs.h"

#define MIB (1 << 20)
#define KIB 1024

void verb_version(const struct request *request)
{
    const struct control_version *version = &link_data.version;

    (void)request;
    if (link_ask(COTENANT_CONTROL_VERSION_GET, 0, 0, 0, NULL, 0, sizeof(*version)) !=
        COTENANT_CONTROL_OK) {
        fail(EXIT_NO_MONITOR, "the monitor does not tell its version");
    }
    if (as_json) {
        json_open('{');
        json_bool("ok", true);
        json_string("program", COTENANTCTL_VERSION);
        json_number("protocol", COTENANT_CONTROL_VERSION);
        json_number("monitor", version->implementation);
        json_number("tenants", version->tenants);
        json_number("harts", version->harts);
        json_number("time_ns", version->time_ns);
        json_close('}');
        return;
    }
    printf("cotenantctl %s, control protocol %d\n", COTENANTCTL_VERSION, COTENANT_CONTROL_VERSION);
    printf("Cotenant %u.%u, %u tenants, %u harts\n", version->implementation >> 16,
           version->implementation & 0xffff, version->tenants, version->harts);
}

static void put_size(uint64_t bytes)
{
    if (bytes >= MIB) {
        printf(" %6" PRIu64 "M", bytes / MIB);
    } else {
        printf(" %6" PRIu64 "K", bytes / KIB);
    }
}

static void put_tenant(const struct tenant *tenant)
{
    uint64_t cpu = 0, faults = 0;
    char harts[4 * COTENANT_MAX_HARTS + 1] = "";
    size_t length = 0;

    for (uint32_t i = 0; i < tenant->about.vharts; i++) {
        cpu += tenant->vharts[i].cpu_ns;
        faults += tenant->vharts[i].faults;
        length += (size_t)snprintf(harts + length, sizeof(harts) - length, "%s%u",
                                   i == 0 ? "" : ",", tenant->vharts[i].hart % 1000);
    }
    printf("%-14s %-8s %8s", tenant->about.name, tenant_state(tenant->about.state), harts);
    put_size(tenant_memory(tenant));
    printf(" %8.1f %10" PRIu64 " %7" PRIu64 "%s\n", (double)cpu / 1e9, tenant_switches(tenant),
           faults,
           (tenant->about.rights & COTENANT_RIGHT_SELF) != 0      ? "  this one"
           : (tenant->about.rights & COTENANT_RIGHT_CONTROL) != 0 ? ""
                                                                  : "  seen only");
}

void verb_list(const struct request *request)
{
    static struct tenants tenants;

    (void)request;
    tenants_get(&tenants);
    if (as_json) {
        show_json(&tenants, NULL);
        return;
    }
    printf("%-14s %-8s %8s %7s %8s %10s %7s\n", "TENANT", "STATE", "HARTS", "MEMORY", "CPU/s",
           "SWITCHES", "FAULTS");
    for (uint32_t i = 0; i < tenants.count; i++) {
        put_tenant(&tenants.list[i]);
    }
}

void verb_command(const struct request *request)
{
    static const char *const commands[] = {
        [COTENANT_COMMAND_LOAD] = "load",       [COTENANT_COMMAND_START] = "start",
        [COTENANT_COMMAND_STOP] = "stop",       [COTENANT_COMMAND_RESTART] = "restart",
        [COTENANT_COMMAND_DESTROY] = "destroy", [COTENANT_COMMAND_SWITCH] = "switch",
    };
    struct tenant tenant;
    uint32_t command = 0;
    uint16_t status;

    while (strcmp(commands[command], request->verb) != 0) {
        command++;
    }
    tenant_find(request->name, &tenant);
    status = link_ask(COTENANT_CONTROL_COMMAND, tenant.index, command, 0, NULL, 0, 0);
    if (status != COTENANT_CONTROL_OK) {
        if (status == COTENANT_CONTROL_REFUSED && command == COTENANT_COMMAND_SWITCH &&
            tenant.about.group == COTENANT_NONE) {
            fail(EXIT_REFUSED,
                 "switch %s: refused, it is in no group; [group.NAME] of the system's description "
                 "makes tenants take turns",
                 request->name);
        }
        if (status == COTENANT_CONTROL_REFUSED && link_length >= sizeof(uint32_t)) {
            tenant.about.state = link_data.number;
        }
        refused(&tenant, request->verb, status);
    }
    say_done("%s %s: ok", request->verb, request->name);
}

void verb_watch(const struct request *request)
{
    static const char *const policies[] = {
        [COTENANT_WATCH_OFF] = "off",
        [COTENANT_WATCH_LOG] = "log",
        [COTENANT_WATCH_RESTART] = "restart",
        [COTENANT_WATCH_STOP] = "stop",
    };
    uint32_t policy = 0;
    struct tenant tenant;
    uint16_t status;

    while (policy <= COTENANT_WATCH_STOP && strcmp(policies[policy], request->policy) != 0) {
        policy++;
    }
    if (policy > COTENANT_WATCH_STOP) {
        fail(EXIT_USAGE, "watch: unknown policy %s, give off, log, restart or stop",
             request->policy);
    }
    tenant_find(request->name, &tenant);
    status = link_ask(COTENANT_CONTROL_WATCH, tenant.index, policy, request->within_us, NULL, 0, 0);
    if (status == COTENANT_CONTROL_REFUSED) {
        fail(EXIT_REFUSED, "watch %s: refused, it was never given a time", request->name);
    }
    if (status != COTENANT_CONTROL_OK) {
        refused(&tenant, "watch", status);
    }
    say_done("watch %s: ok", request->name);
}
