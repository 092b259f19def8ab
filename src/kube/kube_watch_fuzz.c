/*
 * The bytes of a watch, in pieces of the length that the first byte says. However they are cut, the same lines come out, and
 * every event has an object and a version. The same bytes are then parsed as a discovery answer, a Lease and a plugin's output.
 */
#include "base/must.h"
#include "kube/discovery.h"
#include "kube/election.h"
#include "kube/exec.h"
#include "kube/frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t take_lines(struct kube_frames *f)
{
    struct str line;
    size_t n = 0;
    while (kube_frames_next(f, &line) == KUBE_FRAME_LINE) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 64 << 20);
        struct kube_event event = kube_event_read(a, line);
        must_hold(line.n > 0);
        must_hold(event.kind == KUBE_EVENT_BAD || event.object);
        must_hold(event.kind == KUBE_EVENT_BAD || event.kind == KUBE_EVENT_ERROR || event.version.n > 0);
        n++;
    }
    return n;
}

static size_t lines_of(struct str bytes, size_t piece)
{
    struct kube_frames f;
    size_t n = 0;
    kube_frames_init(&f, piece);
    while (bytes.n > 0) {
        buf_add(kube_frames_room(&f), str_slice(bytes, 0, piece));
        bytes = str_slice(bytes, piece, bytes.n);
        n += take_lines(&f);
    }
    kube_frames_free(&f);
    return n;
}

static void read_as_others(struct str bytes)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 64 << 20);
    struct diags diags;
    struct kube_exec_answer answer;
    struct kube_kinds kinds = {0};
    struct kube_lease lease;
    diags_init(&diags, a);
    if (kube_exec_read(a, bytes, STR("client.authentication.k8s.io/v1"), "plugin", &diags, &answer))
        must_hold(answer.token.n > 0 || answer.certificate.n > 0);
    const struct json *j = json_parse(a, bytes, "answer", &diags);
    (void)kube_kinds_of_aggregated(a, j, &kinds);
    (void)kube_kinds_of_version(a, j, STR("g"), STR("v1"), &kinds);
    if (kube_lease_read(j, &lease))
        must_hold(lease.duration_ns >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct str bytes = {(const char *)data + 1, size - 1};
    must_hold(lines_of(bytes, data[0] % 64 + 1) == lines_of(bytes, bytes.n + 1));
    read_as_others(bytes);
    return 0;
}
