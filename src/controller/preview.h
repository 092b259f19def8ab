/*
 * What a pass would do with an object, told instead of done. It is the pass itself that is made, so a preview and what happens
 * afterwards cannot differ: only the functions that begin operations are others. It writes into the store as passes do, so give
 * the controller a store where that has no consequences (store/layer.h), and do not start it.
 */
#pragma once

#include "change/change.h"
#include "controller/controller.h"

enum preview_outcome {
    PREVIEW_FINE,    /* nothing would be done */
    PREVIEW_CHANGES, /* `action` would be */
    PREVIEW_WAITS,   /* nothing can be said yet: `why` names what is not there */
    PREVIEW_FAILS,   /* the provider was asked and found fault, or the plan is not allowed: `why` */
};

struct preview {
    enum preview_outcome outcome;
    struct str why; /* in the words of the condition Synced; of one that is FINE: why it is left alone, or empty */
    enum change_action action;
    /* As scheduler_explain(), all secrets of the kind marked; NULL: there is none. Of one that FAILS it is what is not allowed.
     */
    const struct json *change;
};

/* All in `a`. Of one controller by one thread at a time. */
struct preview controller_preview(struct controller *c, struct arena *a, const struct kind *kind, const struct store_key *key);
/* From any thread: previews under way, and later ones, end soon and say nothing of use. */
void controller_preview_stop(struct controller *c);
