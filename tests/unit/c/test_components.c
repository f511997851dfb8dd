/* SPDX-License-Identifier: BSD-2-Clause */
/* The kernel of tenants/components: invocations, refusals, restarts, faults, memory. */
#include <string.h>

#include "cmocka_tests.h"
#include "component_bench.h"
#include "components/kernel/machine.h"
#include "components/kernel/pages.h"

#define FIRST 2 /* threads of FRONT */
#define SECOND 3

static int start(void **state)
{
    (void)state;
    bench_start();
    bench_dispatch(FIRST);
    return 0;
}

static int64_t error_of(const struct thread *thread)
{
    return (int64_t)bench_argument(thread, 0);
}

static void test_an_invocation_goes_there_and_back(void **state)
{
    struct thread *thread = thread_find(FIRST);
    uint64_t sp = thread->registers[REGISTER_SP];
    uint64_t pc = thread->registers[0];

    (void)state;
    assert_ptr_equal(bench_call(FRONT_TO_MIDDLE, 11, 22, 33), thread);
    assert_int_equal(bench_where(), MIDDLE);
    assert_int_equal(bench_argument(thread, 0), 11);
    assert_int_equal(bench_argument(thread, 1), 22);
    assert_int_equal(bench_argument(thread, 2), 33);
    assert_int_equal(thread->registers[REGISTER_CALLER], FRONT);
    assert_int_equal(thread->registers[REGISTER_SP], COMPONENT_BASE + MIDDLE * COMPONENT_SIZE +
                                                         STACKS_OFFSET +
                                                         (FIRST + 1) * STACK_SPACING);
    assert_int_equal(bench.space, component_find(MIDDLE)->satp);

    bench_call(CALL_RETURN, 99, 44, 0);
    assert_int_equal(bench_where(), FRONT);
    assert_int_equal(error_of(thread), OK);
    assert_int_equal(bench_argument(thread, 1), 44);
    assert_int_equal(thread->registers[REGISTER_SP], sp);
    assert_int_equal(thread->registers[0], pc + 4);
    assert_int_equal(bench.space, component_find(FRONT)->satp);
}

static void test_what_is_in_no_table_is_refused(void **state)
{
    static const int64_t numbers[] = {2,         3,          CAPABILITIES - 1, CAPABILITIES,
                                      INT64_MAX, -CALLS - 1, INT64_MIN};
    struct thread *thread = kernel.current;

    (void)state;
    for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        bench_call(numbers[i], 0, 0, 0);
        assert_int_equal(error_of(thread), ERROR_NOT_PERMITTED);
        assert_int_equal(bench_where(), FRONT);
    }
}

static void test_each_call_asks_for_its_right(void **state)
{
    struct thread *thread = kernel.current;

    (void)state;
    bench_call(FRONT_TO_BACK, 0, 0, 0); /* which has none but CALL_EVENT's */
    for (int64_t number = CALL_DISPATCH; number > CALL_CALLER; number--) {
        bench_call(number, 0, 0, 0);
        assert_ptr_equal(kernel.current, thread);
        assert_int_equal(error_of(thread), ERROR_NOT_PERMITTED);
    }
}

static void test_only_the_schedulers_thread_dispatches(void **state)
{
    struct thread *thread = kernel.current;

    (void)state;
    thread->component = component_find(SCHEDULER); /* as if it had been invoked */
    bench_call(CALL_DISPATCH, SECOND, 0, 0);
    assert_int_equal(error_of(thread), ERROR_NOT_PERMITTED);
    assert_ptr_equal(kernel.current, thread);
}

static void test_the_invocation_stack_has_an_end(void **state)
{
    struct thread *thread = kernel.current;

    (void)state;
    bench_call(FRONT_TO_MIDDLE, 0, 0, 0);
    for (unsigned depth = 1; depth < DEPTH; depth++) {
        bench_call(MIDDLE_TO_MIDDLE, depth, 0, 0);
        assert_int_equal(error_of(thread), depth);
    }
    bench_call(MIDDLE_TO_MIDDLE, 7, 0, 0);
    assert_int_equal(error_of(thread), ERROR_DEPTH);
    assert_int_equal(bench_where(), MIDDLE);
    for (unsigned depth = 0; depth < DEPTH; depth++) {
        bench_call(CALL_RETURN, 0, depth, 0);
        assert_int_equal(error_of(thread), OK);
    }
    assert_int_equal(bench_where(), FRONT);
    bench_call(CALL_RETURN, 0, 0, 0);
    assert_int_equal(error_of(thread), ERROR_EMPTY);
    assert_int_equal(bench_where(), FRONT);
}

