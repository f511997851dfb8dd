/* SPDX-License-Identifier: BSD-2-Clause */
/* The control protocol (core/control.h) behind a port of a tenant's virtual console. */
#ifndef COTENANT_VDEV_CONTROL_PORT_H
#define COTENANT_VDEV_CONTROL_PORT_H

#include "vdev/virtio_console.h"

/* For the control port of any tenant; who asks is the tenant that the device belongs to. */
extern const struct virtio_port_service control_port_service;
#endif
