/*
 * Reads any bytes as a CLI configuration file: it must be accepted, or refused with errors, and an accepted configuration must be
 * as cli_config.h says.
 */
#include "registry/cli_config.h"

#include "registry/address.h"

#include <stdlib.h>

static void check_patterns(const struct str *patterns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (provider_pattern_problem(patterns[i]))
            abort();
}

static void check(struct arena *a, const struct cli_config *config)
{
    for (size_t i = 0; i < config->n_methods; i++) {
        if ((config->methods[i].path.n == 0) != (config->methods[i].kind == METHOD_DIRECT) ||
            strlen(config->methods[i].path.p) != config->methods[i].path.n)
            abort();
        check_patterns(config->methods[i].include, config->methods[i].n_include);
        check_patterns(config->methods[i].exclude, config->methods[i].n_exclude);
    }
    for (size_t i = 0; i < config->n_overrides; i++) {
        struct diags diags;
        diags_init(&diags, a);
        struct provider_address address;
        if (!provider_address_parse(a, config->overrides[i].address, &diags, &address))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct cli_config config;
    bool ok = cli_config_parse(a, (struct str){(const char *)data, size}, "rc", &diags, &config);
    if (ok == diags_has_errors(&diags))
        abort();
    if (ok)
        check(a, &config);
    return 0;
}
