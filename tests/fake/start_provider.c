/*
 * start_provider PATH: starts a provider as terrane does, fetches its schema, prints the result as one line of JSON, and ends the
 * provider.
 */
#include "base/buf.h"
#include "plugin/launch.h"

#include <stdio.h>

enum { MAX_TEXT = 1 << 20 };

static bool run(struct loop *loop, const char *path, struct diags *diags)
{
    struct provider *p;
    const struct launch_options options = {.loop = loop, .path = path, .name = str_of(path)};
    if (!provider_launch(&options, diags, &p))
        return false;
    const struct provider_schema *s = provider_schema(p, &(struct grpc_call_options){0}, diags);
    if (s)
        (void)printf("{\"protocol\":%d,\"resources\":%zu,\"data_sources\":%zu,\"ephemerals\":%zu,\"functions\":%zu}\n",
                     provider_protocol(p), s->resources.n, s->data_sources.n, s->ephemerals.n, s->functions.n);
    provider_free(p);
    return s != NULL;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fputs("usage: start_provider PATH\n", stderr);
        return 2;
    }
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct loop *loop = loop_new();
    bool ok = run(loop, argv[1], &diags);
    loop_free(loop);
    struct buf text BUF_AUTO = BUF_INIT(MAX_TEXT);
    diags_write(&text, &diags, /* color= */ false);
    (void)fwrite(text.p ? text.p : "", 1, text.n, stderr);
    return ok ? 0 : 1;
}
