/* SPDX-License-Identifier: BSD-2-Clause */
/* Three tenants, the third without a console, on a console multiplexer. */
#ifndef COTENANT_TESTS_CONSOLE_BENCH_H
#define COTENANT_TESTS_CONSOLE_BENCH_H

#include <stdint.h>

#include "core/console_mux.h"
#include "features/plic/vuart_registers.h"

#define BENCH_TENANTS 3
#define BENCH_ESCAPE 0x14 /* Ctrl-T */

extern struct console_mux mux;
extern struct vuart uarts[BENCH_TENANTS];

/* Starts afresh, tenant 0 ("linux") in focus; tenant 1 is "freertos". */
void bench_init(uint32_t mode);

/* A tenant prints text. */
void bench_print(uint32_t tenant, const char *text);

/* Bytes arrive on the line. */
void bench_type(const char *text);
void bench_type_bytes(const void *bytes, uint32_t count);

/* Fails the test unless this, and no more, comes out before the multiplexer pauses. */
void assert_output(const char *expected);
void assert_output_bytes(const void *expected, uint32_t count);

/* Fails the test unless this, and no more, was received for the tenant. */
void assert_received(uint32_t tenant, const char *expected);

void bench_tick(uint32_t count);

#endif
