/* Applies manifests from standard input to the store of a folder and prints each outcome. For tests; not installed. */
#include "manifests/apply.h"
#include "manifests/manifest.h"
#include "store/sqlite.h"

#include <stdio.h>

static void say(const struct diags *diags)
{
    for (size_t i = 0; i < diags->n; i++)
        (void)fprintf(stderr, STR_FMT "\n", STR_ARG(diags->v[i].detail));
}

int main(int argc, char **argv)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct manifests list = {0};
    diags_init(&diags, a);
    struct apply_options options = {.store = argc == 2 ? store_sqlite_open(argv[1], NULL, &diags) : NULL};
    bool ok = options.store && manifests_read(a, "-", &diags, &list);
    for (size_t i = 0; i < list.n; i++) {
        enum apply_outcome outcome;
        const struct json *stored = NULL;
        bool applied = apply_manifest(&options, a, list.v[i].object, &diags, &outcome, &stored);
        (void)printf("%s\n", applied ? apply_word(outcome) : "refused");
        ok = ok && applied;
    }
    say(&diags);
    store_close(options.store);
    return ok ? 0 : 1;
}
