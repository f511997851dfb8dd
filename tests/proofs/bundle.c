/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each part of the check of a bundle but the last, of any bundle that the check of the header and
 * the phases before the part's own let through.
 */
#include "checked_bundle.h"

static void check_one_tenant(void)
{
    tenants_are_good();
    switch (any_up_to(4)) {
    case 0:
        check_resets(&bundle, one_of(bundle.tenant_count));
        break;
    case 1:
        check_guests(&bundle, one_of(bundle.tenant_count));
        break;
    case 2:
        check_machine(&bundle, one_of(bundle.tenant_count));
        break;
    case 3:
        check_owner(&bundle, one_of(bundle.tenant_count));
        break;
    default:
        check_virtual(&bundle, one_of(bundle.tenant_count));
        break;
    }
}

int main(void)
{
    uint64_t monitor_size = any32();

    switch (any_up_to(7)) {
    case 0:
        header_is_good();
        check_board(&bundle, monitor_size);
        break;
    case 1:
        board_is_good();
        check_system(&bundle, monitor_size);
        check_store(&bundle, monitor_size);
        break;
    case 2:
        board_is_good();
        check_tenant(&bundle, one_of(bundle.tenant_count));
        break;
    case 3:
        check_one_tenant();
        break;
    case 4:
        added_is_good();
        check_channels(&bundle, monitor_size);
        break;
    case 5:
        added_is_good();
        check_masters(&bundle, monitor_size);
        check_vectors(&bundle, monitor_size);
        break;
    case 6:
        connections_are_good();
        check_served(&bundle, monitor_size);
        break;
    default:
        connections_are_good();
        check_vhart(&bundle, one_of(bundle.vhart_count));
        break;
    }
    check_fields(&bundle, monitor_size);
    return 0;
}
