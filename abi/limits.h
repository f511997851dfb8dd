/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sizes that the monitor, the tool and the documents agree on.
 *
 * The Python tool reads the #define lines of the headers in this folder (one
 * literal per line, no arithmetic), so that every number has one source.
 */
#ifndef COTENANT_ABI_LIMITS_H
#define COTENANT_ABI_LIMITS_H

/* Physical harts of a board that the monitor can drive. */
#define COTENANT_MAX_HARTS 8
/* Tenants of one system. */
#define COTENANT_MAX_TENANTS 16
/* Virtual harts of one system, all tenants together. */
#define COTENANT_MAX_VHARTS 32
/* Virtual harts that share one physical hart. */
#define COTENANT_MAX_VHARTS_PER_HART 8
/* Separate RAM ranges of one tenant. */
#define COTENANT_MAX_MEMORY_RANGES 4
/* Parts (kernel, device tree, initrd, ELF segments) loaded for one tenant. */
#define COTENANT_MAX_IMAGE_PARTS 12
/* Devices of one tenant that are reset when it stops. */
#define COTENANT_MAX_RESETS 16
/* Guarded virtio devices of one system, all tenants together. */
#define COTENANT_MAX_GUARDED 8
/* Bus masters that a board's unit confines. */
#define COTENANT_MAX_MASTERS 16
/* PMP entries described for each vhart; a hart may implement fewer. */
#define COTENANT_PMP_ENTRIES 16
/* Interrupt sources of a PLIC, source 0 (none) included. */
#define COTENANT_MAX_SOURCES 256
/* Words of a bit set over the interrupt sources. */
#define COTENANT_SOURCE_WORDS 8
/* Virtual devices of one system that tenants reach by virtio, all tenants together. */
#define COTENANT_MAX_VIRTUAL_DEVICES 32
/* Ports of one virtual console. */
#define COTENANT_MAX_PORTS 8
/* Channels of one system, and ends of one channel. */
#define COTENANT_MAX_CHANNELS 16
#define COTENANT_MAX_CHANNEL_ENDS 8
/* Bytes that a driver may write to a virtual UART that is ready (LSR.THRE), as its node tells. */
#define COTENANT_UART_TRANSMIT_FIFO 256
/* Features of the monitor that a bundle can name, and bytes of such a name with its zero. */
#define COTENANT_MAX_FEATURES 48
#define COTENANT_FEATURE_NAME_SIZE 16
/* Bytes of a name, the terminating zero included. */
#define COTENANT_NAME_SIZE 32

#endif