static void test_thread_slots_run_out_and_come_back(void **state)
{
    struct thread *maker = kernel.current;
    unsigned made = 0;

    (void)state;
    for (;;) {
        bench_call(CALL_THREAD, 0x1234, made, 0);
        if (kernel.current == maker) {
            break;
        }
        made++;
        assert_int_equal(bench_argument(kernel.current, 1), EVENT_CREATED);
        bench_dispatch(FIRST);
    }
    assert_int_equal(error_of(maker), ERROR_NO_ROOM);
    assert_int_equal(made, THREADS - BENCH_THREADS);
    assert_non_null(thread_find(THREADS - 1));

    bench_interrupt(1); /* to the scheduler */
    bench_dispatch(THREADS - 1);
    assert_int_equal(kernel.current->registers[0], 0x1234);
    bench_call(CALL_EXIT, 0, 0, 0);
    assert_int_equal(bench_argument(kernel.current, 1), EVENT_ENDED);
    assert_int_equal(bench_argument(kernel.current, 2), THREADS - 1);
    assert_null(thread_find(THREADS - 1));
    bench_dispatch(THREADS - 1);
    assert_int_equal(error_of(kernel.current), ERROR_INVALID);
}

static void test_a_thread_ends_at_home_only(void **state)
{
    struct thread *thread = kernel.current;

    (void)state;
    bench_call(FRONT_TO_BACK, 0, 0, 0);
    bench_call(CALL_EXIT, 0, 0, 0);
    assert_int_equal(error_of(thread), ERROR_INVALID);
    assert_true(thread->live);
}

static void test_events_go_to_the_scheduler_and_answers_come_back(void **state)
{
    struct thread *thread = kernel.current;
    struct thread *scheduler = thread_find(0);

    (void)state;
    assert_ptr_equal(bench_call(CALL_EVENT, EVENT_CLIENT + 3, 5, 6), scheduler);
    assert_int_equal(bench_argument(scheduler, 0), OK);
    assert_int_equal(bench_argument(scheduler, 1), EVENT_CLIENT + 3);
    assert_int_equal(bench_argument(scheduler, 2), FIRST);
    assert_int_equal(bench_argument(scheduler, 3), 5);
    assert_int_equal(bench_argument(scheduler, 4), 6);
    assert_ptr_equal(bench_call(CALL_DISPATCH, FIRST, 77, 123), thread);
    assert_int_equal(bench.timer, 123);
    assert_int_equal(error_of(thread), OK);
    assert_int_equal(bench_argument(thread, 1), 77);
    bench_call(CALL_EVENT, EVENT_TIMER, 0, 0); /* not for components to tell */
    assert_ptr_equal(kernel.current, thread);
    assert_int_equal(error_of(thread), ERROR_INVALID);
}

static void test_an_interrupted_thread_keeps_its_registers(void **state)
{
    struct thread *thread = kernel.current;

    (void)state;
    thread->registers[REGISTER_A(0)] = 1234;
    bench_interrupt(5);
    assert_int_equal(bench_argument(kernel.current, 1), EVENT_TIMER);
    bench_interrupt(9); /* while the scheduler runs: it goes on */
    assert_ptr_equal(kernel.current, thread_find(0));
    bench_dispatch(FIRST); /* and is told before anything else runs */
    assert_ptr_equal(kernel.current, thread_find(0));
    assert_int_equal(bench_argument(kernel.current, 1), EVENT_INTERRUPT);
    assert_int_equal(bench_argument(kernel.current, 3), 9);
    assert_ptr_equal(bench_call(CALL_DISPATCH, FIRST, 55, 0), thread);
    assert_int_equal(bench_argument(thread, 0), 1234);
}

static void test_without_a_thread_the_hart_waits(void **state)
{
    (void)state;
    bench_interrupt(5);
    bench.pending = 1 << 5;
    bench_dispatch(NO_THREAD);
    assert_int_equal(bench.waits, 1);
    assert_ptr_equal(kernel.current, thread_find(0));
    assert_int_equal(bench_argument(kernel.current, 1), EVENT_TIMER);
}

