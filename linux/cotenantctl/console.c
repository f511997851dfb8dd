/* SPDX-License-Identifier: BSD-2-Clause */
/* The verbs console and log: text that the monitor keeps. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "link.h"
#include "say.h"
#include "tenants.h"
#include "terminal.h"
#include "verbs.h"

#define POLL_MS 20
#define KEY_LEAVE 0x1d /* Ctrl-] */

/* Fetches text at *position and moves that on. Returns the bytes, in link_data behind its head. */
static uint32_t fetch(uint8_t verb, const struct tenant *tenant, uint32_t *position, uint32_t *lost)
{
    uint32_t index = tenant == NULL ? 0 : tenant->index;
    uint16_t status = link_ask(verb, index, 0, *position, NULL, 0, sizeof(struct control_text));
    uint32_t count = link_length - (uint32_t)sizeof(struct control_text);

    if (status == COTENANT_CONTROL_DENIED && tenant == NULL) {
        fail(EXIT_REFUSED, "log: only for those who may see all tenants");
    }
    if (status != COTENANT_CONTROL_OK) {
        refused(tenant, "console", status);
    }
    *lost = link_data.text.position - *position;
    *position = link_data.text.position + count;
    return count;
}

static const char *fetched(void)
{
    return (const char *)link_data.bytes + sizeof(struct control_text);
}

/* Types what was read; what finds no room is tried again. */
static void type(const struct tenant *tenant, const char *bytes, uint32_t count)
{
    const struct timespec pause = {0, POLL_MS * 1000000l};
    uint32_t done = 0;

    while (done < count) {
        uint16_t status = link_ask(COTENANT_CONTROL_CONSOLE_WRITE, tenant->index, 0, 0,
                                   bytes + done, count - done, sizeof(uint32_t));

        if (status != COTENANT_CONTROL_OK) {
            struct tenant now = *tenant;

            tenant_update(&now);
            refused(&now, "console", status);
        }
        if (link_data.number > count - done) {
            fail(EXIT_NO_MONITOR, "the monitor took more than it was given");
        }
        done += link_data.number;
        if (done < count) {
            nanosleep(&pause, NULL);
        }
    }
}

/* Returns whether there was any. */
static bool show_console(const struct tenant *tenant, uint32_t *position)
{
    uint32_t lost;
    uint32_t count = fetch(COTENANT_CONTROL_CONSOLE_READ, tenant, position, &lost);

    if (lost != 0) {
        fprintf(stderr, "\r\n[%u bytes were lost]\r\n", lost);
    }
    fwrite(fetched(), 1, count, stdout);
    fflush(stdout);
    return count != 0;
}

/* Where the text begins that is still there. */
static uint32_t oldest(const struct tenant *tenant)
{
    uint32_t position = 0, lost;

    fetch(COTENANT_CONTROL_CONSOLE_READ, tenant, &position, &lost);
    return link_data.text.position;
}

/* Types what has come from the user. Returns false when there is no more, or the key to leave. */
static bool take_keys(const struct tenant *tenant, bool live, int milliseconds)
{
    char keys[64];
    int count = terminal_read(keys, sizeof(keys), milliseconds);
    char *leave = live && count > 0 ? memchr(keys, KEY_LEAVE, (size_t)count) : NULL;

    if (leave != NULL) {
        count = (int)(leave - keys);
    }
    if (count > 0) {
        type(tenant, keys, (uint32_t)count);
    }
    return count >= 0 && leave == NULL;
}

void verb_console(const struct request *request)
{
    struct tenant tenant;
    uint32_t position;
    bool live, some = false;

    tenant_find(request->name, &tenant);
    position = request->history ? oldest(&tenant) : tenant.about.console_used;
    live = terminal_open();
    if (live) {
        fprintf(stderr, "Console of %s. Ctrl-] leaves it.\r\n", request->name);
    }
    while (take_keys(&tenant, live, some ? 0 : POLL_MS)) {
        some = show_console(&tenant, &position);
    }
    for (uint32_t i = 0; !live && i < request->delay_ms / POLL_MS; i++) {
        const struct timespec pause = {0, POLL_MS * 1000000l};

        show_console(&tenant, &position);
        nanosleep(&pause, NULL);
    }
}

void verb_log(const struct request *request)
{
    const struct timespec pause = {0, POLL_MS * 1000000l};
    uint32_t position = 0;
    bool first = true;

    for (;;) {
        uint32_t lost;
        uint32_t count = fetch(COTENANT_CONTROL_LOG_READ, NULL, &position, &lost);

        if (lost != 0 && !first) {
            printf("[%u bytes were lost]\n", lost);
        }
        put_plain(stdout, fetched(), count);
        fflush(stdout);
        first = false;
        if (count == 0 && !request->follow) {
            return;
        }
        if (count == 0) {
            nanosleep(&pause, NULL);
        }
    }
}
