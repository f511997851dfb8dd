/* SPDX-License-Identifier: BSD-2-Clause */
/* The verb trace: what the monitor has recorded of late, as a file for `cotenant trace`. */
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "link.h"
#include "say.h"
#include "verbs.h"
#include "write_all.h"

void verb_trace(const struct request *request)
{
    uint64_t size, done = 0;
    uint16_t status;
    int file;

    status =
        link_ask(COTENANT_CONTROL_VERSION_GET, 0, 0, 0, NULL, 0, sizeof(struct control_version));
    size = status == COTENANT_CONTROL_OK ? link_data.version.trace_size : 0;
    if (size == 0) {
        fail(EXIT_REFUSED, "trace: nothing is recorded in this system");
    }
    file = open(request->file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) {
        fail_errno("write", request->file);
    }
    while (done < size) {
        status =
            link_ask(COTENANT_CONTROL_TRACE_READ, 0, COTENANT_CONTROL_MOST_DATA, done, NULL, 0, 1);
        if (status != COTENANT_CONTROL_OK) {
            fail(EXIT_REFUSED, "trace: only for those who may see all tenants");
        }
        write_all(file, request->file, link_data.bytes, link_length);
        done += link_length;
        say_progress("reading the trace", done < size ? done : size, size);
    }
    if (close(file) != 0) {
        fail_errno("write", request->file);
    }
    say_done("trace: %" PRIu64 " bytes are in %s", done, request->file);
}
