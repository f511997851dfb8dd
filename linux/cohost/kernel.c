/* SPDX-License-Identifier: BSD-2-Clause */
/* The header: Documentation/arch/riscv/boot-image-header.rst of the kernel. */
#include "kernel.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clearing.h"
#include "guest_tree.h"
#include "memory.h"
#include "say.h"

#define KERNEL_ALIGNMENT 0x200000
#define PAGE 4096
#define BIG_ENDIAN_FLAG 1
/*
 * The table of all sections of memory that there could be, 32 MiB, and what comes before it (Linux
 * 6.12 with sparse memory, as Debian configures it; memblocks_present()). Without such a piece the
 * kernel panics before it has read `panic=` or has a console.
 */
#define LINUX_PIECE (36ull << 20)
/* Kernels that are smaller are no such Linux. */
#define LINUX_LEAST (16ull << 20)
#define TREE_PLACE_SIZE (GUEST_TREE_SIZE + CLEARING_SIZE)

struct header {
    uint32_t code[2];
    uint64_t text_offset;
    uint64_t image_size;
    uint64_t flags;
    uint32_t version;
    uint32_t reserved[3];
    uint64_t magic;
    uint8_t magic2[4];
};

/* How much of each range of the memory is used up, from its beginning. */
static uint64_t used[COTENANT_HOSTED_MAX_RANGES];

struct content content_read(const char *name)
{
    struct content content = {.name = name};
    struct stat status;

    content.file = open(name, O_RDONLY | O_CLOEXEC);
    if (content.file < 0 || fstat(content.file, &status) != 0) {
        fail_errno("open", name);
    }
    if (!S_ISREG(status.st_mode) || status.st_size == 0) {
        fail_start("%s is not a file with something in it", name);
    }
    content.size = (size_t)status.st_size;
    content.bytes = mmap(NULL, content.size, PROT_READ, MAP_PRIVATE, content.file, 0);
    if (content.bytes == MAP_FAILED) {
        fail_errno("read", name);
    }
    return content;
}

/* Without a copy in between, and without mapping all of the file. */
static void copy(uint8_t *to, const struct content *content)
{
    size_t done = 0;

    if (content->file == NO_FILE) {
        memcpy(to, content->bytes, content->size);
        return;
    }
    while (done < content->size) {
        ssize_t count = pread(content->file, to + done, content->size - done, (off_t)done);

        if (count == 0) {
            fail_start("%s has become shorter", content->name);
        }
        if (count < 0 && errno != EINTR) {
            fail_errno("read", content->name);
        }
        done += count < 0 ? 0 : (size_t)count;
    }
}

/* Says what a file that is no Image is, if it can be told. */
static const char *kind_of(const struct content *file)
{
    static const struct {
        const char *magic;
        unsigned place;
        unsigned size;
        const char *kind;
    } kinds[] = {
        {"\x1f\x8b", 0, 2, "it is compressed by gzip: unpack it first"},
        {"\xfd"
         "7zXZ",
         0, 5, "it is compressed by xz: unpack it first"},
        {"\x28\xb5\x2f\xfd", 0, 4, "it is compressed by zstd: unpack it first"},
        {"zimg", 4, 4, "it is a compressed EFI program: unpack it first"},
        {"\x7f"
         "ELF",
         0, 4, "it is an ELF file: the kernel's file Image is wanted"},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (file->size >= kinds[i].place + kinds[i].size &&
            memcmp(file->bytes + kinds[i].place, kinds[i].magic, kinds[i].size) == 0) {
            return kinds[i].kind;
        }
    }
    return "its header lacks the magic number";
}

