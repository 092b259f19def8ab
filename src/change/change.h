/*
 * The rules that Terraform core applies around a provider's plan and apply, as pure functions: value in, value out, no I/O, no
 * provider. The engine calls them in core's order; each stands in a file of its own name with its table of cases.
 *
 * Values conform to the type of the schema. Results live in the arena and share parts with what they were made from. Nothing
 * here keeps state, so any thread may call anything.
 */
#pragma once

#include "schema/schema.h"
#include "value/marks.h"

/*
 * What a check found: where, and in core's words what is wrong there. The engine puts it under the summary of the situation,
 * with change_issue_text(). Values that the schema calls sensitive are not in the text. Texts are capped: CHANGE_MAX_TEXT.
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
/* "aws_vpc.this" and the issue: aws_vpc.this.tags["Name"]: was "a", ...; without prefix and path the bare text. */
struct str change_issue_text(struct arena *a, struct str prefix, const struct change_issue *issue);
/* A path as core writes it behind an address: .tags["Name"], .disk[0].size, .rule[...] in a set. */
struct str change_path_text(struct arena *a, struct path path);
/* A path as core's messages to provider developers have it: cty.Path{cty.GetAttrStep{Name:"tags"}}. */
struct str change_path_go_text(struct arena *a, struct path path);

struct change_paths {
    const struct path *v;
    size_t n;
};

/* proposed.c: what the provider is asked to plan: configuration, with computed values kept from before. `prior` and `config` may
 * be null. */
const struct value *change_proposed_new(struct arena *a, const struct schema_block *schema, const struct value *prior,
                                        const struct value *config);

/* plan_valid.c: may a provider plan this, given the configuration and what was? True when no issue was found. */
bool change_check_plan(struct change_issues *issues, const struct schema_block *schema, const struct value *prior,
                       const struct value *config, const struct value *planned);

/* compatible.c: does the result of an apply (or the second plan) keep what was planned? True when no issue was found. */
bool change_check_result(struct change_issues *issues, const struct schema_block *schema, const struct value *planned,
                         const struct value *actual);

/* normalise.c: what the legacy SDK leaves null or unknown in blocks, in the shape that core wants. */
const struct value *change_normalise_legacy(struct arena *a, const struct schema_block *schema, const struct value *v);

/*
 * ignore.c: configuration in which each ignored path has its prior value; `all`: every argument. Nothing is ignored when
 * `prior` or `config` is null.
 *
 * A plan of a legacy provider is treated once more: pass the plan as `config`, and NULL for `schema`; `all` is `prior` then.
 */
const struct value *change_ignore(struct arena *a, const struct schema_block *schema, const struct value *prior,
                                  const struct value *config, struct change_paths paths, bool all);
/*
 * ignore_paths.c: a path given as JSON ["tags", "Name"], ["disk", 0, "size"]; the schema decides which strings are attributes and
 * which are keys. False if it is not an array of strings and whole numbers with at least one of them; change_path_fits() says the
 * same without a schema.
 */
bool change_path_fits(const struct json *steps);
bool change_path_read(struct arena *a, const struct schema_block *schema, const struct json *steps, struct path *ret);
/* Can such paths be written as references, where an index with no elements to choose from would be a name? Core reads them so
 * before it looks at anything else, and then says nothing else. The errors stand at lifecycle.ignore_changes[i]. */
bool change_check_references(const struct schema_block *schema, struct change_paths paths, struct diags *diags);
/* Core's check against the schema: an error for what is not there, a warning for what is deprecated or what the
 * provider alone decides. */
bool change_check_ignored(const struct schema_block *schema, struct change_paths paths, struct diags *diags);

/* verdict.c: which of the paths that the provider names really force a replacement, and what is to be done. */
enum change_action {
    ACTION_NO_OP,
    ACTION_CREATE,
    ACTION_UPDATE,
    ACTION_DELETE,
    ACTION_DELETE_THEN_CREATE,
    ACTION_CREATE_THEN_DELETE,
    ACTION_READ, /* data sources */
};
/* False and an issue (its text is the path as Go has it) for each path that is in neither value. Without a prior object nothing
 * is replaced. */
bool change_replace_paths(struct arena *a, struct change_issues *issues, const struct schema_block *schema,
                          const struct value *prior, const struct value *planned, struct change_paths named,
                          struct change_paths *ret);
struct verdict_input {
    const struct schema_block *schema;
    const struct value *prior, *planned; /* null values where there is no object */
    struct change_paths replace;         /* of change_replace_paths() */
    struct marks prior_sensitive, planned_sensitive;
    bool forced; /* replacement asked for by the user */
    bool create_before_destroy;
};
struct verdict {
    enum change_action action;
    const char *reason; /* as plan JSON has it ("replace_by_request"), or NULL */
};
/* A tainted object is the caller's business: core plans it as new, and makes a replacement of that. */
struct verdict change_verdict(const struct verdict_input *in);
/* For messages: "no-op", "create", "update", "delete", "replace" ...; for plan JSON: up to two names, NULL behind them. */
const char *change_action_name(enum change_action action);
void change_action_list(enum change_action action, const char *ret[3]);
/* For an action that re-planning before apply gave: is it what was planned (an update may have become unnecessary)? */
bool change_action_holds(enum change_action planned, enum change_action again);

/* write_only.c: paths of write-only attributes that are not null; a provider must never return one. */
struct change_paths change_write_only(struct arena *a, const struct schema_block *schema, const struct value *v);

/* sensitive.c: where the schema says that this value is secret. Inside a set nothing has a place of its own, so there it is the
 * whole set. */
struct marks change_sensitive(struct arena *a, const struct schema_block *schema, const struct value *v);

/*
 * config.c: configuration written as JSON, read by the schema. Messages are core's own for the JSON syntax: missing and
 * unsupported arguments, wrong types, too few and too many blocks; each with the path of the place in the JSON, in order of
 * appearance. NULL when there is an error. `config` is an object; a nested block in it is an array of objects (for single,
 * group and map nesting an object), a lone object stands for an array of one. Text is text: nothing is evaluated.
 *
 * `unknown` (may be NULL) has the same shape with true where the value is not known yet; change_config_fits() says whether it
 * has.
 */
const struct value *change_config_read(struct arena *a, const struct schema_block *schema, const struct json *config,
                                       const struct json *unknown, struct diags *diags);
bool change_config_fits(const struct json *config, const struct json *unknown);
