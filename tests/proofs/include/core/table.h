/* SPDX-License-Identifier: BSD-2-Clause */
/* Stand-in for monitor/core/table.h: the linker's part is done by the entry of a proof. */
#ifndef COTENANT_TESTS_PROOFS_TABLE_H
#define COTENANT_TESTS_PROOFS_TABLE_H

#define TABLE(type, name)                                                                          \
    typedef type name##_entry;                                                                     \
    extern name##_entry *const proof_##name[];                                                     \
    extern const unsigned proof_##name##_count

#define FOR_EACH_IN_TABLE(name, entry)                                                             \
    name##_entry *entry;                                                                           \
    for (unsigned at = 0; at < proof_##name##_count && (entry = proof_##name[at], true); at++)

#define TABLE_ENTRY(name) __attribute__((used))

/* In an entry: what a table has, as pointers to it. */
#define HAS_ENTRIES(name, ...)                                                                     \
    name##_entry *const proof_##name[] = {__VA_ARGS__};                                            \
    const unsigned proof_##name##_count = sizeof(proof_##name) / sizeof(proof_##name[0])
#define HAS_NO_ENTRIES(name)                                                                       \
    name##_entry *const proof_##name[1] = {0};                                                     \
    const unsigned proof_##name##_count = 0

#endif
