/* Measures how long it takes to compile a CRD and to check an object: admission_bench CRD.yaml MANIFEST.yaml. Not installed. */
#include "admission/admission.h"
#include "base/file.h"
#include "yaml/yaml.h"

#include <stdio.h>
#include <time.h>

enum { MAX_FILE = 64 << 20 };

static const int rounds = 10000;

static const struct json *read_yaml(struct arena *a, const char *path, struct diags *diags)
{
    struct str text;
    return file_read(a, path, MAX_FILE, diags, &text) ? yaml_parse(a, text, path, diags) : NULL;
}

/* CPU time, because the machine may be busy. */
static int64_t now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int fail(const struct diags *diags)
{
    struct buf text BUF_AUTO = BUF_INIT(MAX_FILE);
    diags_write(&text, diags, false);
    (void)fprintf(stderr, STR_FMT, STR_ARG(buf_str(&text)));
    return 1;
}

static int measure(const struct json *crd, const struct json *object, struct diags *diags)
{
    struct arena *compiled ARENA_AUTO = arena_new(NULL, 0), *each ARENA_AUTO = arena_new(NULL, 0);
    const struct admission_kind *kind = NULL;
    const struct json *checked = NULL;
    int64_t start = now();
    if (!admission_compile(compiled, crd, diags, &kind))
        return fail(diags);
    int64_t end = now();
    (void)printf("compile: %.2f ms, %zu KiB\n", (double)(end - start) / 1e6, arena_used(compiled) >> 10);
    start = now();
    for (int i = 0; i < rounds; i++) {
        struct diags said;
        arena_reset(each);
        diags_init(&said, each);
        if (!admission_check(each, kind, object, NULL, NULL, &said, &checked))
            return fail(&said);
    }
    end = now();
    (void)printf("check: %.1f us\n", (double)(end - start) / 1e3 / rounds);
    return 0;
}

int main(int argc, char **argv)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *crd = argc == 3 ? read_yaml(a, argv[1], &diags) : NULL;
    const struct json *object = crd ? read_yaml(a, argv[2], &diags) : NULL;
    return object ? measure(crd, object, &diags) : fail(&diags);
}
