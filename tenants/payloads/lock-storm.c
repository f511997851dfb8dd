/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All harts of a tenant do nothing but read a register of the virtual UART: each read takes what
 * the harts share, so that one of them wants it whenever another one has it.
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/harts.h"
#include "rt/uart.h"

const char payload_name[] = "lock-storm";

static void storm(uint64_t argument)
{
    (void)argument;
    for (;;) {
        (void)uart_read(UART_LINE_STATUS);
    }
}

void main(void)
{
    for (unsigned id = 1; id < harts_count(); id++) {
        check(harts_start(id, storm, 0).error == SBI_SUCCESS, "hart %u does not start", id);
    }
    print("storming\n");
    storm(0);
}
