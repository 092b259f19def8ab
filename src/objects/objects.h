/*
 * What the commands for a store share: which store, which kinds it has, which objects a command line names, and their names for
 * people.
 */
#pragma once

#include "cli/app.h"
#include "controller/kinds.h"
#include "store/object.h"
#include "store/store.h"

#define OBJECTS_NAMESPACE "default" /* the default namespace */

struct objects_options {
    const char *data;      /* folder of the store; NULL: the default */
    const char *namespace; /* NULL: OBJECTS_NAMESPACE */
    const char *selector;  /* NULL: any labels */
    bool everywhere;       /* in all namespaces */
};

#define OBJECTS_OPTION_DATA(o)                                                                                                   \
    {"data", 0, OPTION_TEXT, &(o)->data, "FOLDER", "where the store is (default: TERRANE_STORE, or terrane in XDG_STATE_HOME)"}
#define OBJECTS_OPTION_NAMESPACE(o)                                                                                              \
    {"namespace", 'n', OPTION_TEXT, &(o)->namespace, "NAMESPACE", "namespace of the objects (default: default)"}
#define OBJECTS_OPTION_EVERYWHERE(o) {"all-namespaces", 'A', OPTION_FLAG, &(o)->everywhere, NULL, "objects of all namespaces"}
#define OBJECTS_OPTION_SELECTOR(o)                                                                                               \
    {"selector", 'l', OPTION_TEXT, &(o)->selector, "SELECTOR", "objects with these labels: app=web,tier in (a, b),!old"}

/* The folder of the store; NULL with a diagnostic: there is no home. */
const char *objects_folder(struct app *app, const char *given);

struct objects {
    struct app *app;
    const char *folder;
    struct store *store;
    struct kinds *kinds;
    const struct objects_options *options;
    struct selector selector;
    const struct selector *selected; /* NULL: all */
};

/*
 * Opens the store, also while another process reconciles it, with the names of the kinds that were served there. False with a
 * diagnostic.
 */
bool objects_open(struct objects *o, struct app *app, const struct objects_options *options);
void objects_close(struct objects *o);

/* Stores the names of the served kinds for these commands. */
bool objects_record_kinds(struct store *s, const struct kinds *kinds, struct diags *diags);

/* What a command line names: kinds, and names of objects (none: all). */
struct objects_meant {
    const struct kind *const *kinds;
    size_t n_kinds;
    const struct str *names;
    size_t n_names;
};
/* Parses KIND[,KIND...] [NAME...] or KIND/NAME...; false with a diagnostic that suggests a correction. */
bool objects_understand(struct objects *o, const char *const *words, size_t n, struct objects_meant *ret, size_t *ret_used);

/* Calls `each` for all objects of these kinds that the options select, sorted by group, kind, namespace and name. */
typedef bool objects_each_fn(void *ctx, struct arena *a, const struct kind *kind, const struct json *object);
bool objects_each(struct objects *o, const struct objects_meant *meant, objects_each_fn *each, void *ctx);

/* The object with this name in one of the kinds; NULL with a diagnostic if there is none (with `quiet`: without). */
const struct json *objects_get(struct objects *o, const struct objects_meant *meant, struct str name, bool quiet,
                               const struct kind **ret_kind);

/*
 * Calls `each` for every object that the words of a command line name. False: a word cannot be parsed, an object does not exist,
 * or `each` returned false. Prints "No objects found." if `each` was never called.
 */
bool objects_each_word(struct objects *o, int n, const char **words, objects_each_fn *each, void *ctx);

/*
 * What is deleted together goes in the order of roles: managed resources (also of kinds that are not served at present),
 * ProviderConfigs, and last Secrets and ConfigMaps (KIND_PLAIN), which vanish at once and may hold the credentials for the rest.
 */
enum kind_role objects_role(const struct kinds *kinds, const struct store_key *key);

/* "bucket.s3.aws.upbound.io/logs", "secret/token" */
struct str objects_name(struct arena *a, const struct json *object);
/* The namespace to search for objects of this kind; empty: they have none, or any will do. */
struct str objects_namespace(const struct objects *o, const struct kind *kind);

/* Implements command.complete: kinds and names of objects. */
struct shell_completion;
void objects_complete(struct shell_completion *c, struct str what);