/* Returns the bytes that the kernel takes up in memory. */
static uint64_t check_kernel(const struct content *kernel)
{
    struct header header;
    uint64_t size;

    if (kernel->size < sizeof(header)) {
        fail_start("%s is not a RISC-V kernel image: it is too short", kernel->name);
    }
    memcpy(&header, kernel->bytes, sizeof(header));
    if (memcmp(header.magic2, "RSC\x05", sizeof(header.magic2)) != 0) {
        fail_start("%s is not a RISC-V kernel image: %s", kernel->name, kind_of(kernel));
    }
    if ((le64toh(header.flags) & BIG_ENDIAN_FLAG) != 0) {
        fail_start("%s is a big-endian kernel, which this machine does not run", kernel->name);
    }
    size = le64toh(header.image_size);
    if (size < kernel->size) {
        size = kernel->size;
    }
    /* The kernel takes all of the 2 MiB page that it ends in. */
    return (size + KERNEL_ALIGNMENT - 1) & -(uint64_t)KERNEL_ALIGNMENT;
}

/* Finds a place for `size` bytes, aligned; 0: there is none. */
static uint64_t find_place(uint64_t size, uint64_t alignment)
{
    for (unsigned i = 0; i < memory.count; i++) {
        uint64_t start = (used[i] + alignment - 1) & -alignment;

        if (start <= memory.ranges[i].size && size <= memory.ranges[i].size - start) {
            used[i] = start + size;
            return memory.ranges[i].address + start;
        }
    }
    return 0;
}

static uint64_t place_for(const char *name, uint64_t size, uint64_t alignment)
{
    uint64_t address = find_place(size, alignment);

    if (address == 0) {
        fail_start("%s does not fit: it takes %llu MiB in one piece of the guest's memory, which "
                   "has %llu MiB in %u pieces",
                   name, (unsigned long long)(size + 0xfffff) >> 20,
                   (unsigned long long)memory_size() >> 20, memory.count);
    }
    return address;
}

static bool has_piece(uint64_t kernel_size)
{
    return kernel_size < LINUX_LEAST || find_place(LINUX_PIECE, PAGE) != 0;
}

/* Where `more` begins: between two archives are zeros up to a word (initramfs-buffer-format.rst).
 */
static uint64_t after(const struct content *initrd, const struct content *more)
{
    return more->size == 0 ? initrd->size : (initrd->size + 3) & ~3ull;
}

static struct range load_initrd(const struct content *initrd, const struct content *more)
{
    uint64_t first = after(initrd, more);
    struct range range = {0, first + more->size};
    uint8_t *bytes;

    if (range.size == 0) {
        return range;
    }
    range.address = place_for(initrd->size == 0 ? more->name : initrd->name, range.size, PAGE);
    bytes = memory_at(range.address, range.size);
    memset(bytes + initrd->size, 0, first - initrd->size);
    copy(bytes, initrd);
    copy(bytes + first, more);
    clearing_written(range.address, range.size);
    return range;
}

bool kernel_has_room(const struct content *kernel, const struct content *initrd,
                     const struct content *more)
{
    uint64_t size = check_kernel(kernel), archives = after(initrd, more) + more->size;

    memset(used, 0, sizeof(used));
    return find_place(size, KERNEL_ALIGNMENT) != 0 &&
           (archives == 0 || find_place(archives, PAGE) != 0) &&
           find_place(TREE_PLACE_SIZE, PAGE) != 0 && has_piece(size);
}

struct loaded kernel_load(const struct content *kernel, const struct content *initrd,
                          const struct content *more)
{
    struct loaded loaded;
    uint64_t size = check_kernel(kernel);

    memset(used, 0, sizeof(used));
    loaded.entry = place_for(kernel->name, size, KERNEL_ALIGNMENT);
    copy(memory_at(loaded.entry, kernel->size), kernel);
    clearing_written(loaded.entry, kernel->size);
    loaded.initrd = load_initrd(initrd, more);
    loaded.tree = place_for("the device tree", TREE_PLACE_SIZE, PAGE);
    loaded.clearing = loaded.tree + GUEST_TREE_SIZE;
    if (!has_piece(size)) {
        say("a stock Linux may panic without a word, as it needs %llu MiB in one piece beside "
            "itself: "
            "the guest has %llu MiB in %u pieces; give it more",
            LINUX_PIECE >> 20, (unsigned long long)memory_size() >> 20, memory.count);
    }
    return loaded;
}
