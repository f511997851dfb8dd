/* SPDX-License-Identifier: BSD-2-Clause */
/* core/console.c: what the user asks for is answered, whatever interrupts in the step it came in.
 */
#include <string.h>

#include "arch/csr.h"
#include "cmocka_tests.h"
#include "core/console.h"
#include "core/console_mux.h"
#include "core/hooks.h"
#include "core/lifecycle.h"
#include "core/messages.h"
#include "core/shared_lock.h"
#include "core/tenant.h"
#include "core/wanted.h"
#include "core/work.h"
#include "device/uart.h"

#define MOST_STEPS 8
#define TENANTS 3
#define NOW 10000

static struct bundle made;
static const volatile uint64_t now = NOW;
static struct hart hart = {.mtime = &now};
static bool typed;            /* a byte waits in the UART, which makes a request */
static bool then_wanted;      /* the hart, from when no more waits to the end of that step */
static uint32_t asked;        /* by the user */
static bool answers;          /* the answer waits for its work's turn */
static unsigned answers_seen; /* answered */

static unsigned to_send;    /* bytes that a tenant has printed */
static bool lock_is_wanted; /* another hart waits for the shared lock */
static unsigned refreshed[TENANTS];

static int next(struct console_mux *mux)
{
    (void)mux;
    if (to_send == 0) {
        return -1;
    }
    to_send--;
    return 'x';
}

static const struct console_form form = {.next = next};

bool shared_lock_has_waiting(void)
{
    return lock_is_wanted;
}

void console_mux_init(struct console_mux *mux, uint32_t mode, uint8_t escape, uint32_t focus,
                      struct vuart *const *uarts, const char *const *names, uint32_t count)
{
    (void)mode;
    (void)escape;
    (void)focus;
    (void)uarts;
    (void)names;
    (void)count;
    *mux = (struct console_mux){.form = &form};
}

bool console_mux_can_accept(const struct console_mux *mux)
{
    (void)mux;
    return true;
}

void console_mux_input(struct console_mux *mux, uint8_t byte)
{
    (void)mux;
    (void)byte;
    asked = CONSOLE_REQUEST_STATS;
}

bool console_mux_needs_tick(const struct console_mux *mux)
{
    (void)mux;
    return false;
}

void console_mux_tick(struct console_mux *mux)
{
    (void)mux;
}

uint32_t console_mux_take_requests(struct console_mux *mux)
{
    uint32_t requests = asked;

    (void)mux;
    asked = 0;
    return requests;
}

bool console_mux_has_output(const struct console_mux *mux)
{
    (void)mux;
    return false;
}

void console_mux_flush(struct console_mux *mux)
{
    (void)mux;
}

void uart_init(struct uart *uart, uint32_t kind, uint64_t base, uint32_t shift, uint32_t divisor)
{
    (void)kind;
    (void)base;
    (void)shift;
    (void)divisor;
    *uart = (struct uart){.burst = 1};
}

bool uart_transmit_ready(const struct uart *uart)
{
    (void)uart;
    return true;
}

bool uart_transmit_done(const struct uart *uart)
{
    (void)uart;
    return true;
}

void uart_transmit(const struct uart *uart, const uint8_t *bytes, uint32_t count)
{
    (void)uart;
    (void)bytes;
    assert_int_equal(count, 1);
}

void uart_put_text(const struct uart *uart, const char *text)
{
    (void)uart;
    (void)text;
}

int uart_receive(const struct uart *uart)
{
    bool had = typed;

    (void)uart;
    typed = false;
    if (!had && then_wanted) {
        then_wanted = false;
        csr_file_write("mip", INTERRUPT_MTI);
    }
    return had ? 's' : -1;
}

void uart_set_receive_interrupt(struct uart *uart, bool on)
{
    (void)uart;
    (void)on;
}

void vuart_refresh(struct tenant *tenant)
{
    refreshed[tenant - tenants]++;
}

void lifecycle_quit(void)
{
    fail_msg("the end was not asked for");
}

bool wanted_by_mail(const struct hart *of)
{
    (void)of;
    return false;
}

void messages_send_work(struct hart *of)
{
    (void)of;
}

static void take(const struct console_mux *mux, uint32_t *requests)
{
    (void)mux;
    answers = answers || *requests != 0;
    *requests = 0;
}

HOOK(console_requests, take);

static unsigned answer(uint64_t time)
{
    (void)time;
    if (!answers) {
        return WORK_NOTHING;
    }
    answers = false;
    answers_seen++;
    return WORK_DONE;
}

WORK(answer, NULL, answer);

/* Takes steps until the works rest. */
static void work_until_rest(void)
{
    unsigned steps = 0;

    do {
        work_step(now);
        csr_file_write("mip", 0);
        steps++;
    } while (hart.work_due != WORK_NEVER && steps < MOST_STEPS);
    assert_true(hart.work_due == WORK_NEVER);
}

static int begin(void **state)
{
    (void)state;
    made.board.timebase_hz = 10000000;
    bundle = &made;
    tenant_count = TENANTS;
    for (unsigned i = 0; i < TENANTS; i++) {
        tenants[i].description = &made.tenants[i];
    }
    csr_file_write("tp", (uint64_t)&hart);
    csr_file_write("mip", 0);
    work_init(&hart);
    console_init();
    answers = false;
    answers_seen = 0;
    lock_is_wanted = false;
    work_until_rest();
    memset(refreshed, 0, sizeof(refreshed));
    return 0;
}

static void ask(bool wanted)
{
    then_wanted = wanted;
    typed = true;
    console_input_ready();
    work_until_rest();
}

static void test_a_request_is_answered(void **state)
{
    (void)state;
    ask(false);
    assert_int_equal(answers_seen, 1);
}

/* Its request is taken by the next step of the console, which has nothing else to do. */
static void test_a_request_is_answered_though_the_hart_was_wanted(void **state)
{
    (void)state;
    ask(true);
    assert_int_equal(answers_seen, 1);
}

/* Hostile harts see to it that one always waits for the lock: steps are short, but get on. */
static void test_harts_that_always_wait_for_the_lock_hold_nothing_up(void **state)
{
    (void)state;
    lock_is_wanted = true;
    to_send = 4;
    work_post();
    for (unsigned left = 4; left != 0; left--) {
        assert_int_equal(to_send, left);
        work_step(now);
    }
    ask(false);
    assert_int_equal(answers_seen, 1);
    for (unsigned i = 0; i < TENANTS; i++) {
        assert_true(refreshed[i] >= 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_request_is_answered, begin),
        cmocka_unit_test_setup(test_a_request_is_answered_though_the_hart_was_wanted, begin),
        cmocka_unit_test_setup(test_harts_that_always_wait_for_the_lock_hold_nothing_up, begin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
