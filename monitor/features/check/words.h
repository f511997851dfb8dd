/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words of refusals: what field of the bundle is wrong, and what is wrong with it. A part of
 * the check returns their numbers, which takes less code than an address, and each is there once.
 */
#ifndef COTENANT_FEATURES_CHECK_WORDS_H
#define COTENANT_FEATURES_CHECK_WORDS_H

#include "core/bundle_check.h"

#define CHECK_FIELDS(X)                                                                            \
    X(BOARD_ANY_BASE, "board.*_base")                                                              \
    X(BOARD_BOOT_HART, "board.boot_hart")                                                          \
    X(BOARD_BUS_BASE, "board.bus_base")                                                            \
    X(BOARD_BUS_KIND, "board.bus_kind")                                                            \
    X(BOARD_FLAGS, "board.flags")                                                                  \
    X(BOARD_HART_COUNT, "board.hart_count")                                                        \
    X(BOARD_HARTS_ID, "board.harts.id")                                                            \
    X(BOARD_HARTS_PLIC_M_CONTEXT, "board.harts.plic_m_context")                                    \
    X(BOARD_HARTS_PLIC_S_CONTEXT, "board.harts.plic_s_context")                                    \
    X(BOARD_MONITOR_BASE, "board.monitor_base")                                                    \
    X(BOARD_MONITOR_SIZE, "board.monitor_size")                                                    \
    X(BOARD_MSIP_BASE, "board.msip_base")                                                          \
    X(BOARD_MTIME_ADDRESS, "board.mtime_address")                                                  \
    X(BOARD_MTIMECMP_BASE, "board.mtimecmp_base")                                                  \
    X(BOARD_PLIC_BASE, "board.plic_base")                                                          \
    X(BOARD_PLIC_SOURCES, "board.plic_sources")                                                    \
    X(BOARD_PMP_ENTRIES, "board.pmp_entries")                                                      \
    X(BOARD_PMP_GRAIN, "board.pmp_grain")                                                          \
    X(BOARD_RAM_SIZE, "board.ram_size")                                                            \
    X(BOARD_RESET_BASE, "board.reset_base")                                                        \
    X(BOARD_RESET_KIND, "board.reset_kind")                                                        \
    X(BOARD_TIMEBASE_HZ, "board.timebase_hz")                                                      \
    X(BOARD_UART_BASE, "board.uart_base")                                                          \
    X(BOARD_UART_KIND, "board.uart_kind")                                                          \
    X(BOARD_UART_REGISTER_SHIFT, "board.uart_register_shift")                                      \
    X(BOARD_UART_SOURCE, "board.uart_source")                                                      \
    X(CONSOLE_ESCAPE, "console.escape")                                                            \
    X(CONSOLE_FOCUS, "console.focus")                                                              \
    X(CONSOLE_MODE, "console.mode")                                                                \
    X(TENANT_DEVICETREE, "tenant.devicetree")                                                      \
    X(TENANT_ENTRY, "tenant.entry")                                                                \
    X(TENANT_FLAGS, "tenant.flags")                                                                \
    X(TENANT_GROUP, "tenant.group")                                                                \
    X(TENANT_MAY_SEE, "tenant.may_see")                                                            \
    X(TENANT_MEMORY, "tenant.memory")                                                              \
    X(TENANT_NAME, "tenant.name")                                                                  \
    X(TENANT_PARTS_DESTINATION, "tenant.parts.destination")                                        \
    X(TENANT_PARTS_FILE_SIZE, "tenant.parts.file_size")                                            \
    X(TENANT_PARTS_STORE_OFFSET, "tenant.parts.store_offset")                                      \
    X(TENANT_PATIENCE_MS, "tenant.patience_ms")                                                    \
    X(TENANT_PLIC_BASE, "tenant.plic_base")                                                        \
    X(TENANT_REFUSAL, "tenant.refusal")                                                            \
    X(TENANT_SOURCES, "tenant.sources")                                                            \
    X(TENANT_UART_BASE, "tenant.uart_base")                                                        \
    X(TENANT_UART_SOURCE, "tenant.uart_source")                                                    \
    X(TENANT_VHART_COUNT, "tenant.vhart_count")                                                    \
    X(TENANT_WATCH_POLICY, "tenant.watch_policy")                                                  \
    X(TENANT_WATCH_WITHIN_US, "tenant.watch_within_us")                                            \
    X(TENANT_WATCHDOG_BASE, "tenant.watchdog_base")                                                \
    X(TRACE_BASE, "trace.base")                                                                    \
    X(TRACE_RING_SIZE, "trace.ring_size")                                                          \
    X(VHART_BUDGET_US, "vhart.budget_us")                                                          \
    X(VHART_FLAGS, "vhart.flags")                                                                  \
    X(VHART_HART, "vhart.hart")                                                                    \
    X(VHART_ID, "vhart.id")                                                                        \
    X(VHART_PLIC_CLAIM_ENTRY, "vhart.plic_claim_entry")                                            \
    X(VHART_PLIC_M_CONTEXT, "vhart.plic_m_context")                                                \
    X(VHART_PLIC_S_CONTEXT, "vhart.plic_s_context")                                                \
    X(VHART_PMP_ADDRESS, "vhart.pmp_address")                                                      \
    X(VHART_PMP_CONFIG, "vhart.pmp_config")                                                        \
    X(VHART_PRIORITY, "vhart.priority")                                                            \
    X(VHART_SLICE_US, "vhart.slice_us")                                                            \
    X(VHART_TENANT, "vhart.tenant")

