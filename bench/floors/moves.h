/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For the floors' assembly: what moves many registers at once. sp is the worlds' base, `world` the
 * distance of one from it.
 */
#ifndef COTENANT_FLOORS_MOVES_H
#define COTENANT_FLOORS_MOVES_H

#include "world.h"

/* clang-format off */
/* All general registers but sp. */
    .macro move_general operation, world
    .irp n, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \operation x\n, \world + REGISTER(\n)(sp)
    .endr
    .endm

/* f0 to f31, from or to a world that `base` and `world` tell. */
    .macro move_floating operation, world, base
    .option push
    .option arch, +d
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    \operation f\n, \world + WORLD_F + 8 * \n(\base)
    .endr
    .option pop
    .endm
/* clang-format on */

#endif
