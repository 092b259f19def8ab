#include "web/health.h"

void web_healthz(void *health, struct arena *a, const struct web_request *r, struct web_answer *ret)
{
    (void)health, (void)a, (void)r;
    ret->body = STR("ok\n");
}

void web_readyz(void *health, struct arena *a, const struct web_request *r, struct web_answer *ret)
{
    (void)r;
    const struct web_health *h = health;
    struct str why = STR_EMPTY;
    if (!h->ready || h->ready(h->ctx, a, &why))
        ret->body = STR("ok\n");
    else
        web_refuse(ret, a, 503, "not ready: " STR_FMT, STR_ARG(why));
}

void web_metrics(void *health, struct arena *a, const struct web_request *r, struct web_answer *ret)
{
    (void)r;
    const struct web_health *h = health;
    struct buf out BUF_AUTO = BUF_INIT(METRICS_MAX_TEXT);
    if (h->metrics) {
        metrics_measure_process(h->metrics);
        if (h->measure)
            h->measure(h->ctx, h->metrics);
        metrics_write(h->metrics, &out);
    }
    ret->type = "text/plain; version=0.0.4; charset=utf-8";
    ret->body = buf_copy(&out, a);
}
