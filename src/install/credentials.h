/*
 * Tokens for hosts. As in Terraform, they come from (in this order) the variable TF_TOKEN_HOST (a dot is written as one
 * underscore, a hyphen as two), `credentials` blocks of the CLI configuration, the program that `credentials_helper` names.
 */
#pragma once

#include "base/log.h"
#include "loop/loop.h"
#include "registry/cli_config.h"

enum { CREDENTIALS_MAX_ANSWER = 64 << 10, CREDENTIALS_HELPER_S = 60 };

struct credentials {
    const struct cli_config *config; /* NULL: none */
    const char *const *env;          /* like environ(7) */
    const char *home;                /* NULL: none */
    const char *platform;
    struct loop *loop;
    struct cancel *cancel;
    struct log *log; /* told which tokens to mask */
};

/* The token for a host (HOST or HOST:PORT); empty: there is none. False with a diagnostic if the helper fails. */
bool credentials_token(const struct credentials *c, struct arena *a, struct str host, struct diags *diags, struct str *ret);
