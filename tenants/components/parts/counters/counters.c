/* SPDX-License-Identifier: BSD-2-Clause */
#include "generated.h"

#define NOT_COUNTED (~0ull)

static struct result ask(uint64_t component)
{
    switch (component) {
    case ID_TIMER:
        return timer_invocations();
    case ID_NAMES:
        return names_invocations();
    case ID_PLANT:
        return plant_invocations();
    case ID_FILES:
        return files_invocations();
    case ID_NET:
        return net_invocations();
    case ID_IP:
        return ip_invocations();
    case ID_TRANSLATOR:
        return translator_invocations();
    default:
        return (struct result){.error = ERROR_INVALID};
    }
}

/* NOT_COUNTED: it does not count, or is being restarted. */
uint64_t export_of(uint64_t component)
{
    struct result result = ask(component);

    return result.error == OK ? result.value : NOT_COUNTED;
}
