/*
 * The fake provider: a well-behaved provider for whatever schema it is given, on a small cloud, that misbehaves where its script
 * says so.
 */
#pragma once

#include "cloud.h"
#include "plugin/provider_server.h"
#include "script.h"

struct fake {
    struct script *script;
    const struct provider_schema *schema;
    struct cloud *cloud;
    pthread_mutex_t lock;     /* guards what follows */
    struct arena *arena;      /* of the configuration */
    struct str configuration; /* the request that configured the provider last */
};

/* The context of these is a struct fake. */
extern const struct provider_ops fake_ops;
