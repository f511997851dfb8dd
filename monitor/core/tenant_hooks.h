/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What happens to a tenant is announced by those that make it happen, and whoever has to do
 * something about it registers for that, in its own file and at link time:
 *
 *   TENANT_HOOKS(console, .takes_over = takes_over)
 *
 * The linker script gathers these; the order is that of the files. A hook that is not given is
 * NULL. All are called with interrupts off and the shared lock held, on any hart.
 */
#ifndef COTENANT_CORE_TENANT_HOOKS_H
#define COTENANT_CORE_TENANT_HOOKS_H

struct tenant;

struct tenant_hooks {
    /* `to` has the devices that `from` had. */
    void (*takes_over)(const struct tenant *from, const struct tenant *to);
};

#define TENANT_HOOKS(name, ...)                                                                    \
    static const struct tenant_hooks name##_tenant_hooks                                           \
        __attribute__((used, aligned(8), section("tenant_hooks"))) = {__VA_ARGS__}

/* Announces it. */
void tenant_takes_over(const struct tenant *from, const struct tenant *to);

#endif
