/* SPDX-License-Identifier: BSD-2-Clause */
/* Proves that a tenant starts, prints and shuts down. */
#include "rt/check.h"
#include "rt/console.h"

const char payload_name[] = "hello";

void main(void)
{
    print("hello\n");
    check_pass();
}
