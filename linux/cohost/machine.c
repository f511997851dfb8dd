/* SPDX-License-Identifier: BSD-2-Clause */
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include "abi/hosted.h"
#include "say.h"

#define TREE "/sys/firmware/fdt"
#define MEMORY "/dev/mem"
#define PAGEMAP "/proc/self/pagemap"
#define OVERCOMMIT "/sys/kernel/mm/hugepages/hugepages-2048kB/nr_overcommit_hugepages"
#define SURPLUS "/sys/kernel/mm/hugepages/hugepages-2048kB/surplus_hugepages"
#define MOST_TREE (1 << 20)
#define PAGE 4096
/* What the host keeps: this part of its memory, and at least so many KiB. */
#define RESERVE_SHARE 16
#define LEAST_RESERVE (32 * 1024)
/* An entry of pagemap (Documentation/admin-guide/mm/pagemap.rst). */
#define PAGEMAP_PRESENT (1ull << 63)
#define PAGEMAP_FRAME ((1ull << 55) - 1)

static uint8_t *registers;

const void *machine_tree(void)
{
    static uint8_t *tree;
    int file;
    ssize_t size;

    if (tree != NULL) {
        return tree;
    }
    tree = malloc(MOST_TREE);
    file = open(TREE, O_RDONLY | O_CLOEXEC);
    if (file < 0 || tree == NULL) {
        fail_errno("open", TREE);
    }
    size = read(file, tree, MOST_TREE);
    if (size <= 0 || size == MOST_TREE) {
        fail_start("%s is no device tree", TREE);
    }
    close(file);
    return tree;
}

const char *machine_run_directory(void)
{
    return "/run/cohost";
}

int machine_memory_file(void)
{
    int file = memfd_create("guest", MFD_CLOEXEC | MFD_HUGETLB | MFD_HUGE_2MB);

    if (file < 0) {
        fail_errno("make", "a file of 2 MiB huge pages");
    }
    return file;
}

static size_t read_number(const char *path)
{
    FILE *file = fopen(path, "re");
    size_t number;

    if (file == NULL || fscanf(file, "%zu", &number) != 1) {
        fail_errno("read", path);
    }
    fclose(file);
    return number;
}

/* Huge pages cannot be swapped out or shrunk: a host without a reserve kills its own processes. */
size_t machine_spare_pages(void)
{
    unsigned long long total = 0, available = 0, reserve; /* KiB */
    FILE *file = fopen("/proc/meminfo", "re");
    char line[128];

    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        sscanf(line, "MemTotal: %llu", &total);
        sscanf(line, "MemAvailable: %llu", &available);
    }
    if (file != NULL) {
        fclose(file);
    }
    reserve = total / RESERVE_SHARE > LEAST_RESERVE ? total / RESERVE_SHARE : LEAST_RESERVE;
    return available <= reserve ? 0 : (available - reserve) / (COTENANT_HOSTED_GRAIN / 1024);
}

/*
 * Pages beyond the pool's ("surplus") go back to the host's free memory the moment the last user
 * ends, by whatever means; pages of a raised nr_hugepages would stay in the pool.
 */
void machine_allow_pages(size_t count)
{
    size_t most = read_number(SURPLUS) + count;
    FILE *file;

    if (read_number(OVERCOMMIT) >= most) {
        return;
    }
    file = fopen(OVERCOMMIT, "we");
    if (file == NULL || fprintf(file, "%zu\n", most) < 0 || fclose(file) != 0) {
        fail_errno("write", OVERCOMMIT);
    }
}

void machine_compact(void)
{
    static const char *const files[] = {"/proc/sys/vm/drop_caches", "/proc/sys/vm/compact_memory"};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        int file = open(files[i], O_WRONLY | O_CLOEXEC);

        if (file >= 0) {
            (void)!write(file, "1", 1);
            close(file);
        }
    }
}

bool machine_add_page(int file, uint64_t offset)
{
    return fallocate(file, 0, (off_t)offset, COTENANT_HOSTED_GRAIN) == 0;
}

uint64_t machine_physical(const void *address, int from, uint64_t offset)
{
    static int file = -1;
    uint64_t entry;

    (void)from;
    (void)offset;
    if (file < 0) {
        file = open(PAGEMAP, O_RDONLY | O_CLOEXEC);
    }
    if (pread(file, &entry, sizeof(entry), (off_t)((uintptr_t)address / PAGE * sizeof(entry))) !=
        sizeof(entry)) {
        fail_errno("read", PAGEMAP);
    }
    if ((entry & PAGEMAP_PRESENT) == 0 || (entry & PAGEMAP_FRAME) == 0) {
        fail_start("%s does not tell where memory is; cohost needs to be root", PAGEMAP);
    }
    return (entry & PAGEMAP_FRAME) * PAGE;
}

#ifdef __riscv

/*
 * turn(a0: address, a1: token, a2: kicked). A signal that arrives before the store is done ends it:
 * its handler moves the pc from [turn, turn_end) to turn_end.
 */
void turn(volatile void *address, uint32_t token, const volatile bool *kicked);
extern const char turn_end[];

__asm__(".text\n"
        ".globl turn, turn_end\n"
        "turn:\n"
        "    lbu  t0, 0(a2)\n"
        "    bnez t0, turn_end\n"
        "    sw   a1, 0(a0)\n"
        "turn_end:\n"
        "    ret\n");

static void end_turn(int signal, siginfo_t *info, void *context)
{
    unsigned long *pc = &((ucontext_t *)context)->uc_mcontext.__gregs[REG_PC];

    (void)signal;
    (void)info;
    if (*pc - (unsigned long)turn < (unsigned long)turn_end - (unsigned long)turn) {
        *pc = (unsigned long)turn_end;
    }
}

uint64_t machine_time(void)
{
    uint64_t time;

    __asm__ volatile("rdtime %0" : "=r"(time));
    return time;
}

#else

/* On another machine there is no monitor; what needs none can be built and tested. */
static void turn(volatile void *address, uint32_t token, const volatile bool *kicked)
{
    (void)address;
    (void)token;
    (void)kicked;
}

static void end_turn(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    (void)context;
}

uint64_t machine_time(void)
{
    return 0;
}

#endif

void machine_map_registers(uint64_t address, size_t size)
{
    struct sigaction action = {.sa_sigaction = end_turn, .sa_flags = SA_SIGINFO | SA_RESTART};
    int file = open(MEMORY, O_RDWR | O_CLOEXEC);

    if (file < 0) {
        fail_errno("open", MEMORY);
    }
    registers = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)address);
    if (registers == MAP_FAILED) {
        fail_errno("map the monitor's registers by", MEMORY);
    }
    close(file);
    sigaction(SIGUSR1, &action, NULL);
}

uint64_t machine_read(uint64_t offset)
{
    return *(volatile uint64_t *)(registers + offset);
}

void machine_write(uint64_t offset, uint64_t value)
{
    *(volatile uint64_t *)(registers + offset) = value;
}

void machine_turn(uint64_t offset, uint32_t token, const volatile bool *kicked)
{
    turn(registers + offset, token, kicked);
}

void machine_kick(pthread_t thread)
{
    pthread_kill(thread, SIGUSR1);
}
