/* SPDX-License-Identifier: BSD-2-Clause */
#include "features/device_reset/ns16550_reset.h"

#include "arch/mmio.h"
#include "device/ns16550.h"

#define LCR_DLAB 0x80
#define FCR_ENABLE_AND_CLEAR 0x07

static void put(uint64_t base, uint32_t shift, uint32_t number, uint8_t value)
{
    mmio_write8(base + ((uint64_t)number << shift), value);
}

static void forget(uint64_t base, uint32_t shift, uint32_t number)
{
    (void)mmio_read8(base + ((uint64_t)number << shift));
}

void ns16550_reset(uint64_t base, uint32_t shift, uint32_t divisor)
{
    put(base, shift, NS16550_LINE_CONTROL, 0);
    put(base, shift, NS16550_INTERRUPT_ENABLE, 0);
    if (divisor != 0) {
        put(base, shift, NS16550_LINE_CONTROL, LCR_DLAB);
        put(base, shift, NS16550_DATA, (uint8_t)divisor);
        put(base, shift, NS16550_INTERRUPT_ENABLE, (uint8_t)(divisor >> 8));
        put(base, shift, NS16550_LINE_CONTROL, 0);
    }
    put(base, shift, NS16550_MODEM_CONTROL, 0); /* no loop, or what is sent comes back */
    put(base, shift, NS16550_FIFO_CONTROL, FCR_ENABLE_AND_CLEAR);
    put(base, shift, NS16550_FIFO_CONTROL, 0);
    put(base, shift, NS16550_SCRATCH, 0);
    /* Each of these forgets something when it is read. */
    forget(base, shift, NS16550_DATA);
    forget(base, shift, NS16550_LINE_STATUS);
    forget(base, shift, NS16550_MODEM_STATUS);
}
