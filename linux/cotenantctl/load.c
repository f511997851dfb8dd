/* SPDX-License-Identifier: BSD-2-Clause */
/* The verb load: the images of the system, or one of the user's in place of the first of them. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "link.h"
#include "memory.h"
#include "save.h"
#include "say.h"
#include "verbs.h"

#define PIECE COTENANT_CONTROL_MOST_DATA
#define POLL_MS 10
#define MOST_POLLS 6000

#ifndef EM_RISCV
#define EM_RISCV 243
#endif

void load_from_bundle(struct tenant *tenant, const char *what)
{
    const struct timespec pause = {0, POLL_MS * 1000000l};
    uint16_t status;

    if (tenant->about.state == COTENANT_STATE_LOADED) {
        return;
    }
    status =
        link_ask(COTENANT_CONTROL_COMMAND, tenant->index, COTENANT_COMMAND_LOAD, 0, NULL, 0, 0);
    if (status != COTENANT_CONTROL_OK) {
        refused(tenant, what, status);
    }
    for (unsigned i = 0; i < MOST_POLLS; i++) {
        tenant_update(tenant);
        if (tenant->about.state == COTENANT_STATE_LOADED) {
            return;
        }
        nanosleep(&pause, NULL);
    }
    fail(EXIT_REFUSED, "%s %s: it is still %s", what, tenant->about.name,
         tenant_state(tenant->about.state));
}

struct image {
    uint8_t *bytes;
    uint64_t size;
};

static struct image read_image(const char *path)
{
    struct stat status;
    struct image image;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t done = 0;

    if (file < 0 || fstat(file, &status) != 0) {
        fail_errno("read", path);
    }
    image.size = (uint64_t)status.st_size;
    image.bytes = malloc(image.size + 1);
    if (image.bytes == NULL) {
        fail(EXIT_REFUSED, "%s does not fit into memory", path);
    }
    while (done < image.size) {
        ssize_t count = read(file, image.bytes + done, image.size - done);

        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            fail(EXIT_REFUSED, "cannot read all of %s", path);
        }
        done += (uint64_t)count;
    }
    close(file);
    return image;
}

static void check_range(const struct tenant *tenant, uint64_t address, uint64_t size)
{
    for (uint32_t i = 0; i < COTENANT_MAX_MEMORY_RANGES; i++) {
        uint64_t offset = address - tenant->about.memory[i].base;

        if (offset <= tenant->about.memory[i].size &&
            size <= tenant->about.memory[i].size - offset) {
            return;
        }
    }
    fail(EXIT_REFUSED,
         "load %s: the image has %" PRIu64 " bytes at 0x%" PRIx64
         ", which is not all in the tenant's memory",
         tenant->about.name, size, address);
}

/* `bytes` NULL: zeros. */
static void put(const struct tenant *tenant, uint64_t address, const uint8_t *bytes, uint64_t size)
{
    static const uint8_t zeros[PIECE];

    for (uint64_t offset = 0; offset < size; offset += PIECE) {
        uint32_t count = size - offset < PIECE ? (uint32_t)(size - offset) : PIECE;

        memory_write(tenant, "load", address + offset, bytes == NULL ? zeros : bytes + offset,
                     count);
        say_progress("loading", offset + count, size);
    }
}

/* A linked ELF file goes where it says; `write` false: only looks whether it can. */
static void put_elf(const struct tenant *tenant, const struct image *image, bool write)
{
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)image->bytes;
    const char *name = tenant->about.name;

    if (image->size < sizeof(*header) || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        header->e_machine != EM_RISCV || header->e_type != ET_EXEC ||
        header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff > image->size ||
        header->e_phnum > (image->size - header->e_phoff) / sizeof(Elf64_Phdr) ||
        header->e_phoff % 8 != 0) {
        fail(EXIT_REFUSED, "load %s: the image is no linked ELF file for 64-bit RISC-V", name);
    }
    if (header->e_entry != tenant->about.entry) {
        fail(EXIT_REFUSED, "load %s: the image begins at 0x%" PRIx64 ", the tenant at 0x%" PRIx64,
             name, (uint64_t)header->e_entry, tenant->about.entry);
    }
    for (unsigned i = 0; i < header->e_phnum; i++) {
        const Elf64_Phdr *part = (const Elf64_Phdr *)(image->bytes + header->e_phoff) + i;

        if (part->p_type != PT_LOAD) {
            continue;
        }
        if (part->p_offset > image->size || part->p_filesz > image->size - part->p_offset ||
            part->p_memsz < part->p_filesz) {
            fail(EXIT_REFUSED, "load %s: the image is damaged", name);
        }
        if (write) {
            put(tenant, part->p_paddr, image->bytes + part->p_offset, part->p_filesz);
            put(tenant, part->p_paddr + part->p_filesz, NULL, part->p_memsz - part->p_filesz);
        } else {
            check_range(tenant, part->p_paddr, part->p_memsz);
        }
    }
}

void verb_load(const struct request *request)
{
    struct tenant tenant;
    struct image image;
    bool elf;

    if (request->file == NULL) {
        verb_command(request);
        return;
    }
    tenant_find(request->name, &tenant);
    image = read_image(request->file);
    elf = image.size >= SELFMAG && memcmp(image.bytes, ELFMAG, SELFMAG) == 0;
    if (elf) {
        put_elf(&tenant, &image, false);
    } else {
        check_range(&tenant, tenant.about.entry, image.size);
    }
    load_from_bundle(&tenant, "load");
    if (elf) {
        put_elf(&tenant, &image, true);
    } else {
        put(&tenant, tenant.about.entry, image.bytes, image.size);
    }
    free(image.bytes);
    say_done("load %s: ok; 'start %s' starts it", request->name, request->name);
}
