/*
 * The CLI configuration of Terraform and OpenTofu, as far as providers are concerned: TF_CLI_CONFIG_FILE, else .terraformrc
 * or .tofurc of the home folder (and the *.tfrc files of .terraform.d). HCL, or JSON in files that end in .json.
 */
#pragma once

#include "base/diag.h"

struct mirror_rule {
    struct str path;           /* absolute, ~ and environment variables expanded as Terraform does */
    const struct str *include; /* address patterns: "example.com/acme/x", with * for any part; empty: all */
    const struct str *exclude;
    size_t n_include, n_exclude;
};

struct dev_override {
    struct str address; /* as written */
    struct str folder;
};

struct cli_config {
    struct str file; /* that was read; empty: none */
    struct str plugin_cache_dir;
    bool has_installation; /* a provider_installation block was there: no implied folders */
    const struct mirror_rule *mirrors;
    size_t n_mirrors;
    const struct dev_override *overrides;
    size_t n_overrides;
};

/* `environment` looks a variable up (getenv in the program). A missing TF_CLI_CONFIG_FILE is a warning, broken syntax an error
 * with file, line and column. */
bool cli_config_load(struct arena *a, const char *(*environment)(const char *name), struct diags *diags, struct cli_config *ret);
bool cli_config_parse(struct arena *a, struct str text, const char *source, struct diags *diags, struct cli_config *ret);
