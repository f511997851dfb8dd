/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls of the SBI extensions that a test is linked with, which only their table knows. */
#ifndef COTENANT_TESTS_SBI_TABLE_H
#define COTENANT_TESTS_SBI_TABLE_H

#include "cmocka_tests.h"
#include "sbi/sbi.h"

static inline struct sbi_result call_extension(uint64_t id, struct vhart *vhart, uint64_t function,
                                               const uint64_t *arguments)
{
    FOR_EACH_IN_TABLE(sbi_extensions, extension)
    {
        if (extension->id == id) {
            return extension->handler(vhart, function, arguments);
        }
    }
    fail_msg("no extension %#lx", id);
    return sbi_no_return();
}

#endif
