/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memtouch ADDRESS r|w [COUNT]: reads or writes a 4-byte word at a physical address through
 * /dev/mem, COUNT times (1), and prints what came of it:
 *
 *   memtouch: address=0x80000000 access=r result=SIGSEGV
 *
 * `result` is value=0x... for a read, done for a write, or the name of the signal. The status is 0
 * when there was no fault and 3 when there was one, so that the caller can expect either. There is
 * no execute: Linux 6.12 itself faults when a process maps /dev/mem executable, on any machine.
 */
#include "common.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#define STATUS_FAULT 3
/* What is written. */
#define PATTERN 0xc07e4a47U

static sigjmp_buf after_fault;

static void on_fault(int signal_number)
{
    siglongjmp(after_fault, signal_number);
}

static void catch_faults(void)
{
    struct sigaction action = {.sa_handler = on_fault};

    sigemptyset(&action.sa_mask);
    if (sigaction(SIGSEGV, &action, NULL) != 0 || sigaction(SIGBUS, &action, NULL) != 0)
        give_up("sigaction");
}

/* Maps the page around a physical address; returns the place of the address itself. */
static volatile uint32_t *map_physical(unsigned long address)
{
    unsigned long page_mask = (unsigned long)sysconf(_SC_PAGESIZE) - 1;
    int file = open("/dev/mem", O_RDWR | O_SYNC);
    uint8_t *page;

    if (file < 0)
        give_up("/dev/mem");
    page = mmap(NULL, page_mask + 1, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                (off_t)(address & ~page_mask));
    if (page == MAP_FAILED)
        give_up("mmap");
    close(file);
    return (volatile uint32_t *)(page + (address & page_mask));
}

/* Does the access `count` times; returns the last word that was read. */
static uint32_t touch(volatile uint32_t *word, char access, unsigned long count)
{
    uint32_t value = 0;

    while (count-- > 0) {
        if (access == 'r')
            value = *word;
        else
            *word = PATTERN;
    }
    return value;
}

/* Touches. Returns 0 with the last word that was read in `value`, or the fault's signal. */
static int try_touching(volatile uint32_t *word, char access, unsigned long count, uint32_t *value)
{
    int fault = sigsetjmp(after_fault, 1);

    if (fault == 0)
        *value = touch(word, access, count);
    return fault;
}

int main(int argc, char **argv)
{
    unsigned long address;
    uint32_t value = 0;
    char access;
    volatile uint32_t *word;
    int fault;

    if (argc < 3 || argc > 4 || strlen(argv[2]) != 1 || strchr("rw", argv[2][0]) == NULL) {
        fprintf(stderr, "usage: memtouch ADDRESS r|w [COUNT]\n");
        return 2;
    }
    address = parse_number(argv[1]);
    access = argv[2][0];
    word = map_physical(address);
    catch_faults();
    fault = try_touching(word, access, argc == 4 ? parse_number(argv[3]) : 1, &value);
    printf("memtouch: address=0x%lx access=%c result=", address, access);
    if (fault != 0)
        printf("SIG%s\n", sigabbrev_np(fault));
    else if (access == 'r')
        printf("value=0x%08x\n", value);
    else
        printf("done\n");
    return fault != 0 ? STATUS_FAULT : 0;
}
