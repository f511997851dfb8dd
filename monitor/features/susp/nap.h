/* SPDX-License-Identifier: BSD-2-Clause */
/* Where nap.S finds what it needs of struct suspend. */
#ifndef COTENANT_FEATURES_SUSP_NAP_H
#define COTENANT_FEATURES_SUSP_NAP_H

#define SUSPEND_SIZE 48
#define SUSPEND_NAP_PC 0
#define SUSPEND_NAP_ARGUMENTS 8

#endif
