/*
 * For tests with real programs: reads a state file and writes it again.
 *
 *     state_rewrite FILE             to standard output
 *     state_rewrite --touch FILE     in place under the lock, with a change: an output "touched" that counts up
 *     state_rewrite --hold FILE      the same, but prints "held" when it has the lock, and waits for the end of its input first
 */
#include "base/file.h"
#include "base/vec.h"
#include "state/state_file.h"
#include "state/state_read.h"
#include "state/state_write.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int say(const struct diags *diags)
{
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    diags_write(&text, diags, false);
    (void)fwrite(buf_str(&text).p, 1, text.n, stderr);
    return diags_has_errors(diags);
}

static void rewrite(struct arena *a, const char *path, struct diags *diags)
{
    struct str text;
    struct buf out BUF_AUTO = BUF_INIT(STATE_MAX_FILE);
    if (!file_read(a, path, STATE_MAX_FILE, diags, &text))
        return;
    const struct state *s = state_read(a, text, path, diags);
    if (s && state_write(&out, s, diags))
        (void)fwrite(out.p, 1, out.n, stdout);
}

static void touch(struct state *s)
{
    struct state_output *touched = NULL;
    for (size_t i = 0; i < s->n_outputs; i++)
        if (str_eqz(s->outputs[i].name, "touched"))
            touched = &s->outputs[i];
    if (!touched) {
        vec_reserve(s->arena, (void **)&s->outputs, &s->outputs_cap, s->n_outputs + 1, sizeof *s->outputs,
                    alignof(struct state_output));
        touched = &s->outputs[s->n_outputs++];
        *touched = (struct state_output){.name = STR("touched"), .value = value_int(s->arena, 0)};
    }
    touched->value = value_int(s->arena, touched->value->number.i + 1);
}

static void wait_for_end(void)
{
    char byte;
    (void)puts("held");
    (void)fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
}

static void change(struct arena *a, const char *path, bool hold, struct diags *diags)
{
    struct state_file *f;
    if (!state_file_open(a, path, &(struct state_lock_request){.operation = "OperationTypeApply"}, diags, &f))
        return;
    if (hold)
        wait_for_end();
    touch(f->state);
    (void)state_file_save(f, diags);
    state_file_close(f);
}

int main(int argc, char **argv)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    if (!file_hold_standard_descriptors())
        return 1;
    if (argc == 3 && strcmp(argv[1], "--touch") == 0)
        change(a, argv[2], false, &diags);
    else if (argc == 3 && strcmp(argv[1], "--hold") == 0)
        change(a, argv[2], true, &diags);
    else if (argc == 2)
        rewrite(a, argv[1], &diags);
    else
        (void)diags_fail(&diags, "Wrong arguments", "state_rewrite [--touch | --hold] FILE");
    return say(&diags);
}
