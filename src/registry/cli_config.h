/*
 * The CLI configuration of Terraform and OpenTofu: the settings that concern providers.
 *
 * The file is the one that TF_CLI_CONFIG_FILE (or TERRAFORM_CONFIG, its old name) names; else the first that exists of
 * ~/.terraformrc, ~/.tofurc and $XDG_CONFIG_HOME/opentofu/tofurc, followed by the *.tfrc and *.tfrc.json files of ~/.terraform.d
 * (or, without that folder, of $XDG_CONFIG_HOME/opentofu) in order of their names. The format is HCL, or JSON if the text starts
 * with a brace. Other settings are ignored. Tokens are kept for requests to registries (install/credentials.h), and never shown.
 */
#pragma once

#include "base/diag.h"

/* The most files that are read from the configuration folder. */
enum { CLI_CONFIG_MAX_FILES = 256 };

/* The installation methods of the file. */
enum install_method_kind {
    METHOD_FOLDER,  /* filesystem_mirror */
    METHOD_NETWORK, /* network_mirror */
    METHOD_DIRECT,  /* the registry of the provider's host */
    METHOD_OCI,     /* oci_mirror, of OpenTofu */
};

struct install_method {
    enum install_method_kind kind;
    /*
     * The folder as written (like Terraform, ~ and variables are not expanded; relative to the working folder), the URL, or the
     * template; empty for METHOD_DIRECT.
     */
    struct str path;
    const struct str *include; /* address patterns (address.h), checked; empty: all */
    const struct str *exclude; /* overrides include */
    size_t n_include, n_exclude;
    struct str file; /* the file that has the method */
};

struct dev_override {
    struct str address; /* as written; a valid address */
    struct str folder;  /* as written: the binary's folder, as in Terraform, or the binary itself */
    struct str file;
};

struct host_token {
    struct str host, token; /* the host is in lower case */
};

/* host "HOST" { services = { "providers.v1" = URL } }: replaces the host's own service discovery. */
struct host_service {
    struct str host, url;
};

/* credentials_helper: a program that returns tokens. */
struct credentials_helper {
    struct str name; /* of terraform-credentials-NAME; empty: none */
    const struct str *args;
    size_t n_args;
};

struct cli_config {
    const struct str *files; /* the files that were read */
    size_t n_files;
    struct str plugin_cache_dir;          /* $NAME and ${NAME} expanded by cli_config_load */
    bool has_installation;                /* there was a provider_installation block, so there are no implied folders */
    bool has_downloads;                   /* one of its methods downloads: direct, network_mirror, oci_mirror */
    const struct install_method *methods; /* all of them, in order */
    size_t n_methods;
    const struct dev_override *overrides;
    size_t n_overrides;
    const struct host_token *tokens; /* if a host has several, the last one counts */
    size_t n_tokens;
    const struct host_service *services; /* likewise */
    size_t n_services;
    struct credentials_helper helper;
};

/*
 * `environment` looks up a variable (getenv() in the program). It is a warning if the file that TF_CLI_CONFIG_FILE names does not
 * exist, or a file cannot be opened; a syntax error has file, line and column.
 */
bool cli_config_load(struct arena *a, const char *(*environment)(const char *name), struct diags *diags, struct cli_config *ret);

/* Reads the text of one file. */
bool cli_config_parse(struct arena *a, struct str text, const char *source, struct diags *diags, struct cli_config *ret);
