/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An image is an ELF file that relocates itself (tenants/rt/start.S): its segments are put where
 * they are meant to be, counted from the beginning of the memory.
 */
#include "components.h"

#include <elf.h>
#include <endian.h>
#include <string.h>

#include "clearing.h"
#include "guest_tree.h"
#include "memory.h"
#include "say.h"

static bool within(uint64_t offset, uint64_t size, uint64_t whole)
{
    return offset <= whole && size <= whole - offset;
}

static Elf64_Ehdr read_header(const struct content *image)
{
    static const uint8_t identity[] = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB};
    Elf64_Ehdr header = {0};

    if (image->size >= sizeof(header)) {
        memcpy(&header, image->bytes, sizeof(header));
    }
    if (memcmp(header.e_ident, identity, sizeof(identity)) != 0 ||
        le16toh(header.e_machine) != EM_RISCV || le16toh(header.e_type) != ET_DYN ||
        le16toh(header.e_phentsize) != sizeof(Elf64_Phdr) ||
        !within(le64toh(header.e_phoff), le16toh(header.e_phnum) * sizeof(Elf64_Phdr),
                image->size)) {
        fail_start("%s is not an image of the component OS: such a file is "
                   "build/tenants/components-NAME.elf",
                   image->name);
    }
    return header;
}

static void load_segment(const struct content *image, const Elf64_Phdr *segment, uint64_t room)
{
    uint64_t offset = le64toh(segment->p_offset), address = le64toh(segment->p_vaddr);
    uint64_t in_file = le64toh(segment->p_filesz), size = le64toh(segment->p_memsz);

    if (!within(offset, in_file, image->size) || in_file > size) {
        fail_start("%s is damaged: a segment is longer than the file", image->name);
    }
    if (!within(address, size, room)) {
        fail_start("%s does not fit: it takes more than the guest's memory of %llu MiB",
                   image->name, (unsigned long long)memory_size() >> 20);
    }
    memcpy(memory.bytes[0] + address, image->bytes + offset, in_file);
}

struct loaded components_load(const struct content *image)
{
    const Elf64_Ehdr header = read_header(image);
    const struct range *range = &memory.ranges[0];
    uint64_t room = range->size - GUEST_TREE_SIZE;

    memset(memory_range(0), 0, range->size); /* what it was when it rebooted, too */
    clearing_written(range->address, range->size);
    for (unsigned i = 0; i < le16toh(header.e_phnum); i++) {
        Elf64_Phdr segment;

        memcpy(&segment, image->bytes + le64toh(header.e_phoff) + i * sizeof(segment),
               sizeof(segment));
        if (le32toh(segment.p_type) == PT_LOAD) {
            load_segment(image, &segment, room);
        }
    }
    if (le64toh(header.e_entry) >= room) {
        fail_start("%s is damaged: it begins outside of its memory", image->name);
    }
    return (struct loaded){
        .entry = range->address + le64toh(header.e_entry),
        .tree = range->address + room,
    };
}
