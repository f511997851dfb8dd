/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets of a guest's process in the file system, for other processes of root. */
#ifndef COHOST_UNIX_SOCKET_H
#define COHOST_UNIX_SOCKET_H

/*
 * Listens at a path, where nothing was or a socket of a process that is gone. Who sees it can
 * connect: it comes into being as PATH~, which no guest has. Ends the program if that fails.
 */
int unix_socket_listen(const char *path, int most);

/* Connects; -1: errno says why not. */
int unix_socket_connect(const char *path);

/* Sends a byte with an open file, and receives such. -1: that failed, or there is no file. */
int unix_socket_send_file(int socket, int file);
int unix_socket_receive_file(int socket);

#endif
