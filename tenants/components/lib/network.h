/* SPDX-License-Identifier: BSD-2-Clause */
/* What the network's components say to each other. */
#ifndef COTENANT_COMPONENTS_NETWORK_H
#define COTENANT_COMPONENTS_NETWORK_H

/* The longest frame, without its checksum. */
#define FRAME_SIZE 1514
/* The most data of a datagram. */
#define DATAGRAM_SIZE 1472
/* The longest piece that ip.send and ip.receive take at once. */
#define PIECE_SIZE 2048

/* The answer if there can be no other: the device is to be started, the connection is gone, or the
 * time has passed. */
#define NETWORK_FAILED (~0ull)

#endif
