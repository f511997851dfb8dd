/* SPDX-License-Identifier: BSD-2-Clause */
/* A good bundle for tests to spoil: three tenants on one hart of a board like QEMU's virt. */
#ifndef COTENANT_TESTS_BUNDLE_MAKER_H
#define COTENANT_TESTS_BUNDLE_MAKER_H

#include "abi/bundle.h"

/* The memory that the monitor itself takes, as check_bundle() wants to know it; bytes. */
#define MADE_MONITOR_SIZE 0x20000

/* PMP entries of vhart 0, the Linux one; its claim register is entry MADE_CLAIM. */
#define MADE_MEMORY 0
#define MADE_RTC 1
#define MADE_ENABLES 2
#define MADE_CLAIM 3
/* Where bundle_overlap() puts the two that overlap. */
#define MADE_HOLE 0
#define MADE_AROUND 5
/* PMP entry of vharts 1 and 2 that is their memory, by TOR; the entry before it is its base. */
#define MADE_TOR 1

/* pmpcfg bytes. */
#define PMP_R 0x01
#define PMP_W 0x02
#define PMP_X 0x04
#define PMP_TOR 0x08
#define PMP_NA4 0x10
#define PMP_NAPOT 0x18

/* The pmpaddr value of a naturally aligned power of two. */
#define MADE_NAPOT(base, size) ((base) >> 2 | (((size) >> 3) - 1))

/* Fills in the bundle, its checksum included. */
void bundle_make(struct bundle *bundle);

/*
 * Moves the RTOS of a made bundle into a hole of Linux's memory. Both have the same PMP addresses
 * then: MADE_HOLE for the RTOS, and behind it MADE_AROUND, which Linux has but for the hole.
 */
void bundle_overlap(struct bundle *bundle);

/* Where bundle_share() puts the window, and its PMP entry at both ends. */
#define MADE_WINDOW_BASE 0x88800000ul
#define MADE_WINDOW_SIZE 0x10000ul
#define MADE_WINDOW 7

/* Turns the stream of a made bundle into a memory channel. */
void bundle_share(struct bundle *bundle);

/* Makes the checksum right again after a change. */
void bundle_seal(struct bundle *bundle);

#endif
