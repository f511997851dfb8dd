/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The framed mode of the console line, specified in docs/abi/console.md.
 *
 * Both directions carry frames:  FRAME_START, channel, length (1..FRAME_MAX_PAYLOAD), payload.
 * Channel 0 is the monitor, channel n+1 is tenant n. Payload bytes are not escaped: the length
 * says where a frame ends, so that nothing a tenant prints can look like another tenant's frame.
 * A receiver that finds another byte where FRAME_START is due drops bytes up to the next one.
 *
 * To the monitor, channel 0 takes one-line commands that end in '\n' (at most
 * MONITOR_COMMAND_MAX bytes): see docs/abi/console.md. It answers on channel 0 in lines.
 */
#ifndef COTENANT_ABI_CONSOLE_H
#define COTENANT_ABI_CONSOLE_H

#define COTENANT_FRAME_START 0x7e
#define COTENANT_FRAME_MAX_PAYLOAD 64
#define COTENANT_CHANNEL_MONITOR 0
#define COTENANT_CHANNEL_FIRST_TENANT 1
/* Requests and answers of the control protocol (control.h) of the program that holds the line. */
#define COTENANT_CONTROL_CHANNEL 255
#define COTENANT_MONITOR_COMMAND_MAX 64

/*
 * The same in mux mode: this byte, a length (1..FRAME_MAX_PAYLOAD), payload. To the monitor it
 * comes behind the escape key. From the monitor it comes between two bytes of anything else, and
 * nothing that a tenant prints has this byte on the line.
 */
#define COTENANT_CONTROL_START 0x1e

#endif
