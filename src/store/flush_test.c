/* Waiting writers share a flush, and a failing disk is reported. The test replaces fdatasync(). */
#include "loop/thread.h"
#include "store/testing_store.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>

enum { WRITERS = 8 };

static atomic_int n_flushes;
static _Atomic(struct testing_store *) waits_for_all; /* the next flush waits until all have committed; it is the first of two */
static atomic_bool fails;

static void wait_until_all_are_committed(struct testing_store *w)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct testing_store reader = {.arena = a, .store = w->store};
    diags_init(&reader.diags, a);
    int64_t until = clock_now(&system_clock) + 60 * NS_PER_S;
    while (strlen(testing_store_names(&reader, &(struct store_query){0})) < strlen("w0 ") * WRITERS - 1)
        assert_true(clock_now(&system_clock) < until);
}

int fdatasync(int fd)
{
    struct testing_store *w = atomic_exchange(&waits_for_all, NULL);
    if (w)
        wait_until_all_are_committed(w);
    atomic_fetch_add(&n_flushes, 1);
    if (atomic_load(&fails)) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_fdatasync, fd);
}

struct part {
    struct testing_store *w;
    int number;
    enum store_result result;
};

static void *write_one(void *ctx)
{
    struct part *p = ctx;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    const struct json *made = NULL;
    diags_init(&diags, a);
    const struct json *object = testing_jsonz(a, arena_printf(a, BUCKET("w%d"), p->number).p);
    p->result = store_create(p->w->store, a, object, &diags, &made);
    return NULL;
}

static void those_who_wait_share_a_flush(void **state)
{
    (void)state;
    struct testing_store w;
    struct part parts[WRITERS];
    pthread_t threads[WRITERS];
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    atomic_store(&waits_for_all, &w);
    atomic_store(&n_flushes, 0);
    for (int i = 0; i < WRITERS; i++) {
        parts[i] = (struct part){&w, i, STORE_FAILED};
        assert_int_equal(thread_start(&threads[i], "part", write_one, &parts[i]), 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        thread_join(threads[i]);
        assert_int_equal(parts[i].result, STORE_OK);
    }
    assert_int_equal(atomic_load(&n_flushes), 2); /* one for the first writer and one for all that came meanwhile */
    (void)testing_store_bucket(&w, "alone");
    assert_int_equal(atomic_load(&n_flushes), 3);
    testing_store_end(&w);
}

static void what_cannot_be_flushed_is_not_acknowledged(void **state)
{
    (void)state;
    struct testing_store w;
    const struct json *made = NULL;
    testing_store_init(&w);
    testing_store_open(&w, NULL);
    (void)testing_store_bucket(&w, "before");
    atomic_store(&fails, true);
    const struct json *object = testing_jsonz(w.arena, BUCKET("lost"));
    testing_store_failed(&w, store_create(w.store, w.arena, object, &w.diags, &made), STORE_FAILED,
                         "could not be flushed to disk");
    atomic_store(&fails, false); /* the kernel reports lost writes only once */
    object = testing_jsonz(w.arena, BUCKET("after"));
    testing_store_failed(&w, store_create(w.store, w.arena, object, &w.diags, &made), STORE_FAILED,
                         "could not be flushed to disk");
    testing_store_close(&w);
    testing_store_open(&w, NULL);
    (void)testing_store_get(&w, "before");
    (void)testing_store_bucket(&w, "again");
    testing_store_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(those_who_wait_share_a_flush),
        cmocka_unit_test(what_cannot_be_flushed_is_not_acknowledged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