static void test_a_call_in_flight_returns_an_error(void **state)
{
    struct thread *thread = kernel.current;
    uint64_t sp = thread->registers[REGISTER_SP];

    (void)state;
    bench_call(FRONT_TO_MIDDLE, 0, 0, 0);
    component_find(MIDDLE)->data[0] = 'x';
    kernel_restart(component_find(MIDDLE));
    assert_int_equal(component_find(MIDDLE)->data[0], 'f');
    assert_int_equal(component_find(MIDDLE)->restarts, 1);
    assert_int_equal(thread->component->id, FRONT);
    assert_int_equal(error_of(thread), ERROR_FAILED);
    assert_int_equal(thread->registers[REGISTER_SP], sp);
    assert_int_equal(bench_argument(kernel.current, 1), EVENT_UNWOUND);
    assert_int_equal(bench_argument(kernel.current, 3), 1 << FIRST);
}

static void test_who_is_deeper_finishes_there_and_skips_it(void **state)
{
    struct thread *thread = kernel.current;

    (void)state;
    bench_call(FRONT_TO_MIDDLE, 0, 0, 0);
    bench_call(MIDDLE_TO_BACK, 0, 0, 0);
    kernel_restart(component_find(MIDDLE));
    assert_ptr_equal(kernel.current, thread); /* nobody needs to be told */
    assert_int_equal(bench_where(), BACK);
    bench_call(CALL_RETURN, 0, 5, 0);
    assert_ptr_equal(kernel.current->component, &component_dead);
    bench_fall();
    assert_int_equal(bench_where(), FRONT);
    assert_int_equal(error_of(thread), ERROR_FAILED);
}

static void test_a_thread_whose_home_is_restarted_begins_again(void **state)
{
    struct thread *thread = kernel.current;

    (void)state;
    bench_call(FRONT_TO_BACK, 0, 0, 0);
    kernel_restart(component_find(FRONT));
    assert_int_equal(thread->component->id, BACK);
    assert_int_equal(thread_find(SECOND)->registers[0], thread->entry);
    bench_dispatch(FIRST);
    bench_call(CALL_RETURN, 0, 5, 0);
    bench_fall();
    assert_int_equal(bench_where(), FRONT);
    assert_int_equal(thread->registers[0], thread->entry);
    assert_ptr_equal(thread->top, thread->frame);
}

static void test_a_restarted_scheduler_begins_again_and_runs(void **state)
{
    (void)state;
    kernel_restart(component_find(SCHEDULER));
    assert_ptr_equal(kernel.current, thread_find(0));
    assert_int_equal(kernel.current->registers[0], kernel.current->entry);
    assert_ptr_equal(bench_dispatch(SECOND), thread_find(SECOND));
}

static void test_who_waits_for_the_scheduler_is_taken_out_too(void **state)
{
    struct thread *thread = kernel.current;

    (void)state;
    bench_call(CALL_EVENT, EVENT_CLIENT, 0, 0);
    assert_true(thread->waiting);
    kernel_restart(component_find(FRONT));
    assert_false(thread->waiting);
    bench_call(CALL_DISPATCH, FIRST, 55, 0); /* the scheduler is told first */
    assert_int_equal(bench_argument(kernel.current, 1), EVENT_UNWOUND);
    bench_call(CALL_DISPATCH, FIRST, 55, 0);
    assert_ptr_equal(kernel.current, thread);
    assert_int_equal(bench_argument(thread, 0), 0); /* not the answer of its former life */
    assert_int_equal(bench_argument(thread, 1), 0);
}

static void test_who_waits_for_one_that_is_restarted_waits_no_more(void **state)
{
    struct thread *thread = kernel.current;
    struct thread *other = thread_find(SECOND);

    (void)state;
    bench_call(FRONT_TO_MIDDLE, 0, 0, 0);
    bench_call(MIDDLE_TO_BACK, 0, 0, 0);
    bench_call(CALL_EVENT, EVENT_WAIT, 0, 0);
    bench_dispatch(SECOND);
    bench_call(CALL_EVENT, EVENT_WAIT, 0, 0);
    bench_dispatch(1);
    kernel_restart(component_find(MIDDLE));
    assert_int_equal(thread->component->id, BACK);
    assert_false(thread->waiting);
    assert_int_equal(error_of(thread), ERROR_FAILED);
    assert_int_equal(bench_argument(kernel.current, 1), EVENT_UNWOUND);
    assert_int_equal(bench_argument(kernel.current, 3), 1 << FIRST);
    assert_true(other->waiting); /* it did not come through there */
    bench_call(CALL_DISPATCH, FIRST, 55, 0);
    assert_int_equal(error_of(thread), ERROR_FAILED);
    bench_call(CALL_EVENT, EVENT_WAIT, 0, 0); /* it was told once */
    assert_true(thread->waiting);
}

