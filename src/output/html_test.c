#include "output/html.h"

#include "base/testing.h"

static void is_escaped(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
    } table[] = {
        {"", ""},
        {"a b\n\tc", "a b\n\tc"},
        {"<script>alert('x') & \"y\"</script>", "&lt;script&gt;alert(&#39;x&#39;) &amp; &quot;y&quot;&lt;/script&gt;"},
        {"\x1b[31m", "\xef\xbf\xbd[31m"},
        {"\xc3\xa4", "\xc3\xa4"},
        {"a\xff\xc3", "a\xef\xbf\xbd\xef\xbf\xbd"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        struct buf out BUF_AUTO = BUF_INIT(1 << 16);
        html_write(&out, str_of(table[i].text));
        testing_text(buf_copy(&out, a), table[i].expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_escaped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
