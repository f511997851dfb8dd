/* SPDX-License-Identifier: BSD-2-Clause */
/* Output of mux mode. */
#include <stdio.h>
#include <string.h>

#include "abi/bundle.h"
#include "arch/csr.h"
#include "cmocka_tests.h"
#include "console_bench.h"
#include "core/monitor_log.h"
#include "features/terminal/filter.h"
#include "random.h"

static int setup(void **state)
{
    (void)state;
    bench_init(COTENANT_CONSOLE_MUX);
    return 0;
}

static void test_silence(void **state)
{
    (void)state;
    assert_output("");
    assert_false(console_mux_has_output(&mux));
    assert_false(console_mux_needs_tick(&mux));
}

static void test_focus_is_raw(void **state)
{
    (void)state;
    bench_print(0, "\033[31mred\007\r\n# ");
    assert_true(console_mux_has_output(&mux));
    assert_output("\033[31mred\007\r\n# ");
    assert_false(console_mux_has_output(&mux));
}

static void test_others_come_in_lines(void **state)
{
    (void)state;
    bench_print(1, "latency: max=9.8us\r\n");
    assert_output("[freertos] latency: max=9.8us\r\n");
    bench_print(1, "one\ntwo\n");
    assert_output("[freertos] one\r\n[freertos] two\r\n");
    bench_print(1, "\n");
    assert_output("[freertos] \r\n");
}

static void test_monitor_messages(void **state)
{
    (void)state;
    monitor_puts("monitor: started 2 tenants\n");
    monitor_puts("monitored\n");
    monitor_puts("unfinished");
    assert_output("[monitor] started 2 tenants\r\n[monitor] monitored\r\n");
}

static void test_line_of_another_breaks_an_unfinished_one(void **state)
{
    (void)state;
    bench_print(0, "# ");
    assert_output("# ");
    bench_print(1, "hello\n");
    bench_tick(4); /* then it is a prompt, or the like */
    assert_output("\r\n[freertos] hello\r\n");
    bench_print(0, "ls\r\n");
    assert_output("ls\r\n");
    bench_print(1, "again\n");
    assert_output("[freertos] again\r\n");
}

static void test_a_line_that_comes_in_pieces_is_whole(void **state)
{
    (void)state;
    bench_tick(200);
    bench_print(0, "[ 0.1] clock");
    assert_output("[ 0.1] clock");
    monitor_puts("monitor: started\n");
    bench_print(1, "hello\n");
    assert_output("");
    assert_true(console_mux_needs_tick(&mux));
    bench_tick(3);
    bench_print(0, "source\r\n[ 0.2] next");
    assert_output("source\r\n[monitor] started\r\n[ 0.2] next");
    bench_print(0, "\r\n");
    assert_output("\r\n[freertos] hello\r\n");
    /* One that goes on forever is broken all the same, and at the end nothing waits. */
    bench_print(0, "drip");
    bench_print(1, "hello\n");
    for (unsigned i = 0; i < 3; i++) {
        bench_print(0, ".");
        bench_tick(1);
    }
    assert_output("drip...");
    bench_tick(4);
    assert_output("\r\n[freertos] hello\r\n");
    bench_print(0, "last");
    assert_output("last");
    bench_print(1, "words\n");
    console_mux_flush(&mux);
    assert_output("\r\n[freertos] words\r\n");
}

static void test_unfinished_text_waits(void **state)
{
    (void)state;
    bench_print(1, "prompt> ");
    assert_output("");
    assert_true(console_mux_needs_tick(&mux));
    bench_tick(19);
    assert_output("");
    bench_tick(1);
    assert_output("[freertos] prompt> \r\n");
    assert_false(console_mux_needs_tick(&mux));
    bench_print(1, "x"); /* it waits anew */
    bench_tick(19);
    assert_output("");
    bench_print(1, "y\n");
    assert_output("[freertos] xy\r\n");
}

static void test_flush_holds_nothing_back(void **state)
{
    (void)state;
    bench_print(1, "last words");
    console_mux_flush(&mux);
    assert_output("[freertos] last words\r\n");
    assert_false(console_mux_has_output(&mux));
}

static void test_long_lines_are_broken(void **state)
{
    char text[451];
    char expected[600];

    (void)state;
    memset(text, 'x', 450);
    text[450] = '\0';
    bench_print(1, text);
    snprintf(expected, sizeof(expected), "[freertos] %.200s\r\n[freertos] %.200s\r\n", text, text);
    assert_output(expected);
    bench_print(1, "\n");
    snprintf(expected, sizeof(expected), "[freertos] %.50s\r\n", text);
    assert_output(expected);
}

static void test_control_characters_are_taken_out(void **state)
{
    (void)state;
    bench_print(1, "a\033[2Jb\033[1;31mc\033cd\007\010\177\013e\tf\rg\n");
    assert_output("[freertos] abcde\tfg\r\n");
    bench_print(1, "\033[\n");
    bench_print(1, "31m\n"); /* not a part of the sequence before */
    assert_output("[freertos] \r\n[freertos] 31m\r\n");
}

