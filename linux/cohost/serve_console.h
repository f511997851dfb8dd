/* SPDX-License-Identifier: BSD-2-Clause */
/* The virtio console of a tenant that is no guest; `cohost console` attaches to it. */
#ifndef COHOST_SERVE_CONSOLE_H
#define COHOST_SERVE_CONSOLE_H

void serve_console_add(const char *tenant);

#endif
