/*
 * Calls about lists and actions, whose responses are streams of events. Compiled for protocol 5 and for 6.
 */
#include "protocol/codec_private.h"

/* Lists and actions */

static void list_request(struct coding *c, void *message, void *plain)
{
    PB(ListResource__Request) *w = message;
    struct list_request *r = plain;
    filter_type_name(c, &w->type_name, &r->type_name, &c->schema->lists, "list resource type");
    filter_value(c, "config", &w->config, &r->config, coding_type_in(c, &c->schema->lists));
    filter_bool(c, &w->include_resource_object, &r->include_resource);
    filter_int(c, &w->limit, &r->limit);
}

static void list_event(struct coding *c, void *message, void *plain)
{
    PB(ListResource__Event) *w = message;
    struct list_event *r = plain;
    filter_identity(c, "identity", &w->identity, &r->identity, c->type_name);
    filter_bytes(c, &w->display_name, &r->display_name);
    filter_value(c, "resource_object", &w->resource_object, &r->resource, coding_resource_type(c));
    if (coding_is_writing(c)) {
        diagnostics_write(c->scratch, r->diags ? r->diags : c->answer, c->diags, &w->n_diagnostic, &w->diagnostic);
        return;
    }
    struct diags *own = arena_make(c->arena, struct diags);
    diags_init(own, c->arena);
    diagnostics_read(w->n_diagnostic, w->diagnostic, own);
    r->diags = own;
}

const struct codec_call VERSIONED(call_list) = {
    NAMED("ListResource"),
    .request = MESSAGE(list_resource__request, list_request, list_request),
    .response = MESSAGE(list_resource__event, list_event, list_event),
};

static void plan_action_request(struct coding *c, void *message, void *plain)
{
    PB(PlanAction__Request) *w = message;
    struct plan_action_request *r = plain;
    filter_type_name(c, &w->action_type, &r->type_name, &c->schema->actions, "action");
    filter_value(c, "config", &w->config, &r->config, coding_type_in(c, &c->schema->actions));
    filter_capabilities(c, &w->client_capabilities, &r->capabilities);
}

static void plan_action_response(struct coding *c, void *message, void *plain)
{
    PB(PlanAction__Response) *w = message;
    struct plan_action_response *r = plain;
    filter_deferred(c, &w->deferred, &r->deferred);
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_plan_action) = {
    NAMED("PlanAction"),
    .request = MESSAGE(plan_action__request, plan_action_request, plan_action_request),
    .response = MESSAGE(plan_action__response, plan_action_response, plan_action_response),
};

static void invoke_action_request(struct coding *c, void *message, void *plain)
{
    PB(InvokeAction__Request) *w = message;
    struct invoke_action_request *r = plain;
    filter_type_name(c, &w->action_type, &r->type_name, &c->schema->actions, "action");
    filter_value(c, "config", &w->config, &r->config, coding_type_in(c, &c->schema->actions));
    filter_capabilities(c, &w->client_capabilities, &r->capabilities);
}

static void action_event(struct coding *c, void *message, void *plain)
{
    PB(InvokeAction__Event) *w = message;
    struct action_event *r = plain;
    if (coding_is_writing(c)) {
        if (!r->completed) {
            w->type_case = PB_ENUM(INVOKE_ACTION__EVENT__TYPE_PROGRESS);
            w->progress = message_new(c->scratch, PB_DESCRIPTOR(invoke_action__event__progress));
            filter_bytes(c, &w->progress->message, &r->progress);
            return;
        }
        w->type_case = PB_ENUM(INVOKE_ACTION__EVENT__TYPE_COMPLETED);
        w->completed = message_new(c->scratch, PB_DESCRIPTOR(invoke_action__event__completed));
        filter_diagnostics(c, &w->completed->n_diagnostics, &w->completed->diagnostics);
        return;
    }
    *r = (struct action_event){.progress = STR_EMPTY};
    if (w->type_case == PB_ENUM(INVOKE_ACTION__EVENT__TYPE_COMPLETED)) {
        r->completed = true;
        filter_diagnostics(c, &w->completed->n_diagnostics, &w->completed->diagnostics);
    } else if (w->type_case == PB_ENUM(INVOKE_ACTION__EVENT__TYPE_PROGRESS)) {
        filter_bytes(c, &w->progress->message, &r->progress);
    }
}

const struct codec_call VERSIONED(call_invoke_action) = {
    NAMED("InvokeAction"),
    .request = MESSAGE(invoke_action__request, invoke_action_request, invoke_action_request),
    .response = MESSAGE(invoke_action__event, action_event, action_event),
};
