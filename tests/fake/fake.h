/* The fake provider: a well-behaved provider for any schema, with a small cloud, that misbehaves where its script says so. */
#pragma once

#include "cloud.h"
#include "plugin/provider_server.h"
#include "script.h"

struct fake {
    struct script *script;
    const struct provider_schema *schema;
    struct cloud *cloud;
    pthread_mutex_t lock;     /* protects what follows */
    struct arena *arena;      /* holds the configuration */
    struct str configuration; /* the latest request that configured the provider */
};

/* The `ctx` of these is a struct fake. */
extern const struct provider_ops fake_ops;
