/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a monitor is built with. A feature is a folder in monitor/features/: everything of it is
 * there, and what is in the folder registers itself (core/hooks.h, sbi/sbi.h and others). A feature
 * that is left out of a build, or whose folder is gone, leaves no trace.
 *
 * A bundle names the features that its system needs; boot/check.c refuses what is not here.
 */
#ifndef COTENANT_CORE_FEATURE_H
#define COTENANT_CORE_FEATURE_H

#include "abi/limits.h"
#include "built_with.h"
#include "core/table.h"

struct feature {
    char name[COTENANT_FEATURE_NAME_SIZE]; /* of its folder */
};

TABLE(const struct feature, features);

/* Once in each feature. */
#define FEATURE(name) static const struct feature name##_feature TABLE_ENTRY(features) = {#name}

/*
 * 1 if the monitor is built with the feature, else 0, at compile time: for the few tests on hot
 * paths. The Makefile writes built_with.h.
 */
#define HAS(name) HAS_EXPANDED(WITH_##name)
#define HAS_EXPANDED(with) HAS_PASTED(with)
#define HAS_PASTED(with) HAS_SPLIT(HAS_SHIFT_##with 1, 0, )
#define HAS_SHIFT_1 0,
#define HAS_SPLIT(...) HAS_SECOND(__VA_ARGS__)
#define HAS_SECOND(ignored, value, ...) value

#endif