static void test_who_is_left_does_not_begin_to_wait(void **state)
{
    struct thread *thread = kernel.current;

    (void)state;
    bench_call(FRONT_TO_MIDDLE, 0, 0, 0);
    bench_call(MIDDLE_TO_BACK, 0, 0, 0);
    kernel_restart(component_find(MIDDLE));
    bench_call(CALL_EVENT, EVENT_CLIENT, 0, 0); /* that is not to wait for anything */
    assert_ptr_equal(kernel.current, thread_find(0));
    bench_call(CALL_DISPATCH, FIRST, 55, 0);
    assert_int_equal(error_of(thread), OK);
    bench_call(CALL_EVENT, EVENT_WAIT, 0, 0);
    assert_ptr_equal(kernel.current, thread);
    assert_int_equal(error_of(thread), ERROR_FAILED);
    bench_call(CALL_RETURN, 0, 0, 0);
    bench_fall();
    assert_int_equal(bench_where(), FRONT);
    bench_call(CALL_EVENT, EVENT_WAIT, 0, 0);
    assert_true(thread->waiting);
}

static void test_a_component_may_ask_for_its_caller(void **state)
{
    struct thread *thread = kernel.current;

    (void)state;
    bench_call(CALL_CALLER, 0, 0, 0);
    assert_int_equal(error_of(thread), ERROR_EMPTY);
    bench_call(FRONT_TO_MIDDLE, 0, 0, 0);
    bench_call(CALL_CALLER, 0, 0, 0);
    assert_int_equal(error_of(thread), OK);
    assert_int_equal(bench_argument(thread, 1), FRONT);
    kernel_restart(component_find(FRONT));
    bench_dispatch(FIRST); /* the scheduler is told of SECOND first */
    bench_dispatch(FIRST);
    bench_call(CALL_CALLER, 0, 0, 0);
    assert_int_equal(error_of(thread), ERROR_FAILED);
}

/* An interrupt can come between a return to nowhere and the fault there. */
static void test_an_interrupted_thread_is_never_nowhere(void **state)
{
    struct thread *thread = kernel.current;

    (void)state;
    bench_call(FRONT_TO_MIDDLE, 0, 0, 0);
    bench_call(MIDDLE_TO_BACK, 0, 0, 0);
    kernel_restart(component_find(MIDDLE));
    bench_call(CALL_RETURN, 0, 5, 0);
    assert_ptr_equal(thread->component, &component_dead);
    bench_interrupt(5);
    assert_int_equal(bench_argument(kernel.current, 1), EVENT_TIMER);
    bench_dispatch(1);
    bench_call(CALL_WHERE, FIRST, 0, 0);
    assert_int_equal(bench_argument(kernel.current, 1), FRONT);
    assert_int_equal(error_of(thread), ERROR_FAILED);
}

static void test_the_handler_may_mend_a_fault(void **state)
{
    struct thread *thread = kernel.current;

    (void)state;
    bench_call(FRONT_TO_BACK, 1, 2, 3);
    for (unsigned i = 1; i < REGISTERS; i++) {
        thread->registers[i] = 100 + i;
    }
    bench_fault(CAUSE_STORE_PAGE, 0xabc);
    assert_int_equal(bench_where(), HANDLER);
    assert_int_equal(bench_argument(thread, 0), CAUSE_STORE_PAGE);
    assert_int_equal(bench_argument(thread, 1), 0xabc);
    assert_int_equal(bench_argument(thread, 3), BACK);
    assert_int_equal(thread->registers[REGISTER_CALLER], KERNEL_ID);
    bench_call(CALL_RETURN, 0, 0, 0);
    bench_fall();
    assert_int_equal(bench_where(), BACK);
    for (unsigned i = 1; i < REGISTERS; i++) {
        assert_int_equal(thread->registers[i], 100 + i);
    }
    assert_int_equal(component_find(BACK)->restarts, 0);
}

