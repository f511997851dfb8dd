/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What this monitor is built with. Each of these is 1 unless monitor/Makefile is told to leave the
 * feature out (WITHOUT); then its source files are not compiled, and monitor/absent has what others
 * call of them. boot/check.c refuses a bundle that needs what is not there.
 */
#ifndef COTENANT_CORE_FEATURES_H
#define COTENANT_CORE_FEATURES_H

/* Groups of tenants that take turns. */
#ifndef FEATURE_GROUPS
#define FEATURE_GROUPS 1
#endif

#endif
