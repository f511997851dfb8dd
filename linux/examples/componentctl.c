/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * componentctl call NAME [ARGUMENT...]: calls a function of a component (statistics.missed), prints
 *     its value. An argument is a number, or =TEXT, which is the first 16 bytes of it in two words.
 * componentctl serve FOLDER [COUNT]: serves COUNT calls of components (default: all): "file", with
 *     the name of a file in FOLDER, is answered with its first bytes.
 *
 * Exit status 0: it did; 1: the other side refused, or does not answer; 2: a mistake of the caller.
 * docs/components.md.
 */
#include <stdio.h>
#include <stdlib.h>

#include "../channel/components.h"

#define PATIENCE_MS 5000

static int usage(void)
{
    fprintf(stderr, "usage: componentctl call NAME [NUMBER|=TEXT...] | serve FOLDER [COUNT]\n");
    return 2;
}

static int give_up(const char *what)
{
    fprintf(stderr, "componentctl: %s: %s\n", what, strerror(errno));
    return 1;
}

/* Returns how many words there are now; 0: the argument is none. */
static unsigned add_argument(const char *text, uint64_t *words, unsigned count)
{
    char *end;

    if (text[0] == '=' && count + 2 <= COMPONENT_ARGUMENTS && strlen(text + 1) <= 16) {
        memset(&words[count], 0, 16);
        memcpy(&words[count], text + 1, strlen(text + 1));
        return count + 2;
    }
    if (count == COMPONENT_ARGUMENTS)
        return 0;
    words[count] = strtoull(text, &end, 0);
    return end != text && *end == '\0' ? count + 1 : 0;
}

static int call(struct components *components, const char *name, char **arguments)
{
    uint64_t words[COMPONENT_ARGUMENTS];
    uint64_t value;
    unsigned count = 0;

    for (; *arguments != NULL; arguments++) {
        count = add_argument(*arguments, words, count);
        if (count == 0)
            return usage();
    }
    if (components_call(components, name, words, count, &value, PATIENCE_MS) != 0)
        return give_up(name);
    printf("%llu\n", (unsigned long long)value);
    return 0;
}

/* The first bytes of a file in the folder. */
static int read_file(void *folder, const char *name, uint8_t *data, uint32_t size)
{
    char path[256];
    ssize_t count;
    int file;

    if (strcmp(name, "file") != 0)
        return COMPONENT_UNKNOWN;
    if (size == 0 || size > 64 || memchr(data, '/', size) != NULL || data[0] == '.')
        return -EINVAL;
    if (snprintf(path, sizeof(path), "%s/%.*s", (const char *)folder, (int)size, (char *)data) >=
        (int)sizeof(path))
        return -EINVAL;
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return -ENOENT;
    count = read(file, data, COMPONENT_DATA_SIZE);
    close(file);
    return count < 0 ? -EIO : (int)count;
}

static int serve(struct components *components, char *folder, unsigned long count)
{
    for (unsigned long served = 0; count == 0 || served < count; served++) {
        while (components_serve(components, read_file, folder, -1) != 0) {
            int error = errno;

            components_close(components);
            errno = error;
            if (error != EPIPE || components_open(components, -1) != 0)
                return give_up("serve");
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct components components;
    int status;

    if (argc < 3 || (strcmp(argv[1], "call") != 0 && strcmp(argv[1], "serve") != 0))
        return usage();
    if (components_open(&components, PATIENCE_MS) != 0)
        return give_up(COMPONENTS_PORT);
    if (argv[1][0] == 'c')
        status = call(&components, argv[2], argv + 3);
    else
        status = serve(&components, argv[2], argc > 3 ? strtoul(argv[3], NULL, 0) : 0);
    components_close(&components);
    return status;
}
