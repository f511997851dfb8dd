/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What happens to a tenant is announced by those that make it happen. A file that has to do
 * something about it registers a function for that, at link time, and nothing else names it:
 *
 *   TENANT_HOOK(begins, watch_tenant);
 *
 * The linker script gathers the functions of each event in a table; their order is that of the
 * files. All are called with interrupts off and the shared lock held, on any hart. Announcing is
 * inline: it lies in paths whose length is held.
 */
#ifndef COTENANT_CORE_TENANT_HOOKS_H
#define COTENANT_CORE_TENANT_HOOKS_H

struct tenant;

/*
 * The tables, by the names that a linker gives to the ends of sections. Weak: a unit test may have
 * none. `parameters` and `arguments` come with their parentheses.
 *
 * NOLINTBEGIN(bugprone-reserved-identifier,bugprone-macro-parentheses)
 */
#define TENANT_EVENT(event, parameters, arguments)                                                 \
    typedef void tenant_##event##_hook parameters;                                                 \
    extern tenant_##event##_hook *const __start_tenant_##event[] __attribute__((weak));            \
    extern tenant_##event##_hook *const __stop_tenant_##event[] __attribute__((weak));             \
    static inline void tenant_##event parameters                                                   \
    {                                                                                              \
        for (tenant_##event##_hook *const *hook = __start_tenant_##event;                          \
             hook != __stop_tenant_##event; hook++) {                                              \
            (*hook) arguments;                                                                     \
        }                                                                                          \
    }

/* Its images are in place and its first vhart starts. */
TENANT_EVENT(begins, (struct tenant * tenant), (tenant))

/* It does not run any more: it has stopped, or suspends for longer. */
TENANT_EVENT(leaves, (struct tenant * tenant), (tenant))

/* It has stopped, and does not start again by itself. */
TENANT_EVENT(ended, (struct tenant * tenant), (tenant))

/* The devices that `before` had are the tenant's from now on. */
TENANT_EVENT(takes_over, (struct tenant * tenant, const struct tenant *before), (tenant, before))

/* It is asked to suspend, for another one of its group. */
TENANT_EVENT(is_asked_to_suspend, (const struct tenant *tenant), (tenant))

/* NOLINTEND(bugprone-reserved-identifier,bugprone-macro-parentheses) */

#define TENANT_HOOK(event, function)                                                               \
    static tenant_##event##_hook *const function##_hook                                            \
        __attribute__((used, section("tenant_" #event))) = (function)

#endif
