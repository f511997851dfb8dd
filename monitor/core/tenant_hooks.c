/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/tenant_hooks.h"

#include <stddef.h>

/* Of the linker script. Weak: a unit test may have none. */
extern const struct tenant_hooks __start_tenant_hooks[] __attribute__((weak));
extern const struct tenant_hooks __stop_tenant_hooks[] __attribute__((weak));

void tenant_takes_over(const struct tenant *from, const struct tenant *to)
{
    const struct tenant_hooks *hooks;

    for (hooks = __start_tenant_hooks; hooks != __stop_tenant_hooks; hooks++) {
        if (hooks->takes_over != NULL) {
            hooks->takes_over(from, to);
        }
    }
}
