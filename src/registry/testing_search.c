#include "registry/testing_search.h"

#include "base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAX_TEXT = 1 << 16 };

void search_setup(struct search_fixture *f)
{
    *f = (struct search_fixture){.arena = arena_new(NULL, 0)};
    f->root = test_folder(f->arena);
    f->config.plugin_cache_dir = STR_EMPTY;
    f->context = (struct find_context){
        .config = &f->config,
        .home = test_path(f->arena, f->root, "home"),
        .working_folder = test_path(f->arena, f->root, "here"),
        .cache_folder = test_path(f->arena, f->root, "cache"),
        .xdg_data_dirs = test_path(f->arena, f->root, "none"), /* so that the machine's are not searched */
        .platform = HERE,
    };
}

void search_teardown(struct search_fixture *f)
{
    test_as_self();
    arena_free(f->arena);
}

const char *at(struct search_fixture *f, const char *name)
{
    return test_path(f->arena, f->root, "%s", name);
}

const char *with_root(struct search_fixture *f, const char *text)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_TEXT);
    for (; *text; text++)
        if (*text == '%')
            buf_addz(&out, f->root);
        else
            buf_addc(&out, *text);
    return buf_copy(&out, f->arena).p;
}

const char *put(struct search_fixture *f, const char *mirror, const char *address, const char *version, const char *platform)
{
    return test_provider(f->arena, at(f, mirror), address, version, platform);
}

void configure(struct search_fixture *f, const char *text)
{
    diags_init(&f->diags, f->arena);
    if (!cli_config_parse(f->arena, str_of(with_root(f, text)), "rc", &f->diags, &f->config))
        fail_msg("%s", test_text(f->arena, &f->diags));
}

bool find(struct search_fixture *f, const char *what, const char *constraint)
{
    diags_init(&f->diags, f->arena);
    f->found = (struct found_provider){0};
    return provider_find(&f->context, f->arena, str_of(what), str_of(constraint), &f->diags, &f->found);
}

void expect(struct search_fixture *f, const char *what, const char *constraint, const char *version, const char *where)
{
    if (!find(f, what, constraint) || f->diags.n > 0)
        fail_msg("%s %s: %s", what, constraint, test_text(f->arena, &f->diags));
    assert_string_equal(f->found.version.p, version);
    assert_string_equal(f->found.where.p, at(f, where));
    if (!f->found.path.p || access(f->found.path.p, X_OK) != 0)
        fail_msg("%s cannot be run", what);
    assert_false(f->found.packed);
}

void expect_error(struct search_fixture *f, const char *what, const char *constraint, ...)
{
    if (find(f, what, constraint))
        fail_msg("%s %s: found %s", what, constraint, f->found.path.p);
    assert_int_equal(f->diags.n_errors, 1);
    const char *text = test_text(f->arena, &f->diags);
    va_list args;
    va_start(args, constraint);
    for (const char *part; (part = va_arg(args, const char *));)
        if (!strstr(text, with_root(f, part)))
            fail_msg("expected \"%s\" in:\n%s", with_root(f, part), text);
    va_end(args);
}
