/* What would happen to one object, as text and as JSON: for the commands that plan. */
#pragma once

#include "cli/app.h"
#include "controller/preview.h"
#include "render/plan_text.h"

/* An object that has something to say. */
struct planned_object {
    const struct kind *kind;
    struct store_key key;
    struct str title; /* database.fake.example.org/one */
    struct preview preview;
};

/* Looks at it. All in `a`. */
struct planned_object planned_make(struct controller *c, struct arena *a, const struct kind *kind, const struct store_key *key);

/* As `terraform plan` shows it; there is a `preview.change`. */
struct text_change planned_text(const struct planned_object *o);
struct text_style planned_style(const struct app *app);
/* Why it waits or fails, if there is anything to say. */
void planned_why(struct buf *out, const struct planned_object *o);
/* One object; secrets are hidden. planned_json_members() is what is in it. */
void planned_json(struct json_writer *w, const struct planned_object *o);
void planned_json_members(struct json_writer *w, const struct planned_object *o);
