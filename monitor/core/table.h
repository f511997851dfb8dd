/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables that are put together at link time: a file adds an entry, and the code that walks the
 * table does not know the file. A table is a section of its name; boot/monitor.ld lists them all.
 */
#ifndef COTENANT_CORE_TABLE_H
#define COTENANT_CORE_TABLE_H

/*
 * Declares the table by the names that a linker gives to the ends of sections. Weak: a unit test
 * may have no entry.
 *
 * NOLINTBEGIN(bugprone-reserved-identifier,bugprone-macro-parentheses)
 */
#define TABLE(type, name)                                                                          \
    typedef type name##_entry;                                                                     \
    extern name##_entry __start_##name[] __attribute__((weak));                                    \
    extern name##_entry __stop_##name[] __attribute__((weak))

#define FOR_EACH_IN_TABLE(name, entry)                                                             \
    for (name##_entry *entry = __start_##name; entry != __stop_##name; entry++)

/*
 * Attributes of a variable that is an entry; all entries of a table have one type. The alignment is
 * said, or the compiler might choose a larger one.
 */
#define TABLE_ENTRY(name) __attribute__((used, section(#name), aligned(8)))
/* NOLINTEND(bugprone-reserved-identifier,bugprone-macro-parentheses) */

#endif
