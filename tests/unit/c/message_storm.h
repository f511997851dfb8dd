/* SPDX-License-Identifier: BSD-2-Clause */
/* A hart to which other harts send messages all the time, none for a vhart above the running one.
 */
#ifndef COTENANT_TESTS_MESSAGE_STORM_H
#define COTENANT_TESTS_MESSAGE_STORM_H

#include "arch/csr.h"
#include "core/hart.h"
#include "core/messages.h"

static inline void message_storm_begin(struct hart *hart)
{
    static struct schedulable running;

    hart->scheduler.running = &running;
    hart->mail = MAIL_WORK | 1;
    csr_file_write("tp", (uint64_t)hart);
    csr_file_write("mip", INTERRUPT_MSI);
}

static inline void message_storm_end(struct hart *hart)
{
    hart->scheduler.running = NULL;
    hart->mail = 0;
    csr_file_write("mip", 0);
}

#endif
