/*
 * Tokens for hosts, where Terraform looks for them, in its order: the variable TF_TOKEN_HOST (dots as underscores, hyphens as
 * two), `credentials` blocks of the CLI configuration, the program that `credentials_helper` names.
 */
#pragma once

#include "base/log.h"
#include "loop/loop.h"
#include "registry/cli_config.h"

enum { CREDENTIALS_MAX_ANSWER = 64 << 10, CREDENTIALS_HELPER_S = 60 };

struct credentials {
    const struct cli_config *config; /* NULL: none */
    const char *const *env;          /* as environ(7) */
    const char *home;                /* NULL: none */
    const char *platform;
    struct loop *loop;
    struct cancel *cancel;
    struct log *log; /* told what to mask */
};

/* The token for a host (HOST or HOST:PORT); empty: there is none. A helper that fails is a diagnostic. */
bool credentials_token(const struct credentials *c, struct arena *a, struct str host, struct diags *diags, struct str *ret);
