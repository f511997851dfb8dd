/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * forkload SECONDS: makes processes one after the other, each of which executes this program anew,
 * and checks how each ends. Page tables, exec, signals and the scheduler are kept busy.
 */
#include "common.h"

#include <sys/wait.h>
#include <unistd.h>

/* What a child ends with, so that a lost or mixed-up status is seen. */
#define STATUS_OF(count) ((int)((count) % 200) + 1)

static _Noreturn void run_child(int status)
{
    char text[16];

    snprintf(text, sizeof(text), "%d", status);
    execl("/proc/self/exe", "forkload", "--end-with", text, (char *)NULL);
    give_up("execl");
}

/* Makes a child and waits for it; true when it ended as it was told. */
static int child_ends_with(int status)
{
    int result;
    pid_t child = fork();

    if (child < 0)
        give_up("fork");
    if (child == 0)
        run_child(status);
    if (waitpid(child, &result, 0) != child)
        give_up("waitpid");
    return WIFEXITED(result) && WEXITSTATUS(result) == status;
}

int main(int argc, char **argv)
{
    unsigned long count = 0;
    int64_t deadline;

    if (argc == 3 && strcmp(argv[1], "--end-with") == 0)
        return (int)parse_number(argv[2]);
    if (argc != 2) {
        fprintf(stderr, "usage: forkload SECONDS\n");
        return 2;
    }
    for (deadline = deadline_after(argv[1]); now_ns() < deadline; count++) {
        if (!child_ends_with(STATUS_OF(count))) {
            printf("forkload: process %lu ended in another way than it was told\n", count);
            return 1;
        }
    }
    printf("forkload: processes=%lu\n", count);
    return 0;
}
