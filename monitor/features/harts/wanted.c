/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/wanted.h"

#include "core/messages.h"
#include "core/tenant.h"
#include "irq/source_set.h"

bool wanted_by_mail(const struct hart *hart)
{
    const struct schedulable *running = hart->scheduler.running;
    uint32_t mail = (uint32_t)(__atomic_load_n(&hart->mail, __ATOMIC_RELAXED) & (MAIL_WORK - 1));

    for (; mail != 0; mail &= mail - 1) {
        if (running == NULL || vharts[lowest_bit(mail)].schedulable.priority > running->priority) {
            return true;
        }
    }
    return false;
}