static void test_a_fault_that_is_not_mended_is_a_restart(void **state)
{
    struct thread *thread = kernel.current;

    (void)state;
    bench_call(FRONT_TO_BACK, 1, 2, 3);
    bench_fault(CAUSE_STORE_PAGE, 0);
    bench_call(CALL_RETURN, 0, 1, 0);
    bench_fall();
    assert_int_equal(component_find(BACK)->restarts, 1);
    assert_int_equal(thread->component->id, FRONT);
    assert_int_equal(error_of(thread), ERROR_FAILED);
}

static void test_the_handler_may_restart_who_faulted(void **state)
{
    struct thread *thread = kernel.current;

    (void)state;
    bench_call(FRONT_TO_MIDDLE, 1, 2, 3);
    bench_fault(CAUSE_STORE_PAGE, 0);
    bench_call(CALL_RESTART, MIDDLE, 0, 0);
    assert_int_equal(error_of(thread), OK); /* it is in the handler, and goes on */
    assert_int_equal(thread->component->id, HANDLER);
    bench_call(CALL_RETURN, 0, 0, 0); /* "mended", but there is nothing to go back to */
    bench_fall();
    assert_int_equal(thread->component->id, FRONT);
    assert_int_equal(error_of(thread), ERROR_FAILED);
    assert_int_equal(component_find(MIDDLE)->restarts, 1);
}

static void test_a_fault_of_the_handler_restarts_both(void **state)
{
    struct thread *thread = kernel.current;

    (void)state;
    bench_call(FRONT_TO_BACK, 1, 2, 3);
    bench_fault(CAUSE_STORE_PAGE, 0);
    assert_int_equal(bench_where(), HANDLER);
    bench_fault(CAUSE_STORE_PAGE, 0);
    assert_int_equal(component_find(HANDLER)->restarts, 1);
    assert_int_equal(component_find(BACK)->restarts, 1);
    assert_int_equal(thread->component->id, FRONT);
    assert_int_equal(error_of(thread), ERROR_FAILED);
    assert_int_equal(thread->faults, 0);
}

static void test_a_fault_too_deep_for_the_handler_is_a_restart(void **state)
{
    struct thread *thread = kernel.current;

    (void)state;
    bench_call(FRONT_TO_MIDDLE, 0, 0, 0);
    for (unsigned depth = 1; depth < DEPTH; depth++) {
        bench_call(MIDDLE_TO_MIDDLE, 0, 0, 0);
    }
    bench_fault(CAUSE_STORE_PAGE, 0);
    assert_int_equal(component_find(MIDDLE)->restarts, 1);
    assert_int_equal(thread->component->id, FRONT);
    assert_ptr_equal(thread->top, thread->frame);
}

static void test_pages_go_to_heaps_and_come_back(void **state)
{
    struct component *back = component_find(BACK);
    uint64_t heap = COMPONENT_BASE + BACK * COMPONENT_SIZE + HEAP_OFFSET;
    unsigned first = 0;

    (void)state;
    assert_int_equal(component_map(back, heap - PAGE_SIZE), ERROR_INVALID);
    assert_int_equal(component_map(back, heap + 8), ERROR_INVALID);
    assert_int_equal(component_map(back, heap + STACKS_OFFSET - HEAP_OFFSET), ERROR_INVALID);
    assert_int_equal(component_map(back, heap - COMPONENT_SIZE), ERROR_INVALID);
    assert_int_equal(component_map(back, 0), ERROR_INVALID);
    for (unsigned round = 0; round < 20; round++) {
        unsigned got = 0;

        while (got < (STACKS_OFFSET - HEAP_OFFSET) / PAGE_SIZE &&
               component_map(back, heap + got * PAGE_SIZE) == OK) {
            assert_int_equal(component_map(back, heap + got * PAGE_SIZE), ERROR_INVALID);
            got++;
        }
        first = round == 0 ? got : first;
        assert_int_equal(got, first);
        component_refresh(back);
    }
    assert_true(first > 20);
}