static void test_utf8_passes_and_c1_does_not(void **state)
{
    (void)state;
    bench_print(1, "12\302\265s \342\202\254 \303\237\n"); /* micro, euro, sharp s */
    assert_output("[freertos] 12\302\265s \342\202\254 \303\237\r\n");
    bench_print(1, "a\2332Jb\n"); /* CSI of ISO 8859 */
    assert_output("[freertos] a2Jb\r\n");
    bench_print(1, "a\302\2332J\302\033[m\2332Jb\n"); /* of UTF-8, hidden and not */
    assert_output("[freertos] a2J2Jb\r\n");
    bench_print(1,
                "a\351\2332Jb\303\2332J\n"); /* behind another byte of UTF-8, or as a part of one */
    assert_output("[freertos] a2Jb\303\2332J\r\n");
    bench_print(1, "a\342\224x\342\n"); /* characters that do not end */
    bench_print(1, "\2332J\302\n");
    bench_print(1, "\2332J\n");
    assert_output("[freertos] ax\r\n[freertos] 2J\r\n[freertos] 2J\r\n");
    bench_print(1, "\300\233\340\202\233\360\200\202\233\355\240\200\364\220\200\200!\n");
    assert_output("[freertos] !\r\n"); /* too long for what they are, surrogates, too high */
}

/* The next character of well-formed UTF-8; moves *text behind it. 0: it is not. */
static uint32_t decode(const uint8_t **text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint8_t lead = *(*text)++;
    unsigned length = lead < 0x80 ? 1 : lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    uint32_t character = length < 2 ? lead : lead & (0xffu >> (length + 1));

    for (unsigned i = 1; i < length; i++) {
        if ((**text & 0xc0) != 0x80) {
            return 0;
        }
        character = character << 6 | (*(*text)++ & 0x3fu);
    }
    return length == 0 || lead > 0xf4 || character < least[length] || character > 0x10ffff ||
                   (character >= 0xd800 && character < 0xe000)
               ? 0
               : character;
}

/* Whatever a tenant prints, a terminal for UTF-8 gets characters that it shows. */
static void test_no_control_gets_through(void **state)
{
    static const uint8_t likely[] = {0x1b, '[',  0xc2, 0x9b, 0x80, 0x9f, 0xa0, 0xbf, 0xe0,
                                     0xe2, 0xed, 0xf0, 0xf4, 0xff, 'm',  '1',  '\t', 0x7f};
    struct random source = {.state = 0x75746638};

    (void)state;
    for (unsigned round = 0; round < 3000; round++) {
        struct console_filter filter = {0};
        uint8_t shown[161];
        const uint8_t *next = shown;
        unsigned length = 0;

        console_filter_begin(&filter);
        for (unsigned i = 0; i < 40; i++) {
            uint64_t any = random_next(&source) >> 8;
            int byte;

            console_filter_put(&filter, any % 4 == 0 ? (uint8_t)(any >> 8)
                                                     : likely[(any >> 8) % sizeof(likely)]);
            while ((byte = console_filter_next(&filter)) >= 0) {
                shown[length++] = (uint8_t)byte;
            }
        }
        shown[length] = '\0';
        while (next < shown + length) {
            uint32_t character = decode(&next);

            assert_true(character == '\t' || (character >= 0x20 && character < 0x7f) ||
                        character >= 0xa0);
        }
    }
}

static void test_much_to_take_out_is_marked(void **state)
{
    char escapes[151];

    (void)state;
    memset(escapes, 1, 150);
    escapes[150] = '\0';
    bench_print(1, escapes);
    bench_print(1, "z\n");
    assert_output("[freertos] ....z\r\n");
}

/* What waits for the hart comes first, and nothing of the line is lost by that. */
static void test_bytes_come_one_by_one_when_the_hart_is_wanted(void **state)
{
    static const char expected[] = "[freertos] \xc3\xa4z\r\n";
    char found[sizeof(expected)] = "";
    unsigned pauses = 0;

    (void)state;
    bench_print(1, "\xc3\xa4\x1b[31mz\n");
    csr_file_write("mip", INTERRUPT_MTI);
    for (uint32_t length = 0; length < sizeof(expected) - 1 && pauses < 20;) {
        uint32_t taken = console_mux_take(&mux, (uint8_t *)found + length, 1);

        pauses += taken == 0;
        length += taken;
    }
    csr_file_write("mip", 0);
    assert_string_equal(found, expected);
    assert_int_equal(pauses, 8);
    assert_output("");
}

