/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Proves what SBI 3.0 says of debug triggers (section 19). With the argument neighbour=1 it is
 * somebody else on the same hart, who uses the very virtual address that the first one has a
 * trigger on, and must not notice.
 */
#include "rt/check.h"
#include "rt/console.h"
#include "rt/platform.h"
#include "rt/sbi.h"
#include "rt/sv39.h"
#include "rt/trap.h"

#define TYPE_SHIFT 60
#define MCONTROL (2ul << TYPE_SHIFT)
#define DMODE (1ul << 59)
#define ACTION_DEBUG_MODE 0x1000
#define CHAIN 0x800
#define M 0x40
#define S 0x10
#define U 0x8
#define EXECUTE 0x4
#define STORE 0x2
#define LOAD 0x1

#define MOST_TRIGGERS 8
#define NEIGHBOUR_US 300000
#define TURN_US 30000

const char payload_name[] = "sbi-dbtr";

struct entry {
    uint64_t head; /* trig_state or trig_idx */
    uint64_t tdata1;
    uint64_t tdata2;
    uint64_t tdata3;
};

static volatile struct entry shared[MOST_TRIGGERS + 1];
static volatile uint64_t watched[2];
static uint64_t count;

static struct sbi_result dbtr(uint64_t function, uint64_t a0, uint64_t a1, uint64_t a2)
{
    return sbi_call(SBI_EXT_DBTR, function, a0, a1, a2);
}

static void expect(const char *what, uint64_t function, uint64_t a0, uint64_t a1, uint64_t a2,
                   int64_t error, uint64_t value)
{
    struct sbi_result result = dbtr(function, a0, a1, a2);

    check(result.error == error && result.value == value,
          "%s: error %ld, value %lu, expected %ld and %lu", what, result.error, result.value, error,
          value);
}

static void set(unsigned index, uint64_t tdata1, uint64_t tdata2)
{
    shared[index].head = 0xdead;
    shared[index].tdata1 = tdata1;
    shared[index].tdata2 = tdata2;
    shared[index].tdata3 = 0;
}

static void install(uint64_t tdata1, uint64_t tdata2)
{
    set(0, tdata1, tdata2);
    expect("install", SBI_DBTR_INSTALL_TRIGGERS, 1, 0, 0, SBI_SUCCESS, 0);
    check(shared[0].head == 0, "installed as %lu", shared[0].head);
}

static void uninstall(void)
{
    expect("uninstall", SBI_DBTR_UNINSTALL_TRIGGERS, 0, 1, 0, SBI_SUCCESS, 0);
}

static void test_num_triggers(void)
{
    check(sbi_probe(SBI_EXT_DBTR), "extension DBTR is missing");
    expect("function 8", 8, 0, 0, 0, SBI_ERR_NOT_SUPPORTED, 0);
    count = dbtr(SBI_DBTR_NUM_TRIGGERS, 0, 0, 0).value;
    check(count != 0 && count <= MOST_TRIGGERS, "%lu triggers", count);
    expect("address match", SBI_DBTR_NUM_TRIGGERS, MCONTROL | S | EXECUTE, 0, 0, SBI_SUCCESS,
           count);
    expect("M-mode", SBI_DBTR_NUM_TRIGGERS, MCONTROL | M | EXECUTE, 0, 0, SBI_SUCCESS, 0);
    expect("dmode", SBI_DBTR_NUM_TRIGGERS, MCONTROL | DMODE, 0, 0, SBI_SUCCESS, 0);
    expect("type 15", SBI_DBTR_NUM_TRIGGERS, 15ul << TYPE_SHIFT, 0, 0, SBI_SUCCESS, 0);
}

static void expect_shmem(const char *what, uint64_t low, uint64_t high, uint64_t flags,
                         int64_t error)
{
    expect(what, SBI_DBTR_SET_SHMEM, low, high, flags, error, 0);
}