static void test_lent_pages_are_in_one_other_table(void **state)
{
    struct component *front = component_find(FRONT);
    struct component *middle = component_find(MIDDLE);
    struct component *back = component_find(BACK);
    uint64_t page = COMPONENT_BASE + FRONT * COMPONENT_SIZE + PAGE_SIZE;

    (void)state;
    assert_int_equal(component_lend(front, back, page - PAGE_SIZE), ERROR_INVALID); /* its text */
    assert_int_equal(component_lend(front, back, page + 2 * PAGE_SIZE), ERROR_INVALID);
    assert_int_equal(component_lend(front, back, page + 1), ERROR_INVALID);
    assert_int_equal(component_lend(front, back, page + COMPONENT_SIZE), ERROR_INVALID);
    assert_int_equal(component_lend(front, front, page), ERROR_INVALID);
    assert_int_equal(component_lend(front, back, page), OK);
    assert_int_equal(component_lend(front, middle, page), ERROR_BUSY);
    assert_int_not_equal(back->regions[FRONT], 0);
    assert_int_equal(front->lent[1], front->pages[1]);
    assert_int_equal(front->lent[2], 0);
    kernel_restart(back);
    assert_int_equal(back->regions[FRONT], 0);
    assert_int_equal(component_lend(front, middle, page), OK);
    kernel_restart(front);
    assert_int_equal(middle->regions[FRONT], 0);
    assert_null(front->lent_to);
}

static void test_bytes_are_copied_of_lent_pages_only(void **state)
{
    struct component *front = component_find(FRONT);
    struct component *back = component_find(BACK);
    uint64_t page = COMPONENT_BASE + FRONT * COMPONENT_SIZE + PAGE_SIZE;
    uint64_t own = COMPONENT_BASE + BACK * COMPONENT_SIZE + PAGE_SIZE;
    const uint64_t end = 2 * PAGE_SIZE;

    (void)state;
    assert_int_equal(component_copy(back, page, own, 8, false), ERROR_NOT_PERMITTED);
    assert_int_equal(component_lend(front, back, page), OK);
    memcpy(front->data + 100, "hello", 6);
    assert_int_equal(component_copy(back, page + 100, own + 3, 6, false), OK);
    assert_string_equal((char *)back->data + 3, "hello");
    memcpy(back->data + end - 6, "world", 6);
    assert_int_equal(component_copy(back, page + PAGE_SIZE - 6, own + end - 6, 6, true), OK);
    assert_string_equal((char *)front->data + PAGE_SIZE - 6, "world");

    /* Not lent: the page before and behind, another's, a number that is no address of any. */
    assert_int_equal(component_copy(back, page - 1, own, 2, true), ERROR_INVALID);
    assert_int_equal(component_copy(back, page + PAGE_SIZE - 1, own, 2, true), ERROR_INVALID);
    assert_int_equal(component_copy(back, page + PAGE_SIZE, own, 8, true), ERROR_INVALID);
    assert_int_equal(component_copy(back, own, own, 8, true), ERROR_NOT_PERMITTED);
    assert_int_equal(component_copy(back, 0, own, 8, true), ERROR_NOT_PERMITTED);
    assert_int_equal(component_copy(back, UINT64_MAX, own, 8, true), ERROR_NOT_PERMITTED);
    assert_int_equal(component_copy(component_find(MIDDLE), page, own, 8, true),
                     ERROR_NOT_PERMITTED);
    /* Not its data, too many, none. */
    assert_int_equal(component_copy(back, page, own - 1, 8, false), ERROR_INVALID);
    assert_int_equal(component_copy(back, page, own + end - 7, 8, false), ERROR_INVALID);
    assert_int_equal(component_copy(back, page, page, 8, false), ERROR_INVALID);
    assert_int_equal(component_copy(back, page, own, COPY_BYTES, false), OK);
    assert_int_equal(component_copy(back, page, own, COPY_BYTES + 1, false), ERROR_INVALID);
    assert_int_equal(component_copy(back, page, own, UINT64_MAX, false), ERROR_INVALID);
    assert_int_equal(component_copy(back, page, own, 0, false), ERROR_INVALID);

    kernel_restart(front);
    assert_int_equal(component_copy(back, page, own, 8, false), ERROR_NOT_PERMITTED);
}

static void test_a_restart_leaves_buffers(void **state)
{
    struct component *back = component_find(BACK);

    (void)state;
    back->data[PAGE_SIZE - 1] = 1;
    back->data[PAGE_SIZE] = 2;
    kernel_restart(back);
    assert_int_equal(back->data[PAGE_SIZE - 1], 0);
    assert_int_equal(back->data[PAGE_SIZE], 2);
}