static void test_strange_names_cannot_harm(void **state)
{
    char longest[COTENANT_NAME_SIZE + 8];
    char expected[64];

    (void)state;
    mux.names[1] = "a]\033\n\377b";
    bench_print(1, "x\n");
    assert_output("[a????b] x\r\n");
    mux.names[1] = "";
    bench_print(1, "y\n");
    assert_output("[] y\r\n");
    memset(longest, 'n', sizeof(longest)); /* no end within reach */
    mux.names[1] = longest;
    bench_print(1, "z\n");
    snprintf(expected, sizeof(expected), "[%.32s] z\r\n", longest);
    assert_output(expected);
}

static void test_focus_does_not_starve_others(void **state)
{
    char flood[1001];
    char output[2000];
    uint32_t length = 0;

    (void)state;
    memset(flood, 'f', 1000);
    flood[1000] = '\0';
    bench_print(0, flood);
    bench_print(1, "tick\n");
    for (int byte = mux.form->next(&mux); byte >= 0; byte = mux.form->next(&mux)) {
        output[length++] = (char)byte;
    }
    output[length] = '\0';
    assert_non_null(strstr(output, "f\r\n[freertos] tick\r\nf"));
    assert_true(strstr(output, "tick") - output < 300);
    assert_int_equal(length, 1000 + 2 + strlen("[freertos] tick\r\n"));
}

static void test_others_do_not_starve_the_focus(void **state)
{
    (void)state;
    bench_print(1, "1\n2\n3\n");
    bench_print(0, "a\nb\n");
    assert_output("a\n[freertos] 1\r\nb\n[freertos] 2\r\n[freertos] 3\r\n");
}

static void test_all_sources_take_turns(void **state)
{
    (void)state;
    bench_print(1, "1\n2\n");
    monitor_puts("m\n");
    monitor_puts("n\n");
    assert_output("[monitor] m\r\n[freertos] 1\r\n[monitor] n\r\n[freertos] 2\r\n");
}

static void test_focus_changes_in_the_middle_of_a_line(void **state)
{
    (void)state;
    bench_print(1, "hello\nraw\033[m");
    for (const char *c = "[freertos] he"; *c; c++) {
        assert_int_equal(mux.form->next(&mux), *c);
    }
    mux.focus = 1;
    assert_output("llo\r\nraw\033[m");
}

static void test_no_tenants_at_all(void **state)
{
    (void)state;
    console_mux_init(&mux, COTENANT_CONSOLE_MUX, BENCH_ESCAPE, 0, NULL, NULL, 0);
    monitor_log_init();
    monitor_puts("monitor: refused: bad bundle\n");
    assert_output("[monitor] refused: bad bundle\r\n");
    bench_type("x\024n\024h");
    assert_int_equal(mux.input_dropped, 1);
    assert_true(console_mux_can_accept(&mux));
}

static void test_draining_wakes_the_tenant(void **state)
{
    (void)state;
    vuart_write(&uarts[0], 1, 0x02);
    while (vuart_read(&uarts[0], 5) & 0x20) {
        bench_print(0, "0123456789abcdef");
    }
    assert_false(vuart_interrupt(&uarts[0]));
    while (mux.form->next(&mux) >= 0) {
    }
    assert_true(vuart_interrupt(&uarts[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_silence, setup),
        cmocka_unit_test_setup(test_focus_is_raw, setup),
        cmocka_unit_test_setup(test_others_come_in_lines, setup),
        cmocka_unit_test_setup(test_monitor_messages, setup),
        cmocka_unit_test_setup(test_line_of_another_breaks_an_unfinished_one, setup),
        cmocka_unit_test_setup(test_a_line_that_comes_in_pieces_is_whole, setup),
        cmocka_unit_test_setup(test_unfinished_text_waits, setup),
        cmocka_unit_test_setup(test_flush_holds_nothing_back, setup),
        cmocka_unit_test_setup(test_long_lines_are_broken, setup),
        cmocka_unit_test_setup(test_control_characters_are_taken_out, setup),
        cmocka_unit_test_setup(test_utf8_passes_and_c1_does_not, setup),
        cmocka_unit_test(test_no_control_gets_through),
        cmocka_unit_test_setup(test_much_to_take_out_is_marked, setup),
        cmocka_unit_test_setup(test_bytes_come_one_by_one_when_the_hart_is_wanted, setup),
        cmocka_unit_test_setup(test_strange_names_cannot_harm, setup),
        cmocka_unit_test_setup(test_focus_does_not_starve_others, setup),
        cmocka_unit_test_setup(test_others_do_not_starve_the_focus, setup),
        cmocka_unit_test_setup(test_all_sources_take_turns, setup),
        cmocka_unit_test_setup(test_focus_changes_in_the_middle_of_a_line, setup),
        cmocka_unit_test_setup(test_no_tenants_at_all, setup),
        cmocka_unit_test_setup(test_draining_wakes_the_tenant, setup),
    };

    return cmocka_run_group_tests_name("console_lines", tests, NULL, NULL);
}
