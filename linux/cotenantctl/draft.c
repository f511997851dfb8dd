/* SPDX-License-Identifier: BSD-2-Clause */
#include "draft.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char *name; /* also once it has another one: then there is no such file */

static void remove_it(void)
{
    unlink(name);
}

static void end(int number)
{
    remove_it();
    _exit(128 + number);
}

static void catch_signal(int number)
{
    if (signal(number, end) == SIG_IGN) {
        signal(number, SIG_IGN);
    }
}

int draft_open(const char *path)
{
    int file;

    if (asprintf(&name, "%s.XXXXXX", path) < 0) {
        return -1;
    }
    file = mkstemp(name);
    if (file >= 0) {
        atexit(remove_it);
        catch_signal(SIGINT);
        catch_signal(SIGTERM);
        catch_signal(SIGHUP);
    }
    return file;
}

int draft_keep(const char *path)
{
    return rename(name, path);
}
