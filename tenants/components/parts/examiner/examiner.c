/* SPDX-License-Identifier: BSD-2-Clause */
/* Argument of the tenant: number=42,7 */
#include "components/lib/print.h"
#include "components/lib/scheduling.h"
#include "components/lib/setting.h"

#define PAGE 4096
#define LONG_US 10000000
#define SHORT_US 10000
#define LAPSE_US 60000
#define MANY 9

/* Threads of equal priority, by their deadlines. */
enum { SOON, LATE, WHENEVER, THREADS_DUE };

static uint64_t due_thread[THREADS_DUE];
static uint64_t due_place[THREADS_DUE]; /* 1: ran first */
static uint64_t due_ran;
static BUFFER char page[PAGE] __attribute__((aligned(PAGE)));

static bool try_settings(void)
{
    uint64_t words[2] = {0};
    bool is_good = setting("number") == 42 && setting("nothing") == 0;

    memcpy(words, "number", 6);
    is_good = is_good && settings_get(words[0], words[1], 1).value == 7;
    is_good = is_good && settings_set(words[0], words[1], 5).value == 1 && setting("number") == 5;
    for (uint64_t name = 1; name < 8; name++) {
        is_good = is_good && settings_set(name, 0, name).value == 1;
    }
    is_good = is_good && settings_set(8, 0, 8).value == 0 && settings_set(0, 0, 1).value == 0;
    faults_kill(ID_SETTINGS);
    return is_good && setting("number") == 42;
}

/* It kills who is silent for too long, soon, and not who is heard of. */
static bool try_watchdog(void)
{
    uint64_t start = timer_now_us().value;
    bool is_good = sleeper_doze(SHORT_US).value == SHORT_US;

    timer_sleep(LAPSE_US);
    is_good = is_good && kernel_call(CALL_RESTARTS, ID_SLEEPER, 0, 0).value == 0;
    is_good = is_good && sleeper_doze(LONG_US).error == ERROR_FAILED;
    return is_good && timer_now_us().value - start < LONG_US / 10 &&
           kernel_call(CALL_RESTARTS, ID_SLEEPER, 0, 0).value == 1;
}

/* Limits, the slope, and off when nobody asks. */
static bool try_actuator(void)
{
    bool is_good = actuator_set(1000000).value == 20000 && actuator_set(1000000).value == 40000;

    for (unsigned i = 0; i < 9; i++) {
        actuator_set(1000000);
    }
    is_good = is_good && actuator_power().value == 100000 && actuator_set(0).value == 80000;
    timer_sleep(LAPSE_US);
    return is_good && actuator_power().value == 0;
}

/* One value that cannot be is passed over, many are believed. */
static bool try_sensor(void)
{
    uint64_t before;
    uint64_t rejected;
    bool is_good;

    for (unsigned i = 0; i < MANY; i++) {
        sensor_read();
    }
    before = sensor_read().value;
    rejected = sensor_rejected().value;
    plant_step(100000000);
    is_good = sensor_read().value == before && sensor_rejected().value == rejected + 1;
    for (unsigned i = 0; i < MANY; i++) {
        sensor_read();
    }
    is_good = is_good && sensor_read().value > before;
    faults_kill(ID_PLANT);
    return is_good && sensor_read().error == OK;
}

static bool try_access(void)
{
    uint64_t words[4] = {0};
    uint64_t length;

    memcpy(words, "index.html", 10);
    for (unsigned i = 0; i < 30; i++) {
        access_note(200 + i, words[0], words[1], words[2], words[3]);
    }
    kernel_call(CALL_TAKE_BACK, 0, 0, 0);
    if (access_page((uintptr_t)page).value != 0) {
        return false; /* it was lent nothing */
    }
    kernel_call(CALL_LEND, CAPABILITY_ACCESS_PAGE, (uintptr_t)page, 0);
    length = access_page((uintptr_t)page).value;
    if (length < 24 || length >= PAGE) {
        return false;
    }
    page[length] = '\0';
    /* The newest last. */
    return strcmp(page + length - strlen(" 229 /index.html\n"), " 229 /index.html\n") == 0;
}

static void run_when_due(unsigned which)
{
    due_thread[which] = thread_self();
    kernel_event(SCHEDULE_WAIT, 0, 0, 0);
    due_place[which] = __atomic_add_fetch(&due_ran, 1, __ATOMIC_RELAXED);
    thread_exit();
}

void thread_whenever(uint64_t unused)
{
    (void)unused;
    run_when_due(WHENEVER);
}

void thread_late(uint64_t unused)
{
    (void)unused;
    run_when_due(LATE);
}

void thread_soon(uint64_t unused)
{
    (void)unused;
    run_when_due(SOON);
}

/* Of equals the one with the earliest deadline goes first, whoever was woken first. */
static bool try_deadlines(void)
{
    timer_sleep(SHORT_US);
    for (unsigned which = THREADS_DUE; which-- > 0;) {
        kernel_event(SCHEDULE_WAKE, due_thread[which], SCHEDULE_WOKEN, 0);
    }
    if (due_ran != 0) {
        return false; /* before their better */
    }
    timer_sleep(SHORT_US);
    return due_place[SOON] == 1 && due_place[LATE] == 2 && due_place[WHENEVER] == 3;
}

void thread_examine(uint64_t unused)
{
    bool settings = try_settings();
    bool watchdog = try_watchdog();
    bool actuator = try_actuator();
    bool sensor = try_sensor();
    bool access = try_access();
    bool deadlines = try_deadlines();
    bool is_good = settings && watchdog && actuator && sensor && access && deadlines;

    (void)unused;
    print_line("%s components: settings=%u watchdog=%u actuator=%u sensor=%u access=%u "
               "deadlines=%u",
               is_good ? "PASS" : "FAIL", settings, watchdog, actuator, sensor, access, deadlines);
    kernel_call(CALL_SHUTDOWN, !is_good, 0, 0);
}
