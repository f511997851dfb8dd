/* SPDX-License-Identifier: BSD-2-Clause */
/* The devices of two members of a group, for the floor of a switch between them. */
#ifndef COTENANT_FLOORS_OSSWITCH_H
#define COTENANT_FLOORS_OSSWITCH_H

#include "world.h"

/* QEMU's machine "virt". */
#define RTC 0x00101000
#define RTC_IRQ_ENABLED 0x10
#define RTC_CLEAR_ALARM 0x14
#define RTC_CLEAR_INTERRUPT 0x1c
#define RTC_SOURCE 11
#define VIRTIO 0x10001000
#define VIRTIO_STATUS 0x70
#define VIRTIO_SOURCE 1
#define PLIC 0x0c000000
#define PLIC_PENDING 0x0c001000
#define PLIC_ENABLES 0x0c002000
#define PLIC_ENABLE_S 0x80 /* of the hart's S-mode context, from there */
#define PLIC_THRESHOLD_S 0x0c201000
#define PLIC_CLAIM 4 /* from there */

/* A member's virtual UART, from sp: behind the worlds. */
#define UART_A (SEEN + WORLD_SIZE)
#define UART_B (UART_A + UART_SIZE)
#define UART_SIZE 32
#define UART_RECEIVE 0
#define UART_LOOPBACK 8
#define UART_REGISTERS 16
#define UART_STATUS 24
#define UART_LEFT 28
/* Of UART_REGISTERS all but the modem's status are 0 after a reset. */
#define MODEM_READY_SHIFTED_DOWN 0xb0
#define MODEM_SHIFT 32
#define UART_READY_AND_CLOSED 0x01000100
#define UART_CLOSED 3 /* a byte of UART_STATUS */

#ifndef __ASSEMBLER__
struct uart {
    uint32_t receive[2]; /* head and tail */
    uint32_t loopback[2];
    uint64_t registers;
    uint32_t status;
    uint32_t left;
};

_Static_assert(sizeof(struct uart) == UART_SIZE, "assembly knows it");

extern const char os_switch[];
extern const char one_begins[];
extern const char two_resumes[];
extern const char two_stays[];
#endif

#endif
