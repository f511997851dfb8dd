/* SPDX-License-Identifier: BSD-2-Clause */
/* The verb trace: what the monitor has recorded of late, as a file for `cotenant trace --memory`.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/trace.h"
#include "link.h"
#include "say.h"
#include "verbs.h"
#include "write_all.h"

static void read_rings(uint8_t *to, uint64_t offset, uint64_t size, bool progress)
{
    uint64_t done = 0;

    while (done < size) {
        uint64_t left = size - done;
        uint32_t count =
            left < COTENANT_CONTROL_MOST_DATA ? (uint32_t)left : COTENANT_CONTROL_MOST_DATA;

        if (link_ask(COTENANT_CONTROL_TRACE_READ, 0, count, offset + done, NULL, 0, count) !=
            COTENANT_CONTROL_OK) {
            fail(EXIT_REFUSED, "trace: only for those who may see all tenants");
        }
        memcpy(to + done, link_data.bytes, count);
        done += count;
        if (progress) {
            say_progress("reading the trace", done, size);
        }
    }
}

/*
 * The hart went on recording while its ring was read. What was written after the header had been
 * read has overwritten the oldest records: these go, and the rest becomes a ring that is not full.
 */
static void settle(uint8_t *bytes, uint64_t offset, uint64_t size)
{
    struct trace_header *ring = (struct trace_header *)bytes;
    struct trace_record *records = (struct trace_record *)(ring + 1);
    uint64_t capacity = (size - sizeof(*ring)) / sizeof(*records);
    uint64_t first, count;
    struct trace_record *kept;
    struct trace_header now;

    read_rings((uint8_t *)&now, offset, sizeof(now), false);
    if (ring->magic != COTENANT_TRACE_MAGIC || ring->version != COTENANT_TRACE_VERSION ||
        ring->capacity != capacity || now.written < ring->written) {
        fail(EXIT_NO_MONITOR, "what the monitor recorded is no trace of version %u",
             COTENANT_TRACE_VERSION);
    }
    first = now.written > capacity ? now.written - capacity : 0;
    count = ring->written > first ? ring->written - first : 0;
    kept = calloc(capacity, sizeof(*kept));
    if (kept == NULL) {
        fail(EXIT_REFUSED, "no memory");
    }
    for (uint64_t i = 0; i < count; i++) {
        kept[i] = records[(first + i) % capacity];
    }
    memcpy(records, kept, capacity * sizeof(*kept));
    free(kept);
    ring->written = count;
    ring->next = (uint32_t)(count % capacity);
}

void verb_trace(const struct request *request)
{
    struct control_version version;
    uint64_t size;
    uint8_t *bytes;
    int file;

    if (link_ask(COTENANT_CONTROL_VERSION_GET, 0, 0, 0, NULL, 0, sizeof(version)) !=
        COTENANT_CONTROL_OK) {
        fail(EXIT_NO_MONITOR, "the monitor does not tell its version");
    }
    version = link_data.version;
    if (version.trace_size == 0) {
        fail(EXIT_REFUSED, "trace: nothing is recorded in this system");
    }
    size = version.harts == 0 ? 0 : version.trace_size / version.harts;
    if (version.harts > COTENANT_MAX_HARTS || size < COTENANT_TRACE_RING_LEAST ||
        size > COTENANT_TRACE_RING_MOST || size % COTENANT_TRACE_RING_LEAST != 0) {
        fail(EXIT_NO_MONITOR, "the monitor tells of a trace that cannot be");
    }
    bytes = malloc(size);
    file = open(request->file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) {
        fail_errno("write", request->file);
    }
    if (bytes == NULL) {
        fail(EXIT_REFUSED, "no memory");
    }
    for (uint32_t hart = 0; hart < version.harts; hart++) {
        read_rings(bytes, hart * size, size, true);
        settle(bytes, hart * size, size);
        write_all(file, request->file, bytes, size);
    }
    free(bytes);
    if (close(file) != 0) {
        fail_errno("write", request->file);
    }
    say_done("trace: %" PRIu64 " bytes are in %s", version.trace_size, request->file);
}
