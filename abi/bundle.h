/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bundle: monitor, configuration and images in one loadable file.
 *
 *   offset 0                     monitor image (position independent, entry at its first byte;
 *                                it begins with struct monitor_header)
 *   M = monitor image size,      struct bundle
 *       rounded up to 4096
 *   M + part.store_offset        bytes of the image parts, each aligned to 4096
 *
 * The monitor copies itself and the rest to board.monitor_base, and the parts to the tenants. A
 * loader that can put each thing where it belongs spares it that. It puts the monitor image with
 * zeros for its bss, so that M is struct monitor_header.memory_size, and what follows to
 * board.monitor_base, and each part to its destination as well. The parts behind the bundle are
 * for later starts of the tenants.
 *
 * All integers are little endian. The structures have no hidden padding; the tool writes them with
 * the same field order and a unit test compares the sizes and offsets on both sides. Every field is
 * checked before it is used, and what is wrong is refused by name: by the monitor at boot, or, for
 * one that is built without its feature `check`, by the tool with the same code.
 */
#ifndef COTENANT_ABI_BUNDLE_H
#define COTENANT_ABI_BUNDLE_H

#include "limits.h"

/* "COTENANT" in memory order. */
#define COTENANT_BUNDLE_MAGIC 0x544e414e45544f43
/* Raised whenever a structure below changes. */
#define COTENANT_BUNDLE_VERSION 18

/* struct bundle_board.uart_kind */
#define COTENANT_UART_NONE 0
#define COTENANT_UART_NS16550 1
#define COTENANT_UART_SIFIVE 2
/* A 16550 whose registers are read and written as 32 bits. */
#define COTENANT_UART_NS16550_32 3

/* struct bundle_board.reset_kind */
#define COTENANT_RESET_NONE 0
#define COTENANT_RESET_SIFIVE_TEST 1

/* struct bundle_board.bus_kind: the unit that confines bus masters other than harts. */
#define COTENANT_BUS_NONE 0
/* The memory protection units of PolarFire SoC, of which each bus master has one. */
#define COTENANT_BUS_MPFS_MPU 1

/* struct bundle_board.flags: the harts implement stimecmp, and the configuration wants it used. */
#define COTENANT_BOARD_SSTC 0x1
/* The harts implement menvcfg and senvcfg (privileged ISA 1.12). */
#define COTENANT_BOARD_ENVCFG 0x2
/* The harts implement the F and D extensions. */
#define COTENANT_BOARD_FP 0x4
/* The harts implement Svpbmt: tenants may use page-based memory types. */
#define COTENANT_BOARD_SVPBMT 0x8
/* The harts implement Zicbom and Zicboz: tenants may use cache-block operations. */
#define COTENANT_BOARD_ZICBO 0x10
/*
 * The PLIC ignores a completion by a context that has not enabled the source, as its specification
 * says: tenants may write the claim/complete register of a context that is passed through.
 */
#define COTENANT_BOARD_PLIC_CHECKED 0x20
/* The harts implement the V extension: its bit of misa. */
#define COTENANT_BOARD_VECTOR 0x200000

/* struct bundle_tenant.flags: started at boot (otherwise it stays loaded, waiting for a start). */
#define COTENANT_TENANT_AUTOSTART 0x1
/* The tenant uses floating point: its registers are kept for it across switches. */
#define COTENANT_TENANT_FP 0x2
/* The tenant sees a virtual 16550 at uart_base. */
#define COTENANT_TENANT_UART 0x4
/* The tenant is started again when it crashes, or when it shuts down. */
#define COTENANT_TENANT_RESTART_ON_CRASH 0x8
#define COTENANT_TENANT_RESTART_ON_SHUTDOWN 0x10
/* Behind its virtual devices is a page of doorbells: 4 bytes for each port of its console. */
#define COTENANT_TENANT_DOORBELLS 0x20
/*
 * The tenant's PMP entries may open its virtio devices, which reach all memory then; without it
 * they are guarded: the monitor is between the tenant and the registers.
 */
