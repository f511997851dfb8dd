/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests to the HTTP component: tenants/components/parts/http/request.c. */
#include <string.h>

#include "cmocka_tests.h"
#include "components/parts/http/request.h"

static enum request read_text(const char *text, char path[PATH_SIZE + 1])
{
    return request_read(text, strlen(text), path);
}

static void test_a_request_ends_with_an_empty_line(void **state)
{
    static const char text[] = "GET / HTTP/1.0\r\nHost: a\r\n\r\n";

    (void)state;
    for (size_t size = 0; size < sizeof(text) - 1; size++) {
        assert_false(request_is_whole(text, size));
    }
    assert_true(request_is_whole(text, sizeof(text) - 1));
    assert_true(request_is_whole("GET /\n\n", 7));
    assert_false(request_is_whole("\n", 1));
    assert_false(request_is_whole("\n\r", 2));
}

static void test_the_path_is_read(void **state)
{
    char path[PATH_SIZE + 1];

    (void)state;
    assert_int_equal(read_text("GET / HTTP/1.0\r\n\r\n", path), REQUEST_GOOD);
    assert_string_equal(path, "");
    assert_int_equal(read_text("GET /stats?x=1 HTTP/1.0\r\n\r\n", path), REQUEST_GOOD);
    assert_string_equal(path, "stats");
    assert_int_equal(read_text("GET /crash/ip\n\n", path), REQUEST_GOOD);
    assert_string_equal(path, "crash/ip");
    assert_int_equal(read_text("GET /0123456789abcdef0123456789abcdef HTTP/1.0\n\n", path),
                     REQUEST_GOOD);
    assert_int_equal(strlen(path), PATH_SIZE);
}

static void test_what_is_no_request_for_a_page_is_told_apart(void **state)
{
    char path[PATH_SIZE + 1];

    (void)state;
    assert_int_equal(read_text("", path), REQUEST_BAD);
    assert_int_equal(read_text("\r\n\r\n", path), REQUEST_BAD);
    assert_int_equal(read_text("GET", path), REQUEST_BAD);
    assert_int_equal(read_text("GET ", path), REQUEST_METHOD);
    assert_int_equal(read_text("GET /", path), REQUEST_BAD);
    assert_int_equal(read_text("GET /no-end", path), REQUEST_BAD);
    assert_int_equal(read_text("GET x\n\n", path), REQUEST_BAD);
    assert_int_equal(read_text("GET /a\tb c\n\n", path), REQUEST_BAD);
    assert_int_equal(read_text("POST / HTTP/1.0\r\n\r\n", path), REQUEST_METHOD);
    assert_int_equal(read_text("GET /0123456789abcdef0123456789abcdef0 HTTP/1.0\n\n", path),
                     REQUEST_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_request_ends_with_an_empty_line),
        cmocka_unit_test(test_the_path_is_read),
        cmocka_unit_test(test_what_is_no_request_for_a_page_is_told_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
