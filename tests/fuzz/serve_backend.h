/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The back end of a share in the fuzzer of `cohost serve`: a thread that speaks vhost-user and, in
 * its memory and on its socket, does anything at any moment.
 */
#ifndef SERVE_BACKEND_H
#define SERVE_BACKEND_H

#include <stdint.h>

/* What an honest back end answers with. */
#define SERVE_BACKEND_ANSWER 0x5a

/* Listens at a path of the file system from now on. */
void serve_backend_begin(const char *path, uint64_t seed);

/*
 * How it behaves from the next connection on; one in which it was hostile ends at once. The deaf
 * one takes all that it is told and answers no request, for as long as the other side lets it.
 */
enum serve_backend_manner { SERVE_BACKEND_HOSTILE, SERVE_BACKEND_DEAF, SERVE_BACKEND_HONEST };
void serve_backend_be(enum serve_backend_manner manner);

#endif
