/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * virtiobreak BASE ROUNDS ADDRESS...: breaks the protocol of a virtio network device as root can,
 * through /dev/mem, once its driver has been unbound. BASE is the physical address of its
 * registers. In each round it sets the device up as a driver does, lets the peer send, and then
 * does one of five things with one of the other ADDRESSES, which are not this system's memory:
 *
 *   - takes the queues away and moves their rings there, or moves the rings of live queues;
 *   - asks for queues with their rings there;
 *   - makes buffers available that lie there;
 *   - notifies the device after its reset.
 *
 * It prints in how many rounds the peer's frames came, and how many queues were refused:
 *
 *   virtiobreak: rounds=100 received=97 refused=40
 */
#include "common.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096
#define QUEUES 2
#define QUEUE_SIZE 8
#define PFN_MASK ((1ul << 55) - 1)
#define WRITE_FLAG 2
/* How long a peer has to send something. */
#define PAUSE_US 2000

/* Virtio 1.2, section 4.2.2. */
enum {
    REG_DRIVER_FEATURES = 0x020,
    REG_DRIVER_FEATURES_SELECT = 0x024,
    REG_QUEUE_SELECT = 0x030,
    REG_QUEUE_SIZE = 0x038,
    REG_QUEUE_READY = 0x044,
    REG_QUEUE_NOTIFY = 0x050,
    REG_STATUS = 0x070,
    REG_QUEUE_DESCRIPTORS = 0x080,
    REG_QUEUE_DRIVER = 0x090,
    REG_QUEUE_DEVICE = 0x0a0,
};

/* Section 2.1: ACKNOWLEDGE, DRIVER, FEATURES_OK, DRIVER_OK. */
enum { STATUS_BEGUN = 0x3, STATUS_AGREED = 0xb, STATUS_LIVE = 0xf };

struct descriptor {
    uint64_t address;
    uint32_t length;
    uint16_t flags;
    uint16_t next;
};

/* A page each, so that each part has one physical address. */
struct queue {
    struct descriptor descriptors[PAGE / sizeof(struct descriptor)];
    volatile uint16_t available[PAGE / sizeof(uint16_t)]; /* flags, index, ring */
    volatile uint16_t used[PAGE / sizeof(uint16_t)];
    uint8_t buffer[PAGE];
};

static volatile uint32_t *registers;
static struct queue *queues;
static unsigned long received;
static unsigned long refused;

static void put(unsigned offset, uint32_t value)
{
    registers[offset / 4] = value;
}

static void put_address(unsigned offset, uint64_t address)
{
    put(offset, (uint32_t)address);
    put(offset + 4, (uint32_t)(address >> 32));
}

static void *map(unsigned long address)
{
    int file = open("/dev/mem", O_RDWR | O_SYNC);
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)address);

    if (file < 0 || page == MAP_FAILED)
        give_up("/dev/mem");
    close(file);
    return page;
}

/* The physical address of an object of this process, which is in memory and stays there. */
static uint64_t physical(const volatile void *object)
{
    int file = open("/proc/self/pagemap", O_RDONLY);
    uint64_t entry = 0;
    off_t place = (off_t)((uintptr_t)object / PAGE * sizeof(entry));

    if (file < 0 || pread(file, &entry, sizeof(entry), place) != sizeof(entry))
        give_up("/proc/self/pagemap");
    close(file);
    return (entry & PFN_MASK) * PAGE + (uintptr_t)object % PAGE;
}

static void set_rings(uint32_t number, uint64_t descriptors, uint64_t driver, uint64_t device)
{
    put(REG_QUEUE_SELECT, number);
    put_address(REG_QUEUE_DESCRIPTORS, descriptors);
    put_address(REG_QUEUE_DRIVER, driver);
    put_address(REG_QUEUE_DEVICE, device);
}

/* All buffers of a queue, available at once; the first queue is the one that receives. */
static void fill(uint32_t number, uint64_t address)
{
    struct queue *queue = &queues[number];

    for (uint16_t i = 0; i < QUEUE_SIZE; i++) {
        queue->descriptors[i] = (struct descriptor){address, 1024, number == 0 ? WRITE_FLAG : 0, 0};
        queue->available[2 + i] = i;
    }
    queue->available[0] = 0;
    queue->available[1] = QUEUE_SIZE;
    queue->used[1] = 0;
}

static void start(void)
{
    put(REG_STATUS, 0);
    put(REG_STATUS, STATUS_BEGUN);
    put(REG_DRIVER_FEATURES_SELECT, 1);
    put(REG_DRIVER_FEATURES, 1); /* VIRTIO_F_VERSION_1 */
    put(REG_STATUS, STATUS_AGREED);
    for (uint32_t i = 0; i < QUEUES; i++) {
        fill(i, physical(queues[i].buffer));
        set_rings(i, physical(queues[i].descriptors), physical(queues[i].available),
                  physical(queues[i].used));
        put(REG_QUEUE_SIZE, QUEUE_SIZE);
        put(REG_QUEUE_READY, 1);
    }
    put(REG_STATUS, STATUS_LIVE);
}

static void notify(void)
{
    for (uint32_t i = 0; i < QUEUES; i++)
        put(REG_QUEUE_NOTIFY, i);
}

static void attack(unsigned long way, uint64_t address)
{
    for (uint32_t i = 0; i < QUEUES; i++) {
        put(REG_QUEUE_SELECT, i);
        if (way == 0 || way == 2)
            put(REG_QUEUE_READY, 0);
        if (way <= 2)
            set_rings(i, address, address + PAGE, address + 2 * PAGE);
        if (way == 2) {
            put(REG_QUEUE_READY, 1);
            refused += registers[REG_QUEUE_READY / 4] == 0;
        }
        if (way == 3) {
            fill(i, address);
            queues[i].available[1] = 0xffff;
        }
    }
    if (way == 4)
        put(REG_STATUS, 0);
}

int main(int argc, char **argv)
{
    unsigned long rounds;

    if (argc < 4) {
        fprintf(stderr, "usage: virtiobreak BASE ROUNDS ADDRESS...\n");
        return 2;
    }
    registers = map(parse_number(argv[1]));
    rounds = parse_number(argv[2]);
    queues = mmap(NULL, QUEUES * sizeof(struct queue), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (queues == MAP_FAILED || mlock(queues, QUEUES * sizeof(struct queue)) != 0)
        give_up("memory");
    for (unsigned long i = 0; i < rounds; i++) {
        start();
        notify();
        usleep(PAUSE_US);
        received += queues[0].used[1] != 0;
        attack(i % 5, parse_number(argv[3 + i / 5 % (unsigned long)(argc - 3)]));
        notify();
        usleep(PAUSE_US);
    }
    put(REG_STATUS, 0);
    printf("virtiobreak: rounds=%lu received=%lu refused=%lu\n", rounds, received, refused);
    return 0;
}
