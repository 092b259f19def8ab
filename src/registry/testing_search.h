/* A machine in a temporary folder, for the tests of the search. */
#pragma once

#include "registry/find.h"
#include "registry/testing_folder.h"

#define HERE "linux_amd64"
#define THERE "darwin_arm64"
#define THING "example.com/acme/thing"
#define AWS "registry.terraform.io/hashicorp/aws"

/* All folders of a search are below `root`: home, here, cache. No other folder is searched. */
struct search_fixture {
    struct arena *arena;
    const char *root;
    struct cli_config config;
    struct find_context context;
    struct diags diags;
    struct found_provider found;
};

void search_setup(struct search_fixture *f);
void search_teardown(struct search_fixture *f);
#define SEARCH_AUTO __attribute__((cleanup(search_teardown)))

/* ROOT/NAME. */
const char *at(struct search_fixture *f, const char *name);

/* The text with the root for every %. */
const char *with_root(struct search_fixture *f, const char *text);

/* Puts the provider into ROOT/MIRROR; returns the binary's path. */
const char *put(struct search_fixture *f, const char *mirror, const char *address, const char *version, const char *platform);

/* Sets the CLI configuration, with_root, as if from a file named "rc". */
void configure(struct search_fixture *f, const char *text);

/* provider_find with fresh diagnostics. */
bool find(struct search_fixture *f, const char *what, const char *constraint);

/* The provider must be found without diagnostics: this version, in ROOT/WHERE. */
void expect(struct search_fixture *f, const char *what, const char *constraint, const char *version, const char *where);

/* There must be one error with all of these texts (with_root; the last is NULL). */
void expect_error(struct search_fixture *f, const char *what, const char *constraint, ...) __attribute__((sentinel));
