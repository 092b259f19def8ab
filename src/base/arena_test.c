#include "base/arena.h"

#include <stdlib.h>

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

static void memory_is_zeroed_and_aligned(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < 5000; i++) {
        size_t align = (size_t)1 << (i % 5), size = i * 7 % 300;
        unsigned char *p = arena_alloc(a, size, align);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % align, 0);
        for (size_t b = 0; b < size; b++)
            assert_int_equal(p[b], 0);
        memset(p, 0xff, size); /* garbage that the next allocation must not contain */
    }
}

static void allocations_do_not_overlap(void **state)
{
    (void)state;
    enum { N = 400 };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    unsigned char *p[N];
    /* Sizes just below and above every limit of the chunks. */
    static const size_t sizes[] = {0, 1, 15, 16, 1000, 1024, 1025, 100000, 131072, 131073, 262144, 262145};
    for (size_t i = 0; i < N; i++) {
        size_t size = sizes[i % (sizeof sizes / sizeof sizes[0])];
        p[i] = arena_alloc(a, size, 1);
        memset(p[i], (int)(i % 251), size);
    }
    for (size_t i = 0; i < N; i++)
        for (size_t b = 0; b < sizes[i % (sizeof sizes / sizeof sizes[0])]; b++)
            assert_int_equal(p[i][b], i % 251);
}

static void passing_the_limit_is_seen_but_allocation_goes_on(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 10000);
    assert_non_null(arena_alloc(a, 1000, 1));
    assert_false(arena_exhausted(a));
    assert_non_null(arena_alloc(a, 20000, 1));
    assert_true(arena_exhausted(a));
    assert_non_null(arena_alloc(a, 8, 8));
    arena_reset(a);
    assert_false(arena_exhausted(a));
    assert_int_equal(arena_used(a), 0);
}

static void a_child_counts_towards_its_parents(void **state)
{
    (void)state;
    struct arena *parent ARENA_AUTO = arena_new(NULL, 100000);
    struct arena *child = arena_new(parent, 0), *grandchild = arena_new(child, 5000);
    struct arena *sibling = arena_new(parent, 5000);
    (void)arena_alloc(grandchild, 6000, 1);
    assert_true(arena_exhausted(grandchild));
    assert_false(arena_exhausted(child)); /* only its own child is over its limit */
    assert_false(arena_exhausted(parent));
    (void)arena_alloc(child, 100000, 1);
    assert_true(arena_exhausted(parent));
    assert_true(arena_exhausted(sibling)); /* an ancestor is over its limit */
    arena_free(child);
    assert_false(arena_exhausted(parent));
    assert_int_equal(arena_used(parent), arena_used(sibling));
}

static void children_are_freed_in_any_order(void **state)
{
    (void)state;
    struct arena *parent = arena_new(NULL, 0);
    struct arena *a = arena_new(parent, 0), *b = arena_new(parent, 0), *c = arena_new(parent, 0);
    (void)arena_alloc(a, 10, 1);
    (void)arena_alloc(b, 10, 1);
    (void)arena_alloc(c, 10, 1);
    arena_free(b); /* from the middle of the list */
    arena_free(a); /* from its end */
    assert_int_equal(arena_used(parent), arena_used(c));
    arena_free(parent); /* also frees c: a sanitizer would detect a leak */
    arena_free(NULL);
}

struct trace {
    char text[16];
    size_t n;
};

struct note {
    struct trace *trace;
    char letter;
};

static void write_note(void *what)
{
    struct note *note = what;
    note->trace->text[note->trace->n++] = note->letter;
}

static void add_note(struct arena *a, struct trace *trace, char letter)
{
    struct note *note = arena_make(a, struct note);
    *note = (struct note){trace, letter};
    arena_on_free(a, write_note, note);
}

static void hooks_run_newest_first_and_children_before(void **state)
{
    (void)state;
    struct trace trace = {0};
    struct arena *a = arena_new(NULL, 0);
    add_note(a, &trace, '1');
    struct arena *child = arena_new(a, 0);
    add_note(child, &trace, 'x');
    add_note(child, &trace, 'y');
    add_note(a, &trace, '2');
    arena_reset(a);
    assert_string_equal(trace.text, "yx21");
    arena_free(a);
    assert_string_equal(trace.text, "yx21"); /* each hook ran once */
}

struct late {
    struct arena *arena;
    struct trace *trace;
};

static void start_more(void *what)
{
    struct late *late = what;
    add_note(late->arena, late->trace, 'h');
    add_note(arena_new(late->arena, 0), late->trace, 'c');
}

static void a_hook_may_add_a_hook_and_a_child(void **state)
{
    (void)state;
    struct trace trace = {0};
    struct arena *a = arena_new(NULL, 0);
    struct late late = {a, &trace};
    arena_on_free(a, start_more, &late);
    arena_free(a);
    assert_string_equal(trace.text, "ch");
}

static void text_is_copied_with_a_nul(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    char text[] = "hello";
    struct str copy = arena_str(a, (struct str){text, 4});
    text[0] = 'x';
    assert_string_equal(copy.p, "hell");
    assert_int_equal(arena_str(a, (struct str){NULL, 0}).n, 0);
    assert_string_equal(arena_str(a, (struct str){NULL, 0}).p, "");
    assert_string_equal(arena_printf(a, "%s-%d", "n", 42).p, "n-42");
    char large[3000];
    memset(large, 'q', sizeof large);
    large[sizeof large - 1] = '\0';
    assert_int_equal(arena_printf(a, "<%s>", large).n, sizeof large + 1);
}

static void the_seed_is_one_per_tree(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0), *b ARENA_AUTO = arena_new(NULL, 0);
    assert_true(arena_seed(a) == arena_seed(arena_new(a, 0)));
    assert_true(arena_seed(a) != arena_seed(b));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned),
        cmocka_unit_test(allocations_do_not_overlap),
        cmocka_unit_test(passing_the_limit_is_seen_but_allocation_goes_on),
        cmocka_unit_test(a_child_counts_towards_its_parents),
        cmocka_unit_test(children_are_freed_in_any_order),
        cmocka_unit_test(hooks_run_newest_first_and_children_before),
        cmocka_unit_test(a_hook_may_add_a_hook_and_a_child),
        cmocka_unit_test(text_is_copied_with_a_nul),
        cmocka_unit_test(the_seed_is_one_per_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
