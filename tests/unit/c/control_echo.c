/* SPDX-License-Identifier: BSD-2-Clause */
#include "control_echo.h"

#include <string.h>

uint8_t echo_memory[COTENANT_CONTROL_MOST_DATA];
struct control_link echo_link;

uint16_t control_check(const struct control_link *link)
{
    echo_link = *link;
    return COTENANT_CONTROL_OK;
}

uint16_t control_use(struct control_link *link, const uint8_t *bytes, uint32_t length)
{
    memcpy(echo_memory + link->data_taken, bytes, length);
    link->data_taken += length;
    return COTENANT_CONTROL_OK;
}

uint16_t control_finish(struct control_link *link, uint32_t *length)
{
    *length = 0;
    link->memory = (uint64_t)echo_memory;
    link->memory_left = link->request.item;
    return COTENANT_CONTROL_OK;
}

bool control_may_read_on(const struct control_link *link)
{
    (void)link;
    return true;
}