#define COTENANT_TENANT_TRUSTED 0x40
/* It sees machine mode: its PLIC has the M-mode contexts of its vharts, as plic_s_context. */
#define COTENANT_TENANT_MACHINE 0x80
/* With it: no instruction of its code is replaced by one that does the same. */
#define COTENANT_TENANT_KEEP_CODE 0x100
/*
 * With COTENANT_TENANT_MACHINE: it sees S-mode too, and its PLIC has that mode's contexts, and if
 * it has COTENANT_MAX_HARTS / 2 vharts or fewer, M-mode's.
 */
#define COTENANT_TENANT_S_MODE 0x200
/* It is started when the server of its devices asks for it: served.h. */
#define COTENANT_TENANT_AWAITS_SERVER 0x400
/* With COTENANT_TENANT_FP: its vector registers are kept for it across switches. */
#define COTENANT_TENANT_VECTOR 0x800

/* struct bundle_tenant.watch_policy: what follows when no heartbeat comes in time. */
#define COTENANT_WATCH_OFF 0
#define COTENANT_WATCH_LOG 1
#define COTENANT_WATCH_RESTART 2
#define COTENANT_WATCH_STOP 3
/* Microseconds of the shortest time to be given for a heartbeat. */
#define COTENANT_WATCH_LEAST_US 1000

/* struct bundle_reset.kind: 0 is written to the Status register (virtio 1.2, section 4.2.2). */
#define COTENANT_DEVICE_RESET_NONE 0
#define COTENANT_DEVICE_RESET_VIRTIO_MMIO 1
/* No alarm, no interrupt; the time stays what it is. */
#define COTENANT_DEVICE_RESET_GOLDFISH_RTC 2
/* The configuration space of a PCI bus: all its functions off, no address and no interrupt. */
#define COTENANT_DEVICE_RESET_PCI 3
/* A 16550: no interrupt, no FIFO, nothing received, every register 0 but the divisor. */
#define COTENANT_DEVICE_RESET_NS16550 4

/* struct bundle_tenant.refusal: what follows when it does not suspend although it was asked to. */
#define COTENANT_REFUSAL_SAY 0
#define COTENANT_REFUSAL_FORCE 1

/* struct bundle_device.kind: device ids of virtio 1.2, chapter 5. */
#define COTENANT_VIRTUAL_NET 1
#define COTENANT_VIRTUAL_CONSOLE 3
#define COTENANT_VIRTUAL_INPUT 18
#define COTENANT_VIRTUAL_SOCKET 19
/*
 * One whose queues a program of another tenant works on (served.h), with its device id above: a
 * network card, a disk, a console, a source of random numbers, a file system.
 */
#define COTENANT_VIRTUAL_SERVED 0x100
#define COTENANT_VIRTUAL_SERVED_NET 0x101
#define COTENANT_VIRTUAL_SERVED_DISK 0x102
#define COTENANT_VIRTUAL_SERVED_CONSOLE 0x103
#define COTENANT_VIRTUAL_SERVED_RNG 0x104
#define COTENANT_VIRTUAL_SERVED_SHARE 0x11a

/* Bytes of address space of a virtual device. */
#define COTENANT_VIRTUAL_DEVICE_SIZE 0x1000

/* Bytes before the 32 registers themselves; struct bundle_vectors.size is a multiple of it. */
#define COTENANT_VECTORS_HEAD 64

/* struct bundle_channel.kind: a port of a virtual console at each of its two ends. */
#define COTENANT_CHANNEL_STREAM 1
/* A network: a virtual network device at each of its ends, 2 or more. */
#define COTENANT_CHANNEL_NET 2
/* A port whose other end is the monitor, for the protocol of control.h. At most one a tenant. */
#define COTENANT_CHANNEL_CONTROL 3
/*
 * Memory that its two ends share (message_ring.h), and a port at each for the doorbell: a byte
 * comes when the other end has rung.
 */
#define COTENANT_CHANNEL_MEMORY 4
/* A virtual socket device at each of its two ends, at most one a tenant. */
#define COTENANT_CHANNEL_SOCKET 5
/*
 * A tenant that has served devices: its ends are a port of the server, by which events of the
 * devices come, and the devices, 1 or more. The server may touch the client's memory.
 */
#define COTENANT_CHANNEL_SERVED 6

/* struct bundle_vhart.flags: WFI traps and gives the hart to others. */
#define COTENANT_VHART_WFI_YIELDS 0x1
/* The hart's S-mode PLIC context is passed through; to all vharts of a tenant, or to none. */
#define COTENANT_VHART_PLIC_PASSTHROUGH 0x2