static void test_a_device_is_its_drivers_only(void **state)
{
    struct thread *thread = kernel.current;
    uint64_t mine = INTERRUPT_DEVICES + MIDDLE;
    const unsigned index = DEVICE_OFFSET / PAGE_SIZE;

    (void)state;
    assert_int_equal(component_find(MIDDLE)->pages[index] >> 10 << 12, BENCH_REGISTERS);
    assert_int_equal(component_find(FRONT)->pages[index], 0);
    bench_call(CALL_DISTANCE, 0, 0, 0);
    assert_int_equal(error_of(thread), ERROR_NOT_PERMITTED);
    bench_call(CALL_UNMASK, INTERRUPT_DEVICES + FRONT, 0, 0); /* it has the right, and no device */
    assert_int_equal(error_of(thread), ERROR_INVALID);
    thread->registers[REGISTER_A(4)] = mine; /* nor with an event */
    bench_call(CALL_EVENT, EVENT_WAIT, 0, 0);
    assert_ptr_equal(kernel.current, thread);
    assert_int_equal(error_of(thread), ERROR_NOT_PERMITTED);
    assert_int_equal(bench.unmasked & 1ull << mine, 0);
    bench_call(FRONT_TO_MIDDLE, 0, 0, 0);
    bench_call(CALL_DISTANCE, 0, 0, 0);
    assert_int_equal(error_of(thread), OK);
    assert_int_equal(bench_argument(thread, 1) + COMPONENT_BASE + MIDDLE * COMPONENT_SIZE +
                         PAGE_SIZE,
                     (uintptr_t)component_find(MIDDLE)->data);
    bench_call(CALL_UNMASK, mine, 0, 0);
    assert_int_equal(error_of(thread), OK);
    assert_int_equal(bench.unmasked, 1ull << mine);
    bench_call(CALL_UNMASK, mine - 1, 0, 0);
    assert_int_equal(error_of(thread), ERROR_INVALID);
    bench_call(CALL_UNMASK, UINT64_MAX, 0, 0);
    assert_int_equal(error_of(thread), ERROR_INVALID);
    bench_interrupt(mine);
    assert_int_equal(bench_argument(kernel.current, 1), EVENT_INTERRUPT);
    assert_int_equal(bench_argument(kernel.current, 3), mine);
}

static void test_a_window_is_its_components_only(void **state)
{
    const struct memory_window window = {0x81230000, 2 * PAGE_SIZE, 0x1000b010, 1};
    const unsigned first = WINDOW_OFFSET / PAGE_SIZE;
    const uint64_t *pages;

    (void)state;
    bench_start_with(window);
    pages = component_find(MIDDLE)->pages;
    assert_int_equal(pages[first] >> 10 << 12, window.base);
    assert_int_equal(pages[first + 1] >> 10 << 12, window.base + PAGE_SIZE);
    assert_int_equal(pages[first + 2], 0);
    assert_int_equal(pages[DOORBELL_OFFSET / PAGE_SIZE] >> 10 << 12, 0x1000b000);
    assert_int_equal(component_find(FRONT)->pages[first], 0);

    bench_dispatch(FIRST);
    bench_call(FRONT_TO_MIDDLE, 0, 0, 0);
    bench_call(CALL_DISTANCE, 0, 0, 0);
    assert_int_equal(bench_argument(kernel.current, 2), window.size);
    assert_int_equal(bench_argument(kernel.current, 3), 1);
    assert_int_equal(bench_argument(kernel.current, 4), 0x10);
    kernel_restart(component_find(MIDDLE)); /* which leaves it where it is */
    assert_int_equal(pages[first] >> 10 << 12, window.base);

    bench_start_with((struct memory_window){.base = window.base, .size = 2 * WINDOW_SIZE});
    assert_int_equal(component_find(MIDDLE)->pages[first], 0);
    assert_int_equal(component_find(MIDDLE)->window.size, 0);
}

static void test_text_is_printed_from_registers(void **state)
{
    struct thread *thread = kernel.current;

    (void)state;
    bench_call(CALL_PRINT, 3, 0x636261, 0);
    assert_string_equal(bench.printed, "abc");
    assert_int_equal(bench_argument(thread, 1), 3);
    bench_call(CALL_PRINT, PRINT_BYTES, 0x636261, 0); /* it does not wait for room */
    assert_int_equal(error_of(thread), OK);
    assert_int_equal(bench_argument(thread, 1), BENCH_ROOM);
    bench_call(CALL_PRINT, PRINT_BYTES + 1, 0x636261, 0);
    assert_int_equal(error_of(thread), ERROR_INVALID);
}

