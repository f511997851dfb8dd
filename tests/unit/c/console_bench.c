/* SPDX-License-Identifier: BSD-2-Clause */
#include "console_bench.h"

#include <string.h>

#include "cmocka_tests.h"
#include "control_bench.h"
#include "core/hooks.h"
#include "core/monitor_log.h"
#include "features/commands/telling.h"

#define OUTPUT_MAX 65536
/* Of a message, and the bytes of each. */
#define MOST_PARTS 7
#define MOST_PART 31

struct console_mux mux;
struct vuart uarts[BENCH_TENANTS];
static const char *answer[MOST_PARTS + 1];

/* In place of features/commands/telling.c: the answer is told behind the byte that asks for it. */
const char **tell_answer(void)
{
    return answer;
}

static void tell(void)
{
    for (uint32_t i = 0; answer[i] != NULL; i++) {
        assert_true(i < MOST_PARTS && strlen(answer[i]) <= MOST_PART);
        monitor_puts(answer[i]);
    }
    answer[0] = NULL;
}

void bench_init(uint32_t mode)
{
    static const char *const names[BENCH_TENANTS] = {"linux", "freertos", "silent"};
    struct vuart *const pointers[BENCH_TENANTS] = {&uarts[0], &uarts[1], NULL};

    for (uint32_t tenant = 0; tenant < BENCH_TENANTS; tenant++) {
        vuart_init(&uarts[tenant]);
    }
    control_bench_init();
    machine_begins(); /* the control protocol is there */
    memset(&mux, 0xa5, sizeof(mux));
    console_mux_init(&mux, mode, BENCH_ESCAPE, 0, pointers, names, BENCH_TENANTS);
}

void bench_print(uint32_t tenant, const char *text)
{
    for (; *text != '\0'; text++) {
        vuart_write(&uarts[tenant], 0, (uint8_t)*text);
    }
}

void bench_type_bytes(const void *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        console_mux_input(&mux, ((const uint8_t *)bytes)[i]);
        tell();
    }
}

void bench_type(const char *text)
{
    bench_type_bytes(text, (uint32_t)strlen(text));
}

void assert_output_bytes(const void *expected, uint32_t count)
{
    static uint8_t output[OUTPUT_MAX + 1];
    uint32_t length = 0;
    uint32_t taken;

    do { /* with any room from 1 to 16 bytes */
        uint32_t room = 1 + length % 16;

        assert_true(length + room <= OUTPUT_MAX);
        taken = console_mux_take(&mux, output + length, room);
        assert_true(taken <= room);
        length += taken;
    } while (taken != 0);
    output[length] = '\0';
    if (memchr(expected, 0, count) == NULL && memchr(output, 0, length) == NULL) {
        assert_string_equal((const char *)output, (const char *)expected);
    }
    assert_int_equal(length, count);
    assert_memory_equal(output, expected, count);
}

void assert_output(const char *expected)
{
    assert_output_bytes(expected, (uint32_t)strlen(expected));
}

void assert_received(uint32_t tenant, const char *expected)
{
    for (; *expected != '\0'; expected++) {
        assert_int_equal(vuart_read(&uarts[tenant], 5) & 1, 1);
        assert_int_equal(vuart_read(&uarts[tenant], 0), (uint8_t)*expected);
    }
    assert_int_equal(vuart_read(&uarts[tenant], 5) & 1, 0);
}

void bench_tick(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        console_mux_tick(&mux);
    }
}