static void test_shared_memory(void)
{
    uint64_t good = (uintptr_t)shared;
    uint64_t end = platform.memory_base + platform.memory_size;

    expect("read without memory", SBI_DBTR_READ_TRIGGERS, 0, 1, 0, SBI_ERR_NO_SHMEM, 0);
    expect("install without memory", SBI_DBTR_INSTALL_TRIGGERS, 1, 0, 0, SBI_ERR_NO_SHMEM, 0);
    expect("update without memory", SBI_DBTR_UPDATE_TRIGGERS, 1, 0, 0, SBI_ERR_NO_SHMEM, 0);
    expect_shmem("flags", good, 0, 1, SBI_ERR_INVALID_PARAM);
    expect_shmem("misaligned", good + 4, 0, 0, SBI_ERR_INVALID_PARAM);
    expect_shmem("upper half", good, 1, 0, SBI_ERR_INVALID_ADDRESS);
    expect_shmem("address 0", 0, 0, 0, SBI_ERR_INVALID_ADDRESS);
    expect_shmem("before its memory", platform.memory_base - 8, 0, 0, SBI_ERR_INVALID_ADDRESS);
    expect_shmem("over the end", end - 24, 0, 0, SBI_ERR_INVALID_ADDRESS);
    expect_shmem("a device", platform.uart_base, 0, 0, SBI_ERR_INVALID_ADDRESS);
    expect_shmem("good", good, 0, 0, SBI_SUCCESS);
    expect_shmem("off", UINT64_MAX, UINT64_MAX, 0, SBI_SUCCESS);
    expect("read, off", SBI_DBTR_READ_TRIGGERS, 0, 1, 0, SBI_ERR_NO_SHMEM, 0);
    expect_shmem("good", good, 0, 0, SBI_SUCCESS);
}

static void expect_refused(const char *what, uint64_t tdata1, uint64_t tdata3, int64_t error)
{
    set(0, tdata1, 0);
    shared[0].tdata3 = tdata3;
    expect(what, SBI_DBTR_INSTALL_TRIGGERS, 1, 0, 0, error, 0);
    check(shared[0].head == 0xdead, "%s: an index was written", what);
}

static void test_refusals(void)
{
    expect_refused("M-mode", MCONTROL | M | EXECUTE, 0, SBI_ERR_INVALID_PARAM);
    expect_refused("dmode", MCONTROL | DMODE, 0, SBI_ERR_INVALID_PARAM);
    expect_refused("incomplete chain", MCONTROL | S | EXECUTE | CHAIN, 0, SBI_ERR_INVALID_PARAM);
    expect_refused("debug mode", MCONTROL | S | EXECUTE | ACTION_DEBUG_MODE, 0,
                   SBI_ERR_NOT_SUPPORTED);
    expect_refused("type 0", S | EXECUTE, 0, SBI_ERR_NOT_SUPPORTED);
    expect_refused("type 15", 15ul << TYPE_SHIFT, 0, SBI_ERR_NOT_SUPPORTED);
    expect_refused("tdata3", MCONTROL | S | EXECUTE, 1, SBI_ERR_NOT_SUPPORTED);
    expect("too many", SBI_DBTR_INSTALL_TRIGGERS, count + 1, 0, 0, SBI_ERR_BAD_RANGE, 0);
    expect("too many", SBI_DBTR_INSTALL_TRIGGERS, UINT64_MAX, 0, 0, SBI_ERR_BAD_RANGE, 0);
    expect("read too many", SBI_DBTR_READ_TRIGGERS, 0, count + 1, 0, SBI_ERR_BAD_RANGE, 0);
    expect("read behind", SBI_DBTR_READ_TRIGGERS, count, 0, 0, SBI_ERR_BAD_RANGE, 0);
    expect("read behind", SBI_DBTR_READ_TRIGGERS, 1, UINT64_MAX, 0, SBI_ERR_BAD_RANGE, 0);
    expect("not installed", SBI_DBTR_UNINSTALL_TRIGGERS, 0, 1, 0, SBI_ERR_INVALID_PARAM, 0);
    expect("not installed", SBI_DBTR_ENABLE_TRIGGERS, 0, 1, 0, SBI_SUCCESS, 0);
    expect("not installed", SBI_DBTR_DISABLE_TRIGGERS, 0, 1, 0, SBI_SUCCESS, 0);
    for (uint64_t each = SBI_DBTR_UNINSTALL_TRIGGERS; each <= SBI_DBTR_DISABLE_TRIGGERS; each++) {
        expect("behind", each, count, 1, 0, SBI_ERR_INVALID_PARAM, 0);
        expect("far behind", each, UINT64_MAX, 3, 0, SBI_ERR_INVALID_PARAM, 0);
        expect("bit 63", each, 0, 1ul << 63, 0, SBI_ERR_INVALID_PARAM, 0);
        expect("none", each, 0, 0, 0, SBI_SUCCESS, 0);
    }
    set(0, MCONTROL | S | EXECUTE, 0);
    shared[0].head = 0;
    expect("update, not installed", SBI_DBTR_UPDATE_TRIGGERS, 1, 0, 0, SBI_ERR_FAILED, 0);
    shared[0].head = count;
    expect("update, no such", SBI_DBTR_UPDATE_TRIGGERS, 1, 0, 0, SBI_ERR_INVALID_PARAM, 0);
}

