/* Reports of the log and the controller as metrics. `tests/scenario/dashboard` checks those of a running program. */
#include "web/monitor.h"

#include "base/testing.h"

static void has(struct monitor *m, const char *line)
{
    struct buf out BUF_AUTO = BUF_INIT(METRICS_MAX_TEXT);
    metrics_write(monitor_metrics(m), &out);
    buf_addc(&out, '\0');
    if (!strstr(out.p, line))
        fail_msg("expected \"%s\" in:\n%s", line, out.p);
}

static void commands_are_counted_while_they_run(void **state)
{
    (void)state;
    struct monitor *m = monitor_new();
    struct log_work work = {.kind = LOG_WORK_COMMAND, .what = STR("apply"), .who = STR("terraform"), .about = STR("async")};
    has(m, "upjet_terraform_active_cli_invocations{subcommand=\"apply\",mode=\"async\"} 0\n");
    monitor_work(m, &work);
    monitor_work(m, &work);
    has(m, "upjet_terraform_active_cli_invocations{subcommand=\"apply\",mode=\"async\"} 2\n");
    has(m, "upjet_terraform_active_cli_invocations{subcommand=\"apply\",mode=\"sync\"} 0\n");
    has(m, "upjet_terraform_running_processes{type=\"cli\"} 2\n");
    work.outcome = "killed";
    work.ended = 2 * NS_PER_S;
    monitor_work(m, &work);
    has(m, "upjet_terraform_active_cli_invocations{subcommand=\"apply\",mode=\"async\"} 1\n");
    has(m, "upjet_terraform_cli_duration_bucket{subcommand=\"apply\",mode=\"async\",le=\"3\"} 1\n");
    has(m, "upjet_terraform_running_processes{type=\"cli\"} 1\n");
    monitor_free(m);
}

static void times_have_the_labels_of_others(void **state)
{
    (void)state;
    struct monitor *m = monitor_new();
    const struct kind kind = {.group = STR("s3.aws.upbound.io"), .version = STR("v1beta1"), .kind = STR("Bucket")};
    monitor_time(m, &kind, CONTROLLER_DRIFT, 5 * NS_PER_S);
    monitor_time(m, &kind, CONTROLLER_DELAY, 0);
    monitor_time(m, &kind, CONTROLLER_DELAY, 20 * NS_PER_S);
#define DRIFT "crossplane_managed_resource_drift_seconds_"
#define DELAY "upjet_resource_reconcile_delay_seconds_"
    has(m, DRIFT "bucket{gvk=\"s3.aws.upbound.io/v1beta1, Kind=Bucket\",le=\"1\"} 0\n");
    has(m, DRIFT "bucket{gvk=\"s3.aws.upbound.io/v1beta1, Kind=Bucket\",le=\"10\"} 1\n");
    has(m, DELAY "bucket{group=\"s3.aws.upbound.io\",version=\"v1beta1\",kind=\"Bucket\",le=\"1\"} 1\n");
    monitor_time(m, &kind, CONTROLLER_FIRST_RECONCILE, 2 * NS_PER_S);
    monitor_time(m, &kind, CONTROLLER_FIRST_READY, 3 * NS_PER_S);
    monitor_time(m, &kind, CONTROLLER_DELETION, 4 * NS_PER_S);
#define GVK "{gvk=\"s3.aws.upbound.io/v1beta1, Kind=Bucket\"} "
#define LABELS "{group=\"s3.aws.upbound.io\",version=\"v1beta1\",kind=\"Bucket\"} "
    has(m, "crossplane_managed_resource_first_time_to_reconcile_seconds_sum" GVK "2\n");
    has(m, "crossplane_managed_resource_first_time_to_readiness_seconds_sum" GVK "3\n");
    has(m, "upjet_resource_ttr_sum" LABELS "3\n");
    has(m, "crossplane_managed_resource_deletion_seconds_sum" GVK "4\n");
    has(m, "upjet_resource_deletion_seconds_sum" LABELS "4\n");
    has(m, DELAY "count{group=\"s3.aws.upbound.io\",version=\"v1beta1\",kind=\"Bucket\"} 2\n");
    monitor_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_counted_while_they_run),
        cmocka_unit_test(times_have_the_labels_of_others),
    };
    return cmocka_run_group_tests_name("web/monitor", tests, NULL, NULL);
}
