/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/wanted.h"

#include "core/messages.h"
#include "core/tenant.h"

bool wanted_by_mail(const struct hart *hart)
{
    const struct schedulable *running = hart->scheduler.running;
    uint64_t mail = __atomic_load_n(&hart->mail, __ATOMIC_RELAXED) & (MAIL_WORK - 1);

    for (uint32_t i = 0; mail != 0; i++, mail >>= 1) {
        if ((mail & 1) != 0 &&
            (running == NULL || vharts[i].schedulable.priority > running->priority)) {
            return true;
        }
    }
    return false;
}
