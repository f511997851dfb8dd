/* SPDX-License-Identifier: BSD-2-Clause */
/* No control protocol: a request is not answered. */
#include "core/control.h"
#include "vdev/control_port.h"

const struct virtio_port_service control_port_service;

void control_init(struct control_link *link, uint32_t caller, uint32_t see, uint32_t control)
{
    (void)link;
    (void)caller;
    (void)see;
    (void)control;
}

uint32_t control_take(struct control_link *link, const uint8_t *bytes, uint32_t length)
{
    (void)link;
    (void)bytes;
    return length;
}

uint32_t control_waiting(const struct control_link *link)
{
    (void)link;
    return 0;
}

uint32_t control_look(const struct control_link *link, uint8_t *bytes, uint32_t room)
{
    (void)link;
    (void)bytes;
    (void)room;
    return 0;
}

void control_drop(struct control_link *link, uint32_t count)
{
    (void)link;
    (void)count;
}
