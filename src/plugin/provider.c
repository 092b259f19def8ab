#include "plugin/provider.h"

#include "base/lock.h"
#include "plugin/provider_private.h"

#include <assert.h>
#include <stdlib.h>

struct provider *provider_new(struct plugin *plugin)
{
    struct arena *a = arena_new(NULL, 0);
    struct provider *p = arena_make(a, struct provider);
    *p = (struct provider){.plugin = plugin, .codec = codec_for(plugin_protocol(plugin)), .arena = a};
    mutex_init(&p->lock);
    return p;
}

void provider_free(struct provider *p)
{
    if (!p)
        return;
    plugin_free(p->plugin);
    mutex_destroy(&p->lock);
    arena_free(p->arena); /* this frees the provider too */
}

struct str provider_name(const struct provider *p)
{
    return plugin_name(p->plugin);
}

int provider_protocol(const struct provider *p)
{
    return plugin_protocol(p->plugin);
}

bool provider_is_gone(const struct provider *p)
{
    return plugin_is_gone(p->plugin);
}

bool provider_reattach(const struct provider *p, struct reattach *ret)
{
    return plugin_reattach(p->plugin, ret);
}

/* How calls end */

static const char panic_advice[] = " A panic is always a bug in the provider: please report it to its maintainers, with the "
                                   "stack trace below.";

static enum provider_status gone(struct provider *p, struct str call, const struct grpc_result *result, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str name = provider_name(p);
    struct plugin_end end;
    if (plugin_ended(p->plugin, scratch, &end))
        diags_add(diags, &(struct diag){
                             .severity = DIAG_ERROR,
                             .summary = STR("Provider crashed"),
                             .detail = arena_printf(
                                 scratch, "provider \"" STR_FMT "\" was working on " STR_FMT " when it " STR_FMT ".%s",
                                 STR_ARG(name), STR_ARG(call), STR_ARG(end.how), end.panicked ? panic_advice : ""),
                             .output_title = end.title,
                             .output = end.output,
                         });
    else
        (void)diags_fail(diags, "Provider did not respond",
                         "the connection to provider \"" STR_FMT "\" was lost during " STR_FMT ": " STR_FMT ".", STR_ARG(name),
                         STR_ARG(call), STR_ARG(result->message));
    return PROVIDER_GONE;
}

static enum provider_status oversized(struct provider *p, struct str call, const struct grpc_result *result, struct diags *diags)
{
    struct str name = provider_name(p);
    diags_fail(diags, "Message too large",
               "a message of provider \"" STR_FMT "\" in " STR_FMT " is larger than one of the two sides accepts: " STR_FMT
               ". Terrane accepts %zu MiB; providers usually accept as much.",
               STR_ARG(name), STR_ARG(call), STR_ARG(result->message), PLUGIN_MAX_MESSAGE >> 20);
    return PROVIDER_BROKEN;
}

enum provider_status provider_judge(struct provider *p, enum rpc rpc, const struct grpc_result *result, struct diags *diags)
{
    struct str name = provider_name(p), call = p->codec->calls[rpc]->name;
    switch (result->status) {
    case GRPC_OK:
        return PROVIDER_OK;
    case GRPC_UNIMPLEMENTED:
        return PROVIDER_UNSUPPORTED;
    case GRPC_UNAVAILABLE:
        return gone(p, call, result, diags);
    case GRPC_RESOURCE_EXHAUSTED:
        return oversized(p, call, result, diags);
    case GRPC_DEADLINE_EXCEEDED:
        diags_fail(diags, "Provider took too long", "provider \"" STR_FMT "\" did not answer " STR_FMT " in time.", STR_ARG(name),
                   STR_ARG(call));
        return PROVIDER_TIMEOUT;
    case GRPC_CANCELLED:
        diags_fail(diags, "Cancelled", STR_FMT " of provider \"" STR_FMT "\" was cancelled.", STR_ARG(call), STR_ARG(name));
        return PROVIDER_CANCELLED;
    default:
        diags_fail(diags, "Provider refused a call",
                   "provider \"" STR_FMT "\" ended " STR_FMT " with gRPC status %s (%d): " STR_FMT
                   ". Errors that users can act on come as diagnostics, so this is a bug in the provider.",
                   STR_ARG(name), STR_ARG(call), grpc_status_name(result->status), (int)result->status, STR_ARG(result->message));
        return PROVIDER_BROKEN;
    }
}

enum provider_status provider_call_bytes(struct provider *p, struct arena *a, enum rpc rpc, struct str request,
                                         const struct grpc_call_options *options, struct diags *diags, struct str *ret_response)
{
    int64_t begun = clock_now(&system_clock);
    struct grpc_result result =
        grpc_client_unary(plugin_client(p->plugin), a, p->codec->calls[rpc]->method, request, options, ret_response);
    enum provider_status status = provider_judge(p, rpc, &result, diags);
    provider_tell(p, rpc, status, begun);
    return status;
}

void provider_tell(const struct provider *p, enum rpc rpc, enum provider_status status, int64_t begun)
{
    static const char *const outcomes[] = {
        [PROVIDER_OK] = "ok",           [PROVIDER_UNSUPPORTED] = "unsupported", [PROVIDER_GONE] = "gone",
        [PROVIDER_TIMEOUT] = "timeout", [PROVIDER_CANCELLED] = "cancelled",     [PROVIDER_BROKEN] = "broken"};
    log_work(plugin_log(p->plugin), &(struct log_work){.kind = LOG_WORK_CALL,
                                                       .what = p->codec->calls[rpc]->name,
                                                       .who = provider_name(p),
                                                       .outcome = outcomes[status],
                                                       .begun = begun});
}

struct coding provider_coding(struct provider *p, enum rpc rpc, struct arena *a, const struct provider_schema *schema,
                              struct diags *diags)
{
    return (struct coding){
        .codec = p->codec, .rpc = rpc, .schema = schema, .arena = a, .diags = diags, .provider = provider_name(p)};
}
