/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vector registers of a vhart that has_vectors go with its floating-point registers: features/fp
 * calls these functions of features/vector, behind HAS(vector), so that what the hart has of the
 * two is one vhart's. By the vhart's own hart.
 */
#ifndef COTENANT_FEATURES_FP_VECTORS_H
#define COTENANT_FEATURES_FP_VECTORS_H

struct vhart;

/* It gets the hart: its vector registers come, if those in the hart are another vhart's. */
void vector_claim(struct vhart *vhart);

/* It leaves its hart for good: its vector registers are lost. */
void vector_drop(struct vhart *vhart);

#endif
