/* SPDX-License-Identifier: BSD-2-Clause */
/* Any keys at a terminal, beside tenants that print anything, in any order; and the help. */
#include "any_consoles.h"
#include "one_hart.h"

#include "features/terminal/keys.c"
#include "features/terminal/lines.c"

HAS_ENTRIES(console_forms, &terminal);

/* As the proof of the filter says; it is asked for what is there before more is put in. */
static bool is_asked;

void console_filter_begin(struct console_filter *of)
{
    //@ assert of == &filter;
    (void)of;
    is_asked = any_bool();
}

void console_filter_put(struct console_filter *of, uint8_t byte)
{
    //@ assert of == &filter && is_asked;
    (void)of;
    (void)byte;
    is_asked = false;
}

int console_filter_next(struct console_filter *of)
{
    //@ assert of == &filter;
    (void)of;
    is_asked = any_bool();
    return is_asked ? -1 : any8();
}

void monitor_log_skip(const char *text)
{
    monitor_puts(text);
}

/* It may be the first part again. */
void monitor_log_resume(struct monitor_log_parts *of, bool answers)
{
    (void)answers;
    if (any_bool()) {
        of->told = 0;
    }
}

void monitor_log_note_part(struct monitor_log_parts *of)
{
    of->told++;
}

int main(void)
{
    begin_consoles(COTENANT_CONSOLE_MUX);
    while (any_bool()) {
        pass_moment();
        if (any_bool()) {
            use_consoles();
        } else {
            (void)help_step(any64());
        }
    }
    return 0;
}