/* All of them, then one more; and the second of two fails, which takes the first with it. */
static void test_all_of_them(void)
{
    for (unsigned i = 0; i < count; i++) {
        set(i, MCONTROL | S | EXECUTE, 0x1000 * i);
    }
    expect("install all", SBI_DBTR_INSTALL_TRIGGERS, count, 0, 0, SBI_SUCCESS, 0);
    for (unsigned i = 0; i < count; i++) {
        check(shared[i].head == i, "entry %u is trigger %lu", i, shared[i].head);
    }
    expect("one more", SBI_DBTR_INSTALL_TRIGGERS, 1, 0, 0, SBI_ERR_FAILED, 0);
    expect("read all", SBI_DBTR_READ_TRIGGERS, 0, count, 0, SBI_SUCCESS, 0);
    for (unsigned i = 0; i < count; i++) {
        check(shared[i].tdata2 == 0x1000 * i, "trigger %u has 0x%lx", i, shared[i].tdata2);
    }
    expect("uninstall", SBI_DBTR_UNINSTALL_TRIGGERS, 0, (1ul << count) - 1, 0, SBI_SUCCESS, 0);
    if (count > 1) {
        set(0, MCONTROL | S | EXECUTE, 0);
        set(1, MCONTROL | M | EXECUTE, 0);
        expect("second is bad", SBI_DBTR_INSTALL_TRIGGERS, 2, 0, 0, SBI_ERR_INVALID_PARAM, 1);
        expect("not installed", SBI_DBTR_UNINSTALL_TRIGGERS, 0, 1, 0, SBI_ERR_INVALID_PARAM, 0);
    }
}

__attribute__((noinline)) static void victim(void *argument)
{
    *(volatile uint64_t *)argument += 1;
}

static void load(void *argument)
{
    (void)*(volatile uint64_t *)argument;
}

static void store(void *argument)
{
    *(volatile uint64_t *)argument = 5;
}

/* Whether `action` meets a trigger; breakpoints are exception 3. */
static bool fires(const char *what, void (*action)(void *), volatile uint64_t *argument)
{
    struct trap_fault fault;
    bool returned = trap_try(action, (void *)(uintptr_t)argument, &fault);

    check(returned || fault.cause == CAUSE_BREAKPOINT, "%s: cause %lu", what, fault.cause);
    check(returned || action != victim || fault.pc == (uintptr_t)victim, "%s: sepc is 0x%lx", what,
          fault.pc);
    return !returned;
}