static void test_ids_that_are_none_are_refused(void **state)
{
    struct thread *thread = kernel.current;

    (void)state;
    bench_interrupt(5);
    thread = bench_dispatch(1); /* the handler's own */
    bench_call(CALL_RESTART, BENCH_COMPONENTS, 0, 0);
    assert_int_equal(error_of(thread), ERROR_INVALID);
    bench_call(CALL_WHERE, THREADS, 0, 0);
    assert_int_equal(error_of(thread), ERROR_INVALID);
    bench_call(CALL_WHERE, THREADS - 1, 0, 0);
    assert_int_equal(error_of(thread), ERROR_INVALID);
    bench_call(CALL_MAP, UINT64_MAX, 0, 0);
    assert_int_equal(error_of(thread), ERROR_INVALID);
    bench_call(CALL_LEND, CAPABILITIES, 0, 0);
    assert_int_equal(error_of(thread), ERROR_NOT_PERMITTED);
}

static void test_too_little_memory_is_told(void **state)
{
    static uint8_t few[64 * PAGE_SIZE] __attribute__((aligned(PAGE_SIZE)));

    (void)state;
    for (unsigned pages = 0; pages < 64; pages += 7) {
        pages_init((uintptr_t)few, (uintptr_t)few + pages * PAGE_SIZE);
        assert_false(components_init());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_an_invocation_goes_there_and_back, start),
        cmocka_unit_test_setup(test_what_is_in_no_table_is_refused, start),
        cmocka_unit_test_setup(test_each_call_asks_for_its_right, start),
        cmocka_unit_test_setup(test_only_the_schedulers_thread_dispatches, start),
        cmocka_unit_test_setup(test_the_invocation_stack_has_an_end, start),
        cmocka_unit_test_setup(test_thread_slots_run_out_and_come_back, start),
        cmocka_unit_test_setup(test_a_thread_ends_at_home_only, start),
        cmocka_unit_test_setup(test_events_go_to_the_scheduler_and_answers_come_back, start),
        cmocka_unit_test_setup(test_an_interrupted_thread_keeps_its_registers, start),
        cmocka_unit_test_setup(test_without_a_thread_the_hart_waits, start),
        cmocka_unit_test_setup(test_a_call_in_flight_returns_an_error, start),
        cmocka_unit_test_setup(test_who_is_deeper_finishes_there_and_skips_it, start),
        cmocka_unit_test_setup(test_a_thread_whose_home_is_restarted_begins_again, start),
        cmocka_unit_test_setup(test_a_restarted_scheduler_begins_again_and_runs, start),
        cmocka_unit_test_setup(test_who_waits_for_the_scheduler_is_taken_out_too, start),
        cmocka_unit_test_setup(test_who_waits_for_one_that_is_restarted_waits_no_more, start),
        cmocka_unit_test_setup(test_who_is_left_does_not_begin_to_wait, start),
        cmocka_unit_test_setup(test_a_component_may_ask_for_its_caller, start),
        cmocka_unit_test_setup(test_an_interrupted_thread_is_never_nowhere, start),
        cmocka_unit_test_setup(test_the_handler_may_mend_a_fault, start),
        cmocka_unit_test_setup(test_a_fault_that_is_not_mended_is_a_restart, start),
        cmocka_unit_test_setup(test_the_handler_may_restart_who_faulted, start),
        cmocka_unit_test_setup(test_a_fault_of_the_handler_restarts_both, start),
        cmocka_unit_test_setup(test_a_fault_too_deep_for_the_handler_is_a_restart, start),
        cmocka_unit_test_setup(test_pages_go_to_heaps_and_come_back, start),
        cmocka_unit_test_setup(test_lent_pages_are_in_one_other_table, start),
        cmocka_unit_test_setup(test_bytes_are_copied_of_lent_pages_only, start),
        cmocka_unit_test_setup(test_a_restart_leaves_buffers, start),
        cmocka_unit_test_setup(test_a_device_is_its_drivers_only, start),
        cmocka_unit_test(test_a_window_is_its_components_only),
        cmocka_unit_test_setup(test_text_is_printed_from_registers, start),
        cmocka_unit_test_setup(test_ids_that_are_none_are_refused, start),
        cmocka_unit_test_setup(test_too_little_memory_is_told, start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
