#include "lazy/lazy.h"

#include <curl/curl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

int nobody_has_this(int a);
int strange_strlen(const char *text);

LAZY_FUNCTION("libterrane-none.so.7", int, nobody_has_this, (int a), (a))
LAZY_FUNCTION("libc.so.6", int, strange_strlen, (const char *text), (text))

/* What a call prints and how it ends, in a process of its own. */
static int ends_with(void (*call)(void), char *said, size_t size)
{
    int ends[2], status = -1;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)dup2(ends[1], STDERR_FILENO);
        call();
        _exit(0);
    }
    (void)close(ends[1]);
    ssize_t n = read(ends[0], said, size - 1);
    assert_true(n >= 0);
    said[n] = '\0';
    (void)close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void call_missing_library(void)
{
    (void)nobody_has_this(1);
}

static void call_missing_function(void)
{
    (void)strange_strlen("");
}

static void what_is_missing_is_told(void **state)
{
    (void)state;
    char said[512];
    assert_int_equal(ends_with(call_missing_library, said, sizeof said), 1);
    assert_non_null(strstr(said, "terrane: cannot use libterrane-none.so.7: "));
    assert_int_equal(ends_with(call_missing_function, said, sizeof said), 1);
    assert_non_null(strstr(said, "strange_strlen"));
}

/* The functions that take an argument of any type must hand on each of them. */
static void arguments_of_any_type(void **state)
{
    (void)state;
    CURL *h = curl_easy_init();
    assert_non_null(h);
    int context = 0;
    void *found = NULL;
    assert_int_equal(curl_easy_setopt(h, CURLOPT_TIMEOUT_MS, 100L), CURLE_OK);
    assert_int_equal(curl_easy_setopt(h, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)1 << 40), CURLE_OK);
    assert_int_equal(curl_easy_setopt(h, CURLOPT_PRIVATE, &context), CURLE_OK);
    assert_int_equal(curl_easy_getinfo(h, CURLINFO_PRIVATE, &found), CURLE_OK);
    assert_ptr_equal(found, &context);
    assert_int_equal(curl_easy_setopt(h, CURLOPT_MAXREDIRS, -2L), CURLE_BAD_FUNCTION_ARGUMENT);
    curl_easy_cleanup(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_missing_is_told), cmocka_unit_test(arguments_of_any_type)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
