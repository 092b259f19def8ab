/*
 * Shows what a pass would do with an object, without doing it. The pass itself runs, with other functions only where it would
 * begin an operation, so a preview cannot differ from what happens afterwards. It writes into the store as passes do, so give the
 * controller a store where that has no consequences (store/layer.h), and do not start it.
 */
#pragma once

#include "change/change.h"
#include "controller/controller.h"

enum preview_outcome {
    PREVIEW_FINE,    /* nothing would be done */
    PREVIEW_CHANGES, /* `action` would be done */
    PREVIEW_WAITS,   /* not known yet: `why` names what is missing */
    PREVIEW_FAILS,   /* the provider rejected it, or the plan is not allowed: `why` */
};

struct preview {
    enum preview_outcome outcome;
    struct str why; /* the message of the condition Synced; with PREVIEW_FINE: why the object is left alone, or empty */
    enum change_action action;
    /*
     * As from scheduler_explain(), with all of the kind's secrets marked; NULL: none. With PREVIEW_FAILS it is the plan that is
     * not allowed.
     */
    const struct json *change;
};

/* Everything returned is in `a`. Only one thread at a time may use a controller for previews. */
struct preview controller_preview(struct controller *c, struct arena *a, const struct kind *kind, const struct store_key *key);
/* From any thread: previews under way and later ones end soon, with a useless result. */
void controller_preview_stop(struct controller *c);