/* Writes of struct monitor_header.uart_setup. */
#define COTENANT_UART_SETUP_WRITES 2

/* "COTENMON" in memory order: struct monitor_header.magic. */
#define COTENANT_MONITOR_MAGIC 0x4e4f4d4e45544f43

/* No such PLIC context, PMP entry, tenant... */
#define COTENANT_NONE 0xffff

/* struct bundle_console.mode: the tenant in focus raw, the others line by line with their names. */
#define COTENANT_CONSOLE_MUX 0
/* Every byte in a frame that names its tenant: see console.h. */
#define COTENANT_CONSOLE_FRAMED 1

#ifndef __ASSEMBLER__

#include <stdint.h>

/*
 * The first bytes of the monitor image. The build of the monitor fills in the sizes; the tool fills
 * in the UART and the reset device of the board, so that the monitor can say what is wrong with a
 * bundle that it cannot trust.
 */
struct monitor_header {
    uint32_t jump[2]; /* the entry */
    uint64_t magic;
    uint64_t image_size;  /* bytes of the image in the file; memory_size: placed, see above */
    uint64_t memory_size; /* bytes with bss and stacks, multiple of 4096 */
    uint64_t uart_base;
    uint32_t uart_kind;
    uint32_t uart_register_shift;
    uint64_t reset_base;
    uint32_t reset_kind;
    uint32_t reserved;
    /* Made in this order before the UART is used, on a board where it is not one by itself. */
    struct {
        uint64_t address; /* 4-byte aligned; 0: unused */
        uint32_t value;
        uint32_t reserved;
    } uart_setup[COTENANT_UART_SETUP_WRITES];
};

struct bundle_range {
    uint64_t base; /* physical address, bytes, 4096-aligned */
    uint64_t size; /* bytes, multiple of 4096; 0: unused */
};

/* A part of a tenant's image: copied to `destination`, the rest of `memory_size` zeroed. */
struct bundle_part {
    uint64_t store_offset; /* from the start of struct bundle, 4096-aligned */
    uint64_t destination;  /* physical address, 8-byte aligned, inside the tenant's RAM */
    uint64_t file_size;    /* bytes copied; 0 with memory_size 0: unused */
    uint64_t memory_size;  /* bytes occupied, >= file_size */
};

/*
 * A device that is reset when its tenant stops or leaves the foreground, so that it leaves the
 * tenant's memory alone and tells the next one nothing.
 */
struct bundle_reset {
    uint64_t base; /* physical address of its registers, 4096-aligned; 0: unused */
    uint32_t kind; /* COTENANT_DEVICE_RESET_* */
    /* Of a 16550: register n is at base + (n << shift); its divisor, or 0: leave as found. */
    uint16_t register_shift;
    uint16_t divisor;
};

struct bundle_hart {
    uint16_t id;             /* mhartid */
    uint16_t plic_m_context; /* or COTENANT_NONE */
    uint16_t plic_s_context; /* or COTENANT_NONE */
    uint16_t reserved;
};

/*
 * A bus master that the board's unit confines. It reaches the memory of the tenant that has its
 * devices, for which the unit's driver makes the entries; nothing at all while no tenant has them.
 */
struct bundle_master {
    uint32_t tenants; /* that own its devices, a bit each: several only of one group */
    uint16_t number;  /* in the unit */
    uint16_t entries; /* that the unit has for it */
};

struct bundle_board {
    uint64_t ram_base; /* all RAM of the board */
    uint64_t ram_size;
    uint64_t monitor_base; /* where the monitor puts itself and the store of images, 4096-aligned */
    uint64_t monitor_size; /* bytes: monitor image, bss, stacks, struct bundle and parts */
    uint64_t mtime_address;
    uint64_t mtimecmp_base; /* 8 bytes per hart, indexed by mhartid */
    uint64_t msip_base;     /* 4 bytes per hart, indexed by mhartid */
    uint64_t plic_base;
    uint64_t uart_base;
    uint64_t reset_base;
    uint32_t timebase_hz;
    uint32_t plic_sources; /* highest source number + 1 */
    uint32_t uart_kind;
    uint32_t uart_register_shift; /* register n is at base + (n << shift) */
    uint32_t uart_source;         /* PLIC source number */
    uint32_t uart_divisor;        /* baud rate divisor, or 0: leave as found */
    uint32_t reset_kind;
    uint32_t flags;       /* COTENANT_BOARD_* */
    uint32_t pmp_entries; /* implemented by every hart: 8 or 16 */
    uint32_t pmp_grain;   /* bytes: 4, or the granularity of the harts' PMP */
    uint32_t hart_count;
    uint32_t boot_hart; /* index into harts */
    struct bundle_hart harts[COTENANT_MAX_HARTS];
    uint64_t bus_base; /* registers of the unit that confines bus masters, 4096-aligned */
    uint32_t bus_kind; /* COTENANT_BUS_* */
    uint32_t master_count;
    struct bundle_master masters[COTENANT_MAX_MASTERS];
};

