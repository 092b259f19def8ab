/*
 * The CLI configuration of Terraform and OpenTofu, as far as providers are concerned.
 *
 * The file is the one TF_CLI_CONFIG_FILE (or TERRAFORM_CONFIG, its old name) names; else the first that exists of
 * ~/.terraformrc, ~/.tofurc and $XDG_CONFIG_HOME/opentofu/tofurc, followed by the *.tfrc and *.tfrc.json files of
 * ~/.terraform.d (or, without that folder, of $XDG_CONFIG_HOME/opentofu) in order of their names. HCL, or JSON when the text
 * starts with a brace. Settings that do not concern providers are read over. Tokens are kept for whoever asks a registry
 * (install/credentials.h), and shown to nobody.
 */
#pragma once

#include "base/diag.h"

/* Files read at once from the configuration folder. */
enum { CLI_CONFIG_MAX_FILES = 256 };

/* Ways to get a provider, in the order of the file. */
enum install_method_kind {
    METHOD_FOLDER,  /* filesystem_mirror */
    METHOD_NETWORK, /* network_mirror */
    METHOD_DIRECT,  /* the registry of the provider's host */
    METHOD_OCI,     /* oci_mirror, of OpenTofu */
};

struct install_method {
    enum install_method_kind kind;
    /* The folder as written (Terraform expands neither ~ nor variables; relative to the working folder), the URL, or the
     * template; empty: METHOD_DIRECT. */
    struct str path;
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

struct host_token {
    struct str host, token; /* host in lower case */
};

/* host "HOST" { services = { "providers.v1" = URL } }: instead of what the host itself would say. */
struct host_service {
    struct str host, url;
};

/* credentials_helper: a program that is asked for tokens. */
struct credentials_helper {
    struct str name; /* of terraform-credentials-NAME; empty: none */
    const struct str *args;
    size_t n_args;
};

struct cli_config {
    const struct str *files; /* that were read */
    size_t n_files;
    struct str plugin_cache_dir;          /* $NAME and ${NAME} expanded by cli_config_load */
    bool has_installation;                /* a provider_installation block was there: no implied folders */
    bool has_downloads;                   /* it has methods that download: direct, network_mirror, oci_mirror */
    const struct install_method *methods; /* all of them, in order */
    size_t n_methods;
    const struct dev_override *overrides;
    size_t n_overrides;
    const struct host_token *tokens; /* of several for one host the last one counts */
    size_t n_tokens;
    const struct host_service *services; /* likewise */
    size_t n_services;
    struct credentials_helper helper;
};

/* `environment` looks a variable up (getenv in the program). A missing TF_CLI_CONFIG_FILE is a warning, as is a file that may
 * not be opened; broken syntax is an error with file, line and column. */
bool cli_config_load(struct arena *a, const char *(*environment)(const char *name), struct diags *diags, struct cli_config *ret);

/* One file's text. */
bool cli_config_parse(struct arena *a, struct str text, const char *source, struct diags *diags, struct cli_config *ret);
