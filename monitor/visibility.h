/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Included by the build in front of every C file: all symbols are the image's own. The compiler
 * then reaches them by their distance, without a table that would have to be relocated first.
 */
#pragma GCC visibility push(hidden)
