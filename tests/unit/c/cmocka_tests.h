/* SPDX-License-Identifier: BSD-2-Clause */
/* cmocka and the headers that it wants in front of it. */
#ifndef COTENANT_TESTS_CMOCKA_TESTS_H
#define COTENANT_TESTS_CMOCKA_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