struct bundle_tenant {
    char name[COTENANT_NAME_SIZE];
    uint32_t flags; /* COTENANT_TENANT_* */
    uint32_t vhart_first;
    uint32_t vhart_count;
    uint32_t uart_source; /* source of the virtual UART in the tenant's PLIC */
    uint64_t entry;       /* physical address, S-mode, satp = 0, a0 = 0, a1 = devicetree */
    uint64_t devicetree;  /* physical address inside its RAM, or 0 */
    uint64_t uart_base;   /* virtual 16550: 256 bytes at this address; register shift 0 */
    uint64_t plic_base;   /* where the tenant sees its PLIC, or 0: it has none */
    uint32_t sources[COTENANT_SOURCE_WORDS]; /* physical sources that it owns, one bit each */
    struct bundle_range memory[COTENANT_MAX_MEMORY_RANGES];
    struct bundle_part parts[COTENANT_MAX_IMAGE_PARTS];
    /* Behind the others those of kind VIRTIO_MMIO, and then the unused ones. */
    struct bundle_reset resets[COTENANT_MAX_RESETS];
    /*
     * Number of the group, below COTENANT_MAX_TENANTS, whose members take turns on the same harts
     * with the same devices, one of them at a time; COTENANT_NONE: it is in none.
     */
    uint32_t group;
    uint32_t refusal;      /* COTENANT_REFUSAL_* */
    uint32_t patience_ms;  /* how long it may take to suspend, 1..600000; 0 without a group */
    uint32_t watch_policy; /* COTENANT_WATCH_* */
    uint64_t virtual_base; /* its virtual devices, COTENANT_VIRTUAL_DEVICE_SIZE each */
    uint32_t device_first; /* index into bundle.devices */
    uint32_t device_count;
    uint32_t watch_within_us; /* a heartbeat has to come within this time; 0: not given */
    uint32_t watch_boot_us;   /* the first one after the start; 0: whenever it likes */
    uint64_t watchdog_base;   /* virtual watchdog: 4096 bytes at this address, or 0: it has none */
    uint32_t may_see;         /* tenants, a bit each, that it may ask about by a control channel */
    uint32_t may_control;     /* tenants that it may command */
    /* Guests, see hosted.h: where it finds the registers, */
    uint64_t guest_base;
    uint64_t guest_memory;  /* bytes that they may be lent, all together, */
    uint32_t guest_count;   /* slots, 0: there are none, */
    uint32_t guest_vharts;  /* vharts of each */
    uint32_t guest_entries; /* and PMP entries, the last ones, which its harts' vharts leave free */
    uint32_t reserved;
};

/* A virtio device that the monitor makes. Those of a tenant follow each other. */
struct bundle_device {
    uint32_t tenant; /* index */
    uint32_t kind;   /* COTENANT_VIRTUAL_* */
    uint32_t source; /* in the tenant's PLIC */
    /* Interrupts for used buffers that it raises a second, at most; 0: as many as there are. */
    uint32_t wake_ups;
};

/* Where a channel arrives at a tenant. */
struct bundle_end {
    uint32_t device; /* index into bundle.devices */
    uint32_t port;   /* number of the port of a virtual console, 0.. */
    uint8_t mac[6];  /* address of a virtual network device */
    /* Changes of the other ends that it is told of a second, at most; 0: all. */
    uint16_t events;
};

struct bundle_channel {
    char name[COTENANT_NAME_SIZE];
    uint32_t kind; /* COTENANT_CHANNEL_* */
    uint32_t end_count;
    struct bundle_end ends[COTENANT_MAX_CHANNEL_ENDS];
    struct bundle_range window; /* memory of the ends, in no tenant's own; or unused */
};

