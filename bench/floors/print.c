// SPDX-License-Identifier: BSD-2-Clause
#include "print.h"

#include <stddef.h>

#include "board.h"

static uint64_t right;
static bool wrong;

static void put_text(const char *text)
{
    for (; *text != '\0'; text++) {
        board_put(*text);
    }
}

static void put_number(uint64_t value, unsigned base)
{
    char digits[20];
    unsigned count = 0;

    do {
        digits[count++] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    while (count > 0) {
        board_put(digits[--count]);
    }
}

static void compare(const char *whose, const char *what, const unsigned *n, uint64_t seen,
                    uint64_t wanted)
{
    if (seen == wanted) {
        right++;
        return;
    }
    wrong = true;
    put_text(whose);
    put_text(": ");
    put_text(what);
    if (n != NULL) {
        put_number(*n, 10);
    }
    put_text(" is 0x");
    put_number(seen, 16);
    put_text(" instead of 0x");
    put_number(wanted, 16);
    put_text("\n");
}

void check_nth(const char *whose, const char *what, unsigned n, uint64_t seen, uint64_t wanted)
{
    compare(whose, what, &n, seen, wanted);
}

void check(const char *whose, const char *what, uint64_t seen, uint64_t wanted)
{
    compare(whose, what, NULL, seen, wanted);
}

void print_checked(const char *name)
{
    put_text("bench: ");
    put_text(name);
    board_put(' ');
    put_number(right, 10);
    put_text("\n");
    right = 0;
}

void print_end(void)
{
    put_text(wrong ? "a floor does not do its work\n" : "bench: end\n");
}
