/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The archive is in the format newc (initramfs-buffer-format.rst of the kernel). Its files lie in
 * /cohost, where no other file of an initrd is.
 */
#include "exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

#define DIRECTORY 0040755
#define PROGRAM 0100755
#define NAME "the command's archive"

/*
 * ttyS1 brings the command's input as keys of a terminal that has an end (line_input.h), from where
 * it goes on as a pipe, and takes its output; ttyS3 takes its errors. The last close of a serial
 * port waits until all is sent: the output is complete when the exit code is told. It is dd that
 * fills the pipe: cat may leave that to the kernel, which keeps the pipe locked while nothing is
 * typed, and then the command cannot close it.
 */
static const char init_script[] =
    "#!/bin/busybox sh\n"
    "/bin/busybox --install -s /bin\n"
    "export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root\n"
    "mkdir -p /proc /sys /dev /run /tmp /root\n"
    "mount -t proc proc /proc\n"
    "mount -t sysfs sysfs /sys\n"
    "mount -t devtmpfs devtmpfs /dev\n"
    "ln -s /proc/self/fd /dev/fd\n"
    "ln -s fd/0 /dev/stdin\n"
    "ln -s fd/1 /dev/stdout\n"
    "ln -s fd/2 /dev/stderr\n"
    "mount -t tmpfs tmpfs /run\n"
    "mount -t tmpfs tmpfs /tmp\n"
    /* The modules of an initrd may lie in /lib/modules itself. */
    "[ ! -e /lib/modules/modules.dep ] || ln -s . \"/lib/modules/$(uname -r)\"\n"
    "for name in virtio_mmio virtio_blk virtio_net virtio_rng virtiofs; do modprobe -q $name; "
    "done\n"
    "exec 3<>/dev/ttyS1\n"
    "stty raw -echo icanon iexten crtscts lnext ^V eof ^D erase undef kill undef werase undef "
    "rprnt undef eol undef eol2 undef <&3\n"
    "stty raw -echo </dev/ttyS3\n"
    "mkfifo /run/input\n"
    "dd bs=4096 <&3 >/run/input 2>/dev/null &\n"
    "input=$!\n"
    "echo ready >/dev/ttyS2\n"
    "sh /cohost/command </run/input >&3 2>/dev/ttyS3 3>&-\n"
    "code=$?\n"
    "kill $input 2>/dev/null\n"
    "wait $input\n"
    "exec 3>&-\n"
    "echo \"exit $code\" >/dev/ttyS2\n"
    "sync\n"
    "poweroff -f\n";

static void write_padding(FILE *archive)
{
    while (ftell(archive) % 4 != 0) {
        fputc(0, archive);
    }
}

static void write_entry(FILE *archive, const char *name, unsigned mode, const char *text)
{
    static unsigned inode;

    /* inode, mode, uid, gid, links, mtime, size, 4 device numbers, size of the name, checksum */
    fprintf(archive, "070701%08x%08x%08x%08x%08x%08x%08zx%08x%08x%08x%08x%08zx%08x", ++inode, mode,
            0u, 0u, 1u, 0u, strlen(text), 0u, 0u, 0u, 0u, strlen(name) + 1, 0u);
    fwrite(name, 1, strlen(name) + 1, archive);
    write_padding(archive);
    fputs(text, archive);
    write_padding(archive);
}

/* The command as a line for a shell that takes every word as it is. */
static char *quote(char *const *words)
{
    char *text = NULL;
    size_t size;
    FILE *line = open_memstream(&text, &size);

    if (line == NULL) {
        fail_errno("find memory for", NAME);
    }
    fputs("exec", line);
    for (; *words != NULL; words++) {
        fputs(" '", line);
        for (const char *next = *words; *next != '\0'; next++) {
            if (*next == '\'') {
                fputs("'\\''", line);
            } else {
                fputc(*next, line);
            }
        }
        fputs("'", line);
    }
    fputs("\n", line);
    fclose(line);
    return text;
}

struct content exec_archive(char *const *words)
{
    struct content content = {.name = NAME, .file = NO_FILE};
    char *command = quote(words), *bytes = NULL;
    FILE *archive = open_memstream(&bytes, &content.size);

    if (archive == NULL) {
        fail_errno("find memory for", NAME);
    }
    write_entry(archive, "cohost", DIRECTORY, "");
    write_entry(archive, "cohost/init", PROGRAM, init_script);
    write_entry(archive, "cohost/command", PROGRAM, command);
    write_entry(archive, "TRAILER!!!", 0, "");
    free(command);
    if (fclose(archive) != 0) {
        fail_errno("find memory for", NAME);
    }
    content.bytes = (uint8_t *)bytes;
    return content;
}
