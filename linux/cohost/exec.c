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
 * The last close of a serial port waits until all is sent: the command's output is complete when
 * its exit code is told.
 */
static const char init_script[] =
    "#!/bin/busybox sh\n"
    "/bin/busybox --install -s /bin\n"
    "export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root\n"
    "mkdir -p /proc /sys /dev /run /tmp /root\n"
    "mount -t proc proc /proc\n"
    "mount -t sysfs sysfs /sys\n"
    "mount -t devtmpfs devtmpfs /dev\n"
    "mount -t tmpfs tmpfs /run\n"
    "mount -t tmpfs tmpfs /tmp\n"
    /* The modules of an initrd may lie in /lib/modules itself. */
    "[ ! -e /lib/modules/modules.dep ] || ln -s . \"/lib/modules/$(uname -r)\"\n"
    "modprobe -q virtio_mmio\n"
    "modprobe -q virtio_blk\n"
    "stty raw -echo </dev/ttyS1\n"
    "sh /cohost/command </dev/null >/dev/ttyS1 2>&1\n"
    "echo \"exit $?\" >/dev/ttyS2\n"
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
    struct content content = {.name = NAME};
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
