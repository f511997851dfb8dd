/* SPDX-License-Identifier: BSD-2-Clause */
/* The check of a bundle's header and of the features that it names, of any bytes. */
#include "proof.h"

#include "boot/check.c"

static const struct feature one = {"check"};
static const struct feature other = {"fifteen_letters"};

HAS_ENTRIES(features, &one, &other);

static struct bundle bundle;

/* What the header is said to be where the parts of the check begin. */
struct check_result check_fields(const struct bundle *checked, uint64_t monitor_size)
{
    (void)monitor_size;
    //@ assert 1 <= checked->tenant_count <= COTENANT_MAX_TENANTS;
    //@ assert 1 <= checked->vhart_count <= COTENANT_MAX_VHARTS;
    //@ assert checked->device_count <= COTENANT_MAX_VIRTUAL_DEVICES;
    //@ assert checked->channel_count <= COTENANT_MAX_CHANNELS;
    (void)checked;
    return check_good();
}

int main(void)
{
    MAKE_ANY(bundle);
    check_bundle(&bundle, any64());
    return 0;
}
