/*
 * Shared by provider.c, provider_schema.c, provider_calls.c and provider_stream.c.
 */
#pragma once

#include "plugin/plugin.h"
#include "plugin/provider.h"
#include "protocol/codec.h"

#include <pthread.h>

struct provider {
    struct plugin *plugin;
    const struct codec *codec;
    pthread_mutex_t lock; /* guards everything below; held while the schema is fetched, so that it is fetched once */
    struct arena *arena;  /* of the schema */
    const struct provider_schema *schema; /* NULL: not known yet; immutable once set */
    bool asked;                           /* this process has answered GetProviderSchema */
};

/*
 * The schema, for a call that carries values. Also makes sure that this process has been asked for its schema once, which
 * providers rely on unless they say otherwise.
 */
const struct provider_schema *provider_schema_for_call(struct provider *p, const struct grpc_call_options *o, struct diags *diags,
                                                       enum provider_status *reterr_status);

/* Converts the result of a gRPC call to a status; adds a diagnostic unless it is OK or UNSUPPORTED. */
enum provider_status provider_judge(struct provider *p, enum rpc rpc, const struct grpc_result *result, struct diags *diags);

/* One call with undecoded messages: sends bytes, returns bytes (in `a`). */
enum provider_status provider_call_bytes(struct provider *p, struct arena *a, enum rpc rpc, struct str request,
                                         const struct grpc_call_options *options, struct diags *diags, struct str *ret_response);

/* Reports the end of a call with log_work(). */
void provider_tell(const struct provider *p, enum rpc rpc, enum provider_status status, int64_t begun);

/* A coding for a call of this provider. */
struct coding provider_coding(struct provider *p, enum rpc rpc, struct arena *a, const struct provider_schema *schema,
                              struct diags *diags);
