/* terrane store: backs up a store, and restores it. */
#include "objects/objects.h"
#include "store/sqlite.h"

#define OPTION_JSON(json) {"json", 0, OPTION_FLAG, &(json), NULL, "what was done, as JSON"}

static bool print_json(struct app *app, const char *backup, const char *folder)
{
    struct arena *a = app->arena;
    struct json_member members[] = {{.key = STR("backup"), .value = json_make_string(a, str_of(backup))},
                                    {.key = STR("store"), .value = json_make_string(a, str_of(folder))}};
    return app_print_json(app, json_make_object(a, members, sizeof members / sizeof *members));
}

static int run_backup(struct app *app, const struct command *self, int argc, const char **argv)
{
    struct objects_options o = {0};
    bool json = false;
    const struct option options[] = {OBJECTS_OPTION_DATA(&o), OPTION_JSON(json), {0}};
    struct objects objects;
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n != 1)
        return app_usage(app, self, "Give one file: terrane store backup store-monday.db.");
    bool ok = objects_open(&objects, app, &o) && store_sqlite_backup(objects.store, argv[0], &app->diags);
    if (ok)
        app_say(app, "%s is a backup of %s. The key is not in it: keep a copy of %s/" STORE_SQLITE_KEY " in another place.\n",
                argv[0], objects.folder, objects.folder);
    ok = ok && (!json || print_json(app, argv[0], objects.folder));
    objects_close(&objects);
    return ok ? EXIT_OK : EXIT_FAILED;
}

static int run_restore(struct app *app, const struct command *self, int argc, const char **argv)
{
    const char *data = NULL;
    bool json = false;
    const struct option options[] = {
        {"data", 0, OPTION_TEXT, &data, "FOLDER", "where the store is (default: TERRANE_STORE, or terrane in XDG_STATE_HOME)"},
        OPTION_JSON(json),
        {0}};
    int n, code;
    if (!app_args(app, self, options, argc, argv, &n, &code))
        return code;
    if (n != 1)
        return app_usage(app, self, "Give one file: terrane store restore store-monday.db.");
    const char *folder = objects_folder(app, data);
    if (!folder || !store_sqlite_restore(argv[0], folder, &app->diags))
        return EXIT_FAILED;
    app_say(app, "%s is restored from %s.\n", folder, argv[0]);
    return !json || print_json(app, argv[0], folder) ? EXIT_OK : EXIT_FAILED;
}

const struct command command_store_backup = {
    .name = "store backup",
    .usage = "FILE [options]",
    .summary = "copy a store, also while it is in use",
    .details = "The copy is one file. Secrets in it are encrypted, and the key is not in it.",
    .example = "  terrane store backup monday.db\n"
               "  terrane store backup /backup/shop.db --data /var/lib/terrane/store",
    .run = run_backup,
};

const struct command command_store_restore = {
    .name = "store restore",
    .usage = "FILE [options]",
    .summary = "replace a store with a backup",
    .details = "No other command may use the store at the same time. The backup is checked first; it replaces everything in the\n"
               "store. The key file (store.key) stays: it must be the one that the store had when the backup was made.",
    .example = "  terrane store restore monday.db\n"
               "  terrane store restore /backup/shop.db --data /var/lib/terrane/store",
    .run = run_restore,
};
