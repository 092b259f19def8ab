/*
 * The CLI configuration of Terraform and OpenTofu, as far as providers are concerned.
 *
 * The file is the one TF_CLI_CONFIG_FILE (or TERRAFORM_CONFIG, its old name) names; else the first that exists of
 * ~/.terraformrc, ~/.tofurc and $XDG_CONFIG_HOME/opentofu/tofurc, followed by the *.tfrc and *.tfrc.json files of
 * ~/.terraform.d (or, without that folder, of $XDG_CONFIG_HOME/opentofu) in order of their names. HCL, or JSON when the text
 * starts with a brace. Settings that do not concern providers, credentials among them, are read over and kept nowhere.
 */
#pragma once

#include "base/diag.h"

/* Files read at once from the configuration folder. */
enum { CLI_CONFIG_MAX_FILES = 256 };

struct mirror_rule {
    struct str path;           /* as written: Terraform expands neither ~ nor variables; relative to the working folder */
    const struct str *include; /* address patterns (address.h), checked; empty: all */
    const struct str *exclude; /* stronger than include */
    size_t n_include, n_exclude;
    struct str file; /* where the rule stands */
};

struct dev_override {
    struct str address; /* as written, a good address */
    struct str folder;  /* as written: the folder of the binary (Terraform's meaning), or the binary itself */
    struct str file;
};

struct cli_config {
    const struct str *files; /* that were read */
    size_t n_files;
    struct str plugin_cache_dir; /* $NAME and ${NAME} expanded by cli_config_load */
    bool has_installation;       /* a provider_installation block was there: no implied folders */
    bool has_downloads;          /* it has methods that Terrane has no use for: direct, network_mirror, oci_mirror */
    const struct mirror_rule *mirrors;
    size_t n_mirrors;
    const struct dev_override *overrides;
    size_t n_overrides;
};

/* `environment` looks a variable up (getenv in the program). A missing TF_CLI_CONFIG_FILE is a warning, as is a file that may
 * not be opened; broken syntax is an error with file, line and column. */
bool cli_config_load(struct arena *a, const char *(*environment)(const char *name), struct diags *diags, struct cli_config *ret);

/* One file's text. */
bool cli_config_parse(struct arena *a, struct str text, const char *source, struct diags *diags, struct cli_config *ret);