static void test_execution(void)
{
    check(!fires("nothing installed", victim, watched), "a trigger without a trigger");
    install(MCONTROL | S | U | EXECUTE, (uintptr_t)victim);
    watched[0] = 0;
    check(fires("installed", victim, watched) && watched[0] == 0, "it does not fire");
    expect("read", SBI_DBTR_READ_TRIGGERS, 0, 1, 0, SBI_SUCCESS, 0);
    check(shared[0].head == (SBI_DBTR_STATE_MAPPED | SBI_DBTR_STATE_S | SBI_DBTR_STATE_U),
          "trig_state is 0x%lx", shared[0].head);
    check((shared[0].tdata1 & ~(1ul << 20)) == (MCONTROL | S | U | EXECUTE), "tdata1 is 0x%lx",
          shared[0].tdata1);
    check(shared[0].tdata2 == (uintptr_t)victim && shared[0].tdata3 == 0, "tdata2 is 0x%lx",
          shared[0].tdata2);

    expect("disable", SBI_DBTR_DISABLE_TRIGGERS, 0, 1, 0, SBI_SUCCESS, 0);
    check(!fires("disabled", victim, watched), "it fires though it is disabled");
    expect("read", SBI_DBTR_READ_TRIGGERS, 0, 1, 0, SBI_SUCCESS, 0);
    check((shared[0].tdata1 & (S | U)) == 0 && (shared[0].head & SBI_DBTR_STATE_S) != 0,
          "disabled: tdata1 0x%lx, state 0x%lx", shared[0].tdata1, shared[0].head);
    expect("enable", SBI_DBTR_ENABLE_TRIGGERS, 0, 1, 0, SBI_SUCCESS, 0);
    check(fires("enabled", victim, watched), "it does not fire though it is enabled");

    set(0, MCONTROL | U | EXECUTE, (uintptr_t)victim);
    shared[0].head = 0;
    expect("update", SBI_DBTR_UPDATE_TRIGGERS, 1, 0, 0, SBI_SUCCESS, 0);
    check(!fires("for U-mode", victim, watched), "a trigger of U-mode fires in S-mode");
    uninstall();
    expect("read", SBI_DBTR_READ_TRIGGERS, 0, 1, 0, SBI_SUCCESS, 0);
    check(shared[0].head == 0 && shared[0].tdata1 == 0 && shared[0].tdata2 == 0, "not cleared");
    check(!fires("uninstalled", victim, watched), "it fires though it is uninstalled");
}

static void test_data(void)
{
    install(MCONTROL | S | STORE, (uintptr_t)&watched[1]);
    check(!fires("load", load, &watched[1]), "a store trigger fires for a load");
    check(!fires("store beside", store, &watched[0]), "a store trigger fires elsewhere");
    check(fires("store", store, &watched[1]), "a store trigger does not fire");
    set(0, MCONTROL | S | LOAD, (uintptr_t)&watched[1]);
    shared[0].head = 0;
    expect("update", SBI_DBTR_UPDATE_TRIGGERS, 1, 0, 0, SBI_SUCCESS, 0);
    check(!fires("store", store, &watched[1]), "a load trigger fires for a store");
    check(fires("load", load, &watched[1]), "a load trigger does not fire");
    uninstall();
}

/* The monitor itself reads memory with a trigger on it: M-mode meets none. */
static void test_monitor(void)
{
    static char text[] = "monitor\n";

    install(MCONTROL | S | U | LOAD, (uintptr_t)text);
    check(sbi_call(SBI_EXT_DBCN, SBI_DBCN_WRITE, 8, (uintptr_t)text, 0).error == SBI_SUCCESS,
          "console_write fails");
    uninstall();
}

/* Others have the hart in between, and find no trigger; this one finds its own again. */
static void test_beside_neighbour(uint64_t window)
{
    uint64_t end = clock_now() + clock_ticks(NEIGHBOUR_US);

    install(MCONTROL | S | U | LOAD | STORE, window);
    while (clock_now() < end) {
        clock_spin(TURN_US);
        check(fires("after a turn", load, (volatile uint64_t *)window), "lost after a turn");
        clock_sleep(1000);
        check(fires("after sleep", load, (volatile uint64_t *)window), "lost in a sleep");
    }
    uninstall();
    check(!fires("uninstalled", load, (volatile uint64_t *)window), "it fires uninstalled");
}

static void be_neighbour(uint64_t window)
{
    uint64_t end = clock_now() + clock_ticks(3 * NEIGHBOUR_US);

    while (clock_now() < end) {
        load((void *)(uintptr_t)window);
        store((void *)(uintptr_t)window);
    }
}

void main(void)
{
    uint64_t window = sv39_open_window(SV39_LEAF_4K, (uintptr_t)watched);

    interrupts_disable();
    sv39_enable();
    if (platform_number("neighbour", 0) != 0) {
        be_neighbour(window);
        check_pass();
    }
    test_num_triggers();
    test_shared_memory();
    test_refusals();
    test_all_of_them();
    test_execution();
    test_data();
    test_monitor();
    test_beside_neighbour(window);
    check_pass();
}
