/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What travels between honest drivers: each message names its sender and carries a number, so that
 * the receiver knows what is missing. A flow is the way from a port to one other end.
 */
#ifndef COTENANT_TESTS_SEQUENCE_FLOWS_H
#define COTENANT_TESTS_SEQUENCE_FLOWS_H

#include "sequence_machine.h"

void flows_reset(void);

/* The end at which messages arrive that `driver` sends from a port; `which` of several. */
struct driver *flow_target(const struct driver *driver, uint32_t port, uint8_t which);

/* The port of `to` at which messages from a port of `from` arrive. */
uint32_t flow_port(const struct driver *to, const struct driver *from, uint32_t port);

/* Makes a message from a port, with its headers; returns its length. `shape`: of the headers. */
uint32_t flow_make(struct driver *driver, uint32_t port, const struct driver *to, uint8_t *bytes,
                   uint32_t length, uint8_t shape);

/* The last message from there need not arrive. */
void flow_may_lose(const struct driver *driver, uint32_t port);

/* The connection of a port has ended or begun: nothing of what was sent needs to arrive. */
void flows_break(const struct driver *driver, uint32_t port);

/* Bytes have arrived at a port, in one buffer; `whole`: a message is never in several. */
void flows_receive(struct driver *driver, uint32_t port, const uint8_t *bytes, uint32_t length,
                   bool whole);
/* The same at a socket device, with its header. */
void flows_receive_packet(struct driver *driver, uint32_t queue, const uint8_t *bytes,
                          uint32_t length);

/* Some end that a port reaches is hostile. */
bool flows_have_hostile(const struct driver *driver, uint32_t port);

/* The last message has arrived. */
bool flow_has_last(const struct driver *driver, uint32_t port, const struct driver *to);

/* All messages that have to arrive have arrived. */
void flows_check(void);

/* The other end of a doorbell, if the port is one; and the port of a driver that is one. */
struct driver *bell_peer(const struct driver *driver, uint32_t port);
uint32_t bell_port(const struct driver *driver);

#endif
