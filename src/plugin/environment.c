#include "plugin/environment.h"

#include "base/ascii.h"
#include "base/map.h"
#include "plugin/handshake.h"

/* Only for plugins that listen on TCP: Go's do on Windows, others may anywhere. */
#define MIN_PORT "10000"
#define MAX_PORT "25000"

/* Set by the client that started us as a plugin; not meant for providers that we start. */
static const char *const not_inherited[] = {
    "PLUGIN_CLIENT_CERT",
    "PLUGIN_UNIX_SOCKET_DIR",
    "PLUGIN_UNIX_SOCKET_GROUP",
    "PLUGIN_MULTIPLEX_GRPC",
};

/* Puts KEY=VALUE under its key; a later one replaces an earlier one. */
static void put(struct map *m, const char *pair)
{
    const char *equals = strchr(pair, '=');
    if (equals)
        map_put(m, (struct str){pair, (size_t)(equals - pair)}, (void *)pair);
}

static void put_all(struct map *m, const char *const *pairs)
{
    for (; pairs && *pairs; pairs++)
        put(m, *pairs);
}

static bool has_log_settings(const char *const *pairs)
{
    for (; pairs && *pairs; pairs++)
        if (str_starts(str_of(*pairs), STR("TF_LOG")))
            return true;
    return false;
}

/* The variable with the log level of the provider with this address: TF_LOG_PROVIDER_AWS. */
static const char *level_variable(struct arena *a, struct str address)
{
    struct str name = address;
    while (str_find(name, '/', 0) != SIZE_MAX)
        (void)str_cut(&name, '/');
    char *variable = (char *)arena_printf(a, "TF_LOG_PROVIDER_" STR_FMT, STR_ARG(name)).p;
    for (char *c = variable; *c; c++)
        *c = *c == '-' ? '_' : to_upper(*c);
    return variable;
}

static void put_log_level(struct arena *a, struct map *m, const struct environment_options *o)
{
    put(m, arena_printf(a, "TF_LOG_SDK=%s", o->log_level).p);
    put(m, arena_printf(a, "TF_LOG_PROVIDER=%s", o->log_level).p);
    put(m, arena_printf(a, "%s=%s", level_variable(a, o->address), o->log_level).p);
}

const char *const *environment_make(struct arena *a, const struct environment_options *o)
{
    struct map m;
    map_init(&m, a);
    if (o->log_level && !has_log_settings(o->ours))
        put_log_level(a, &m, o);
    put_all(&m, o->ours);
    for (size_t i = 0; i < sizeof not_inherited / sizeof not_inherited[0]; i++)
        if (map_get(&m, str_of(not_inherited[i])))
            map_put(&m, str_of(not_inherited[i]), NULL);
    put_all(&m, o->given);
    put(&m, HANDSHAKE_COOKIE_KEY "=" HANDSHAKE_COOKIE_VALUE);
    put(&m, "PLUGIN_PROTOCOL_VERSIONS=5,6");
    put(&m, "PLUGIN_MIN_PORT=" MIN_PORT);
    put(&m, "PLUGIN_MAX_PORT=" MAX_PORT);
    put(&m, arena_printf(a, "PLUGIN_UNIX_SOCKET_DIR=%s", o->socket_dir).p);
    if (o->client_pem.n > 0)
        put(&m, arena_printf(a, "PLUGIN_CLIENT_CERT=" STR_FMT, STR_ARG(o->client_pem)).p);

    const char **env = arena_make_n(a, const char *, m.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < m.n; i++)
        if (m.entries[i].value)
            env[n++] = m.entries[i].value;
    return env;
}
