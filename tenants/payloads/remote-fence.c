/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves what SBI 3.0 says of remote fences (section 8): when the call returns, no hart that it
 * names sees the old translation, or the old instructions, any more. All harts of the tenant share
 * page tables; one changes a mapping and fences, the others look through it all the time. Each is
 * the one in turn. Then they change code that all of them run, and at last all fence one another.
 *
 * Arguments: rounds=N   changes by each hart (default 1000); of what needs everybody, a tenth
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/harts.h"
#include "rt/sv39.h"
#include "rt/trap.h"

#define ALL_HARTS UINT64_MAX
#define PAGE_SIZE 4096
#define PAGES 3
/* What the window shows in turn: each page, then nothing. */
#define VIEWS (PAGES + 1)
/* addi a0, zero, n; then ret. */
#define LOAD_A0(n) (0x00000513u | (uint32_t)(n) << 20)
#define RETURN 0x00008067u
#define LARGEST_IMMEDIATE 0x7ff

const char payload_name[] = "remote-fence";

static unsigned count;
static uint64_t rounds;
static uint64_t pages[PAGES][PAGE_SIZE / 8] __attribute__((aligned(PAGE_SIZE)));
static volatile uint32_t code[2] __attribute__((aligned(PAGE_SIZE)));
static uint64_t window;
/*
 * Even: what epoch / 2 says holds on all harts. Odd: it is being changed. So whoever reads the same
 * even number before and after a look must have seen that view.
 */
static uint64_t epoch;
static uint64_t looks[HARTS_MAX];
static struct harts_barrier barrier;

static uint64_t read_epoch(void)
{
    return __atomic_load_n(&epoch, __ATOMIC_SEQ_CST);
}

static void set_epoch(uint64_t value)
{
    __atomic_store_n(&epoch, value, __ATOMIC_SEQ_CST);
}

/* All the ways to say it; those with a range name the window's page. */
static void fence_all(uint64_t round)
{
    static const struct {
        uint64_t function;
        uint64_t base;
        bool range;
    } ways[] = {
        {SBI_RFENCE_SFENCE_VMA, ALL_HARTS, false},
        {SBI_RFENCE_SFENCE_VMA, ALL_HARTS, true},
        {SBI_RFENCE_SFENCE_VMA, 0, true},
        {SBI_RFENCE_SFENCE_VMA_ASID, 0, false},
        {SBI_RFENCE_SFENCE_VMA_ASID, ALL_HARTS, true},
    };
    unsigned way = round % (sizeof(ways) / sizeof(ways[0]));
    struct sbi_result result =
        sbi_call6(SBI_EXT_RFENCE, ways[way].function, (1ull << count) - 1, ways[way].base,
                  ways[way].range ? window : 0, ways[way].range ? PAGE_SIZE : 0, 0, 0);

    check(result.error == SBI_SUCCESS, "fence in way %u: error %ld", way, result.error);
}

static void change_view(uint64_t next)
{
    uint64_t view = next / 2 % VIEWS;

    if (view < PAGES) {
        sv39_open_window(SV39_LEAF_4K, (uintptr_t)pages[view]);
    } else {
        sv39_close_window();
    }
    fence_all(next / 2);
}

static void look_through_window(uint64_t id)
{
    struct trap_fault fault;
    uint64_t value;
    uint64_t before = read_epoch();
    bool done = trap_try_read64(window, &value, &fault);
    uint64_t view = before / 2 % VIEWS;

    if (before % 2 != 0 || read_epoch() != before) {
        return;
    }
    looks[id]++;
    if (view == PAGES) {
        check(!done && fault.cause == CAUSE_LOAD_PAGE, "hart %lu sees %lu where nothing is, %lu",
              id, value, before);
    } else {
        check(done && value == view, "hart %lu sees page %ld instead of page %lu, at %lu", id,
              done ? (int64_t)value : -1, view, before);
    }
}

static void change_code(uint64_t number)
{
    struct sbi_result result;

    code[0] = LOAD_A0(number & LARGEST_IMMEDIATE);
    __asm__ volatile("fence.i" : : : "memory");
    result = sbi_call6(SBI_EXT_RFENCE, SBI_RFENCE_FENCE_I, 0, ALL_HARTS, 0, 0, 0, 0);
    check(result.error == SBI_SUCCESS, "FENCE.I: error %ld", result.error);
}

/* Each hart in turn makes the changes, at which the others look. */
static void change_pages(uint64_t id)
{
    sv39_enable();
    for (uint64_t turn = 0; turn < count; turn++) {
        uint64_t end = (turn + 1) * rounds * 2;

        harts_meet(&barrier, count);
        if (id != turn) {
            while (read_epoch() < end) {
                look_through_window(id);
            }
            look_through_window(id); /* at the last one, which stays for a while */
            continue;
        }
        for (uint64_t next = read_epoch() + 2; next <= end; next += 2) {
            set_epoch(next - 1);
            change_view(next);
            set_epoch(next);
        }
    }
    harts_meet(&barrier, count);
    sv39_disable();
}

/*
 * Nobody runs the code while it changes: QEMU before 8.1 can keep what it translates at that very
 * moment, whatever is fenced.
 */
static void change_instructions(uint64_t id)
{
    for (uint64_t round = 0; round < rounds / 10; round++) {
        uint64_t value;

        if (id == round % count) {
            change_code(round);
        }
        harts_meet(&barrier, count);
        value = ((uint64_t(*)(void))(uintptr_t)code)();
        check(value == (round & LARGEST_IMMEDIATE), "hart %lu runs instructions of %lu, not %lu",
              id, value, round);
        harts_meet(&barrier, count);
    }
}

/* Everybody waits for everybody else: it has to come to an end. */
static void fence_one_another(uint64_t id)
{
    harts_meet(&barrier, count);
    for (uint64_t round = 0; round < rounds; round++) {
        fence_all(round + id);
        if (round % 4 == id % 4) {
            change_code(0);
        }
    }
    harts_meet(&barrier, count);
}

void main(void)
{
    uint64_t sum = 0;

    count = harts_count();
    rounds = platform_number("rounds", 1000);
    check(count > 1, "it takes a tenant of two harts or more");
    for (unsigned page = 0; page < PAGES; page++) {
        pages[page][0] = page;
    }
    window = sv39_open_window(SV39_LEAF_4K, (uintptr_t)pages[0]);
    harts_run(change_pages);
    for (unsigned id = 0; id < count; id++) {
        check(looks[id] >= count - 1, "hart %u has looked %lu times only", id, looks[id]);
        sum += looks[id];
    }
    print("remote-fence: %lu looks at %lu changes\n", sum, count * rounds);

    code[1] = RETURN;
    harts_run(change_instructions);
    print("remote-fence: instructions done\n");
    harts_run(fence_one_another);
    check_pass();
}