#define CHECK_RULES(X)                                                                             \
    X(YIELDS_WITH_PLIC, "a vhart that yields cannot have the interrupt controller")                \
    X(ABOVE_MEMORY_SIZE, "above memory_size")                                                      \
    X(CLAIMED_TWICE, "another tenant claims it too")                                               \
    X(MEETS_OWN_VHART, "another vhart of its tenant is there")                                     \
    X(BEYOND, "beyond the address space")                                                          \
    X(EMPTY_OR_BEYOND, "empty or beyond the address space")                                        \
    X(NOT_A_NAME, "empty, not terminated or not printable")                                        \
    X(FINER_THAN_BOARD_PMP_GRAIN, "finer than board.pmp_grain")                                    \
    X(HOLDS_THE_MONITOR_UART, "holds the monitor's UART")                                          \
    X(IN_RAM_OR_BEYOND, "in the RAM or beyond the address space")                                  \
    X(OF_A_DEVICE, "it is a device's")                                                             \
    X(NO_MONITOR_CONTEXT, "its hart has no context for the monitor")                               \
    X(BELOW_ONE_TICK, "less than one tick of the timer")                                           \
    X(LOCKED_OR_RESERVED, "locked or reserved bits")                                               \
    X(MISALIGNED, "misaligned")                                                                    \
    X(BAD_OR_OUTSIDE_RAM, "misaligned or outside of the board's RAM")                              \
    X(BAD_OR_OUTSIDE_BUNDLE, "misaligned or outside of the bundle")                                \
    X(BAD_OR_OUTSIDE_TENANT, "misaligned or outside of the tenant's memory")                       \
    X(MORE_THAN_THE_BOARD, "more than the board has")                                              \
    X(NEEDED_BY_HARTS, "needed by several harts")                                                  \
    X(NO_DRIVER_FOR_IT, "no driver for it")                                                        \
    X(NO_SUCH_ENTRY, "no such entry, or nothing is passed through")                                \
    X(NO_SUCH_HART, "no such hart")                                                                \
    X(NO_SUCH_SOURCE, "no such source")                                                            \
    X(NO_SUCH_TENANT, "no such tenant")                                                            \
    X(NONE_OR_MISALIGNED, "none, or misaligned")                                                   \
    X(NOT_A_CONTROL_CHARACTER, "not a control character")                                          \
    X(NOT_A_POWER_OF_TWO, "not a power of two from 4 on")                                          \
    X(NOT_BELOW_PERIOD, "not below a period of at most a second")                                  \
    X(NOT_BEHIND_IMAGES, "not in the monitor's place behind the images")                           \
    X(NOT_THE_CLAIM_REGISTER, "not the claim register")                                            \
    X(NOT_PASSED_THROUGH, "not the one of its hart that is passed through")                        \
    X(UNEXPECTED, "not the one that its tenant expects")                                           \
    X(NOT_WHERE_THE_BOARD_HAS_IT, "not where the board's is")                                      \
    X(KEEPS_HART, "only the lowest of a hart may keep it while it waits")                          \
    X(OPENS_FOREIGN_DEVICE, "opens a device of another tenant")                                    \
    X(OPENS_MONITOR_DEVICE, "opens a device of the monitor")                                       \
    X(OPENS_GUARDED_DEVICE, "opens a guarded device")                                              \
    X(OPENS_FOREIGN_MEMORY, "opens memory that is not its tenant's")                               \
    X(OUT_OF_RANGE, "out of range")                                                                \
    X(OUT_OF_RANGE_OR_MISALIGNED, "out of range or misaligned")                                    \
    X(OUTSIDE_RAM, "outside of the board's RAM")                                                   \
    X(OVERLAPS_ANOTHER_RANGE, "overlaps another range")                                            \
    X(OVERLAPS_THE_MONITOR, "overlaps the monitor")                                                \
    X(SHARED_BY_TOO_MANY, "shared by too many")                                                    \
    X(STIMECMP_NEEDS_MENVCFG, "stimecmp needs menvcfg")                                            \
    X(BOARD_WITHOUT_FP, "the board has no floating point")                                         \
    X(NEEDED_AT_BOOT, "the boot hart needs one")                                                   \
    X(PASSED_TO_SOME, "the interrupt controller is for all of a tenant or none")                   \
    X(BUILT_WITHOUT, "this monitor is built without it")                                           \
    X(TOO_SMALL, "too small for monitor and images")                                               \
    X(UNKNOWN, "unknown")                                                                          \
    X(USED_TWICE, "used twice")                                                                    \
    X(WRITABLE_BUT_NOT_READABLE, "writable but not readable")

#define CHECK_FIELD_NUMBER(name, text) FIELD_##name,
#define CHECK_RULE_NUMBER(name, text) RULE_##name,

enum check_field { CHECK_FIELDS(CHECK_FIELD_NUMBER) CHECK_FIELD_COUNT };

enum check_rule { CHECK_NO_RULE, CHECK_RULES(CHECK_RULE_NUMBER) };

/* What a part returns: 0, or a rule and a field; the index of a hart, if it is one's, above them.
 */
#define CHECK_IS_GOOD 0u
#define CHECK_FIELD_BITS 7
#define CHECK_INDEX_SHIFT 16

_Static_assert(CHECK_FIELD_COUNT <= 1 << CHECK_FIELD_BITS, "a refusal holds any field");

/* Returns the refusal from inside of a part. */
#define REQUIRE_FIELD(condition, field, rule)                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            return (uint32_t)RULE_##rule << CHECK_FIELD_BITS | (uint32_t)FIELD_##field;            \
        }                                                                                          \
    } while (0)

/* Puts it into words. `index`: of the tenant or vhart, or -1. */
struct check_result check_in_words(uint32_t refusal, long index);

#endif