struct bundle_vhart {
    uint32_t tenant;    /* index */
    uint32_t id;        /* the hart id that the tenant sees, 0..vhart_count-1 */
    uint32_t hart;      /* index into board.harts */
    uint32_t priority;  /* 0..255, the higher number runs first */
    uint32_t flags;     /* COTENANT_VHART_* */
    uint32_t slice_us;  /* time slice among equal priorities, 100..1000000 */
    uint32_t budget_us; /* at most this long in each period; 0: no limit */
    uint32_t period_us;
    /* Contexts of this vhart in the tenant's own PLIC, or COTENANT_NONE: that of M-mode only beside
     * that of S-mode, in all vharts of a tenant with COTENANT_TENANT_S_MODE or in none. */
    uint32_t plic_m_context;
    uint32_t plic_s_context;
    uint64_t pmp_address[COTENANT_PMP_ENTRIES]; /* values of the pmpaddr registers */
    uint8_t pmp_config[COTENANT_PMP_ENTRIES];   /* pmpcfg bytes; L (lock) is never set */
    uint32_t
        plic_claim_entry; /* PMP entry of the passed-through claim register, or COTENANT_NONE */
    uint32_t reserved;
};

struct bundle_console {
    uint32_t mode;   /* COTENANT_CONSOLE_* */
    uint32_t escape; /* control character 1..31 that starts a command of the multiplexer */
    uint32_t focus;  /* index of the tenant that has the keyboard at boot */
    uint32_t reserved;
};

/* Where the monitor records what happens: see trace.h. */
struct bundle_trace {
    uint64_t base; /* physical address of the first ring, 4096-aligned, in the monitor's place */
    uint64_t ring_size; /* bytes of each hart's ring, multiple of 4096; 0: nothing is recorded */
};

/*
 * Room in the store for an image that the previous boot stage brings, in the way of OpenSBI's
 * fw_dynamic firmware: see docs/porting.md. Parts refer to it like to any other.
 */
struct bundle_next_stage {
    uint64_t store_offset; /* from the start of struct bundle, 4096-aligned */
    uint64_t size;         /* bytes, multiple of 4096; 0: there is none */
};

/*
 * Room in the store for a tenant's device tree, which is made of the one that the previous boot
 * stage hands over by a plan (docs/abi/bundle.md). A part refers to it like to any other.
 */
struct bundle_handed_tree {
    uint64_t plan_offset; /* from the start of struct bundle, 4096-aligned */
    uint64_t plan_size;
    uint64_t store_offset; /* from the start of struct bundle, 4096-aligned */
    uint64_t size;         /* bytes, multiple of 4096; 0: there is none */
};

/* Where the monitor keeps the vector registers of vharts that are not in a hart. */
struct bundle_vectors {
    uint64_t base; /* physical address, 4096-aligned, in the monitor's place */
    uint64_t size; /* bytes for each vhart, those of guests behind the others; 0: there are none */
};

struct bundle {
    uint64_t magic;
    uint32_t version;
    uint32_t size;       /* sizeof(struct bundle) */
    uint64_t total_size; /* struct bundle and all parts, bytes */
    uint32_t crc32;      /* CRC-32 (IEEE 802.3) of struct bundle with this field zero */
    uint32_t tenant_count;
    uint32_t vhart_count;
    uint32_t device_count;
    struct bundle_board board;
    struct bundle_console console;
    struct bundle_trace trace;
    struct bundle_next_stage next_stage;
    struct bundle_handed_tree handed_tree;
    struct bundle_vectors vectors;
    struct bundle_tenant tenants[COTENANT_MAX_TENANTS];
    struct bundle_vhart vharts[COTENANT_MAX_VHARTS];
    struct bundle_device devices[COTENANT_MAX_VIRTUAL_DEVICES];
    uint32_t channel_count;
    uint32_t reserved;
    struct bundle_channel channels[COTENANT_MAX_CHANNELS];
    /* What the monitor must be built with: names of folders of monitor/features/, or empty. */
    char features[COTENANT_MAX_FEATURES][COTENANT_FEATURE_NAME_SIZE];
};

#endif

#endif
