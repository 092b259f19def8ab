#include "kube/frames.h"

#include "kube/objects.h"

enum { KEEP = 64 << 10 };

void kube_frames_init(struct kube_frames *f, size_t room)
{
    *f = (struct kube_frames){.in = BUF_INIT(KUBE_FRAME_MAX + room)};
}

void kube_frames_free(struct kube_frames *f)
{
    buf_wipe(&f->in); /* watches also deliver Secrets */
}

void kube_frames_clear(struct kube_frames *f)
{
    buf_clear(&f->in);
    f->from = f->scanned = 0;
}

struct buf *kube_frames_room(struct kube_frames *f)
{
    if (f->from > 0)
        buf_consume(&f->in, f->from);
    f->scanned -= f->from;
    f->from = 0;
    if (f->in.n == 0 && f->in.cap > KEEP)
        buf_wipe(&f->in); /* do not keep a large buffer because of one large event */
    return &f->in;
}

enum kube_frame kube_frames_next(struct kube_frames *f, struct str *ret)
{
    for (;;) {
        size_t end = str_find(buf_str(&f->in), '\n', f->scanned);
        if (end == SIZE_MAX) {
            f->scanned = f->in.n;
            return !buf_ok(&f->in) || f->in.n - f->from > KUBE_FRAME_MAX ? KUBE_FRAME_TOO_LONG : KUBE_FRAME_NONE;
        }
        struct str line = str_trim(str_slice(buf_str(&f->in), f->from, end));
        f->from = f->scanned = end + 1;
        if (line.n > KUBE_FRAME_MAX)
            return KUBE_FRAME_TOO_LONG;
        if (line.n > 0) {
            *ret = line;
            return KUBE_FRAME_LINE;
        }
    }
}

struct str kube_frames_rest(const struct kube_frames *f)
{
    return str_slice(buf_str(&f->in), f->from, f->in.n);
}

struct kube_event kube_event_read(struct arena *a, struct str line)
{
    static const struct {
        const char *type;
        enum kube_event_kind kind;
    } kinds[] = {{"ADDED", KUBE_EVENT_ADDED},
                 {"MODIFIED", KUBE_EVENT_MODIFIED},
                 {"DELETED", KUBE_EVENT_DELETED},
                 {"BOOKMARK", KUBE_EVENT_BOOKMARK},
                 {"ERROR", KUBE_EVENT_ERROR}};
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct diags unread;
    struct kube_event event = {.kind = KUBE_EVENT_BAD};
    diags_init(&unread, scratch);
    const struct json *j = json_parse(a, line, "event", &unread), *object = json_get(j, "object");
    struct str type = json_text(json_get(j, "type"), STR_EMPTY);
    if (!object || object->kind != JSON_OBJECT)
        return event;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (str_eqz(type, kinds[i].type))
            event.kind = kinds[i].kind;
    event.object = kube_trim(a, object);
    event.version = kube_metadata(object, "resourceVersion");
    if (event.kind != KUBE_EVENT_ERROR && event.version.n == 0)
        event.kind = KUBE_EVENT_BAD;
    return event;
}
