/* SPDX-License-Identifier: BSD-2-Clause */
/* The control protocol between the bytes of the console line. */
#include "core/console_mux.h"
#include "core/feature.h"
#include "core/hooks.h"
#include "features/control/control.h"

/* Who holds the line may do everything. */
#define ALL_TENANTS UINT32_MAX

static struct control_link line;

static void take(uint8_t byte)
{
    (void)control_take(&line, &byte, 1);
}

static uint32_t waiting(void)
{
    return control_waiting(&line);
}

static int next(void)
{
    uint8_t byte;

    return control_give(&line, &byte, 1) == 1 ? byte : -1;
}

static const struct console_control operations = {take, waiting, next};

static void begin(void)
{
    control_init(&line, CONTROL_OUTSIDE, ALL_TENANTS, ALL_TENANTS);
    console_control = &operations;
}

HOOK(machine_begins, begin);
FEATURE(control);
