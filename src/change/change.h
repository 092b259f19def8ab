/*
 * The rules that Terraform core applies around a provider's plan and apply, as pure functions: value in, value out, no I/O, no
 * provider. The engine calls them in core's order; each rule has its own file and its own table of test cases.
 *
 * Values conform to the schema's type. Results are allocated in the arena and share parts with the arguments. The functions keep
 * no state, so any thread may call them.
 */
#pragma once

#include "schema/schema.h"
#include "value/marks.h"

/*
 * A finding of a check: the path, and what is wrong there in core's words. The engine adds it to the diagnostic for the situation
 * with change_issue_text(). The text does not contain values that the schema marks sensitive, and is limited to CHANGE_MAX_TEXT.
 */
enum { CHANGE_MAX_TEXT = 1 << 20 };
struct change_issue {
    struct path path;
    struct str text;
};
struct change_issues {
    struct arena *arena;
    struct change_issue *v;
    size_t n, cap;
};
void change_issue_add(struct change_issues *issues, struct path path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The issue with a prefix, such as aws_vpc.this.tags["Name"]: was "a", ...; without a prefix and a path just the text. */
struct str change_issue_text(struct arena *a, struct str prefix, const struct change_issue *issue);
/* A path as core writes it after an address: .tags["Name"], .disk[0].size, .rule[...] in a set. */
struct str change_path_text(struct arena *a, struct path path);
/* A path as in core's messages to provider developers: cty.Path{cty.GetAttrStep{Name:"tags"}}. */
struct str change_path_go_text(struct arena *a, struct path path);

struct change_paths {
    const struct path *v;
    size_t n;
};

/* proposed.c: the proposed new value that the provider is asked to plan: the configuration, with computed values from the prior
 * state. `prior` and `config` may be null. */
const struct value *change_proposed_new(struct arena *a, const struct schema_block *schema, const struct value *prior,
                                        const struct value *config);

/* plan_valid.c: is this a valid plan for the configuration and the prior state? True when no issue was found. */
bool change_check_plan(struct change_issues *issues, const struct schema_block *schema, const struct value *prior,
                       const struct value *config, const struct value *planned);

/* compatible.c: does the result of an apply (or the second plan) keep what was planned? True when no issue was found. */
bool change_check_result(struct change_issues *issues, const struct schema_block *schema, const struct value *planned,
                         const struct value *actual);

/* normalise.c: converts blocks that the legacy SDK leaves null or unknown to the form that core expects. */
const struct value *change_normalise_legacy(struct arena *a, const struct schema_block *schema, const struct value *v);

/*
 * ignore.c: the configuration with the prior value at each ignored path; with `all`, at every argument. Nothing is ignored when
 * `prior` or `config` is null.
 *
 * For a legacy provider this is applied to the plan as well: pass the plan as `config` and NULL as `schema`; with `all` the
 * result is then `prior`.
 */
const struct value *change_ignore(struct arena *a, const struct schema_block *schema, const struct value *prior,
                                  const struct value *config, struct change_paths paths, bool all);
/*
 * ignore_paths.c: reads a path given as JSON, such as ["tags", "Name"] or ["disk", 0, "size"]; the schema decides which strings
 * are attributes and which are keys. False if it is not a non-empty array of strings and whole numbers; change_path_fits() checks
 * the same without a schema.
 */
bool change_path_fits(const struct json *steps);
bool change_path_read(struct arena *a, const struct schema_block *schema, const struct json *steps, struct path *ret);
/* Checks that such paths can be written as references: an index is an error where there are no elements to select and a name is
 * expected. Core reports these errors first and then no others. The errors are at lifecycle.ignore_changes[i]. */
bool change_check_references(const struct schema_block *schema, struct change_paths paths, struct diags *diags);
/* Core's check against the schema: an error for paths that do not exist, a warning for paths that are deprecated or that only the
 * provider sets. */
bool change_check_ignored(const struct schema_block *schema, struct change_paths paths, struct diags *diags);

/* verdict.c: which of the provider's replacement paths really force a replacement, and the resulting action. */
enum change_action {
    ACTION_NO_OP,
    ACTION_CREATE,
    ACTION_UPDATE,
    ACTION_DELETE,
    ACTION_DELETE_THEN_CREATE,
    ACTION_CREATE_THEN_DELETE,
    ACTION_READ, /* data sources */
};
/* False, with an issue (its text is the path in Go syntax) for each path that exists in neither value. Without a prior object
 * nothing is replaced. */
bool change_replace_paths(struct arena *a, struct change_issues *issues, const struct schema_block *schema,
                          const struct value *prior, const struct value *planned, struct change_paths named,
                          struct change_paths *ret);
struct verdict_input {
    const struct schema_block *schema;
    const struct value *prior, *planned; /* null values when the object does not exist */
    struct change_paths replace;         /* from change_replace_paths() */
    struct marks prior_sensitive, planned_sensitive;
    bool forced; /* the user requested the replacement */
    bool create_before_destroy;
};
struct verdict {
    enum change_action action;
    const char *reason; /* as in the JSON plan ("replace_by_request"), or NULL */
};
/* Callers must handle tainted objects themselves: core plans a create and turns it into a replacement. */
struct verdict change_verdict(const struct verdict_input *in);
/* The name for messages ("no-op", "create", "update", "delete", "replace" ...), and the list for the JSON plan: up to two names,
 * then NULL. */
const char *change_action_name(enum change_action action);
void change_action_list(enum change_action action, const char *ret[3]);
/* True when the action of the second plan, made before apply, agrees with the planned one; an update may have become
 * unnecessary. */
bool change_action_holds(enum change_action planned, enum change_action again);

/* write_only.c: paths of write-only attributes that are not null; a provider must never return one. */
struct change_paths change_write_only(struct arena *a, const struct schema_block *schema, const struct value *v);

/* sensitive.c: the paths of the value that the schema marks sensitive. Set elements have no paths of their own, so for something
 * sensitive inside a set the whole set is marked. */
struct marks change_sensitive(struct arena *a, const struct schema_block *schema, const struct value *v);

/*
 * config.c: reads a configuration written as JSON according to the schema. Messages are those of core for the JSON syntax:
 * missing and unsupported arguments, wrong types, too few and too many blocks; each with its path in the JSON, in order of
 * appearance. NULL when there is an error. `config` is an object; a nested block in it is an array of objects (an object for
 * single, group and map nesting), and a single object counts as an array of one. Strings are literal: nothing is evaluated.
 *
 * `unknown` (may be NULL) has the same shape, with true where the value is not known yet; change_config_fits() checks the shape.
 */
const struct value *change_config_read(struct arena *a, const struct schema_block *schema, const struct json *config,
                                       const struct json *unknown, struct diags *diags);
bool change_config_fits(const struct json *config, const struct json *unknown);
