/* The text format line by line; `tests/scenario/dashboard` checks that of a running program with promtool. */
#include "web/metrics.h"

#include "base/clock.h"
#include "base/testing.h"

static const char *text_of(struct metrics *m, struct arena *a)
{
    struct buf out BUF_AUTO = BUF_INIT(METRICS_MAX_TEXT);
    metrics_write(m, &out);
    return buf_copy(&out, a).p;
}

static void has(const char *text, const char *line)
{
    if (!strstr(text, line))
        fail_msg("expected \"%s\" in:\n%s", line, text);
}

static void counters_and_gauges(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct metrics *m = metrics_new();
    const struct str call[] = {STR("p"), STR("Plan"), STR("ok")};
    metrics_add(m, METRIC_CALLS, call, 1);
    metrics_add(m, METRIC_CALLS, call, 2);
    metrics_set(m, METRIC_EXISTS, &STR("a\"b\\c\nd\xff"), 7);
    metrics_set(m, METRIC_OBJECTS, NULL, 0.5);
    const char *text = text_of(m, a);
    has(text, "# TYPE terrane_provider_calls_total "
              "counter\nterrane_provider_calls_total{provider=\"p\",method=\"Plan\",result=\"ok\"} 3\n");
    has(text, "\ncrossplane_managed_resource_exists{gvk=\"a\\\"b\\\\c\\nd\xef\xbf\xbd\"} 7\n");
    has(text, "\nterrane_objects 0.5\n");
    metrics_clear(m, METRIC_EXISTS);
    assert_null(strstr(text_of(m, a), "crossplane_managed_resource_exists"));
    metrics_add(NULL, METRIC_OBJECTS, NULL, 1);
    metrics_free(m);
}

static void histograms_add_up(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct metrics *m = metrics_new();
    static const double seconds[] = {0.0001, 0.001, 0.003, 1, 1000};
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        metrics_observe(m, METRIC_CALL_SECONDS, (struct str[]){STR("p"), STR("Read")}, seconds[i]);
#define SERIES "terrane_provider_call_duration_seconds_bucket{provider=\"p\",method=\"Read\",le="
    const char *text = text_of(m, a);
    has(text, SERIES "\"0.001\"} 2\n");
    has(text, SERIES "\"0.0025\"} 2\n");
    has(text, SERIES "\"0.005\"} 3\n");
    has(text, SERIES "\"1\"} 4\n");
    has(text, SERIES "\"300\"} 4\n");
    has(text, SERIES "\"+Inf\"} 5\n");
    has(text, "_count{provider=\"p\",method=\"Read\"} 5\n");
    metrics_free(m);
}

static void series_are_bounded(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct metrics *m = metrics_new();
    for (int i = 0; i < METRICS_MAX_SERIES + 10; i++)
        metrics_set(m, METRIC_EXISTS, (struct str[]){arena_printf(a, "%d", i)}, 1);
    const char *dropped = strstr(text_of(m, a), "\nterrane_metrics_dropped_total ");
    assert_non_null(dropped);
    assert_true(strtod(dropped + strlen("\nterrane_metrics_dropped_total "), NULL) >= 10);
    metrics_free(m);
}

static void the_process_is_measured(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct metrics *m = metrics_new();
    metrics_measure_process(m);
    const char *text = text_of(m, a), *memory = strstr(text, "\nprocess_resident_memory_bytes "),
               *start = strstr(text, "\nprocess_start_time_seconds ");
    assert_non_null(memory);
    assert_true(strtod(strchr(memory, ' '), NULL) > 100000);
    assert_non_null(start);
    double age = (double)system_clock.wall_ns(&system_clock) / 1e9 - strtod(strchr(start, ' '), NULL);
    assert_true(age > -2 && age < 600);
    metrics_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_and_gauges),
        cmocka_unit_test(histograms_add_up),
        cmocka_unit_test(series_are_bounded),
        cmocka_unit_test(the_process_is_measured),
    };
    return cmocka_run_group_tests_name("web/metrics", tests, NULL, NULL);
}
