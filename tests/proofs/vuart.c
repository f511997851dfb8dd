/* SPDX-License-Identifier: BSD-2-Clause */
/* Any sequence of calls from power-on: the tenant's registers, the SBI console, the multiplexer. */
#include "core/vuart.h"
#include "features/plic/vuart_registers.h"
#include "proof.h"

#define MOST_AT_ONCE 64

static struct vuart uart;
static uint8_t bytes[MOST_AT_ONCE];

static void call(void)
{
    switch (any_up_to(10)) {
    case 0:
        vuart_read(&uart, any32());
        break;
    case 1:
        vuart_write(&uart, any32(), any8());
        break;
    case 2:
        vuart_receive(&uart, any8());
        break;
    case 3:
        vuart_transmit_next(&uart);
        break;
    case 4:
        MAKE_ANY(bytes);
        vuart_console_write(&uart, bytes, any_up_to(MOST_AT_ONCE));
        break;
    case 5:
        vuart_console_read(&uart, bytes, any_up_to(MOST_AT_ONCE));
        break;
    case 6:
        vuart_reset(&uart);
        break;
    case 7:
        vuart_interrupt(&uart);
        break;
    case 8:
        vuart_read_is_plain(&uart, any32());
        break;
    case 9:
        vuart_put(&uart, any8());
        break;
    default:
        vuart_transmit_used(&uart);
        vuart_refresh(0);
        break;
    }
}

int main(void)
{
    vuart_init(&uart);
    while (any_bool()) {
        call();
    }
    return 0;
}
