/* The plan for one object, as text and as JSON, for the commands that plan. */
#pragma once

#include "cli/app.h"
#include "controller/preview.h"
#include "render/plan_text.h"

/* An object with its plan. */
struct planned_object {
    const struct kind *kind;
    struct store_key key;
    struct str title; /* database.fake.example.org/one */
    struct preview preview;
};

/* Creates the plan. Everything is in `a`. */
struct planned_object planned_make(struct controller *c, struct arena *a, const struct kind *kind, const struct store_key *key);

/* In the form of `terraform plan`; there must be a `preview.change`. */
struct text_change planned_text(const struct planned_object *o);
struct text_style planned_style(const struct app *app);
/* Appends the reason why it waits or fails, if there is one. */
void planned_why(struct buf *out, const struct planned_object *o);
/* One object, with secrets hidden; the second function writes only its members. */
void planned_json(struct json_writer *w, const struct planned_object *o);
void planned_json_members(struct json_writer *w, const struct planned_object *o);
