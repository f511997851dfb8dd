/* SPDX-License-Identifier: BSD-2-Clause */
/* The last part of the check of a bundle: who shares a hart, and what PMP entries open. */
#include "checked_bundle.h"

int main(void)
{
    vharts_are_good();
    if (any_bool()) {
        check_sharing(&bundle, one_of(bundle.vhart_count));
    } else {
        check_protection(&bundle, one_of(bundle.vhart_count));
    }
    return 0;
}
