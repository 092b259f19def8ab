/*
 * fake_provider: terraform, tofu or terrane start it like any provider, and its environment configures it; by hand with
 * --reattach SOURCE it prints a value for TF_REATTACH_PROVIDERS and serves until interrupted. See README.md.
 */
#include "base/file.h"
#include "base/lock.h"
#include "fake.h"
#include "faults.h"
#include "schema/schema_json.h"
#include "yaml/yaml.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_SCHEMA = 256 << 20, EXIT_USAGE = 2 };

struct settings {
    const char *schema, *script, *cloud, *protocol, *handshake, *reattach;
};

static int usage(void)
{
    (void)fputs("usage: fake_provider [--reattach SOURCE] [--schema FILE] [--script FILE] [--cloud FOLDER] [--protocol 5|6]\n"
                "The environment says the same: TERRANE_FAKE_SCHEMA, _SCRIPT, _CLOUD, _PROTOCOL, _HANDSHAKE.\n",
                stderr);
    return EXIT_USAGE;
}

static bool read_settings(int argc, char **argv, struct settings *ret)
{
    static const struct option options[] = {
        {"schema", required_argument, NULL, 's'},   {"script", required_argument, NULL, 'r'},
        {"cloud", required_argument, NULL, 'c'},    {"protocol", required_argument, NULL, 'p'},
        {"reattach", required_argument, NULL, 'a'}, {NULL, 0, NULL, 0},
    };
    *ret = (struct settings){
        .schema = getenv("TERRANE_FAKE_SCHEMA"),
        .script = getenv("TERRANE_FAKE_SCRIPT"),
        .cloud = getenv("TERRANE_FAKE_CLOUD"),
        .protocol = getenv("TERRANE_FAKE_PROTOCOL"),
        .handshake = getenv("TERRANE_FAKE_HANDSHAKE"),
    };
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
        switch (c) {
        case 's':
            ret->schema = optarg;
            break;
        case 'r':
            ret->script = optarg;
            break;
        case 'c':
            ret->cloud = optarg;
            break;
        case 'p':
            ret->protocol = optarg;
            break;
        case 'a':
            ret->reattach = optarg;
            break;
        default:
            return false;
        }
    return optind == argc;
}

static bool load_script(struct arena *a, const struct settings *settings, struct diags *diags, struct script *ret)
{
    struct str text = STR_EMPTY;
    if (settings->script && !file_read(a, settings->script, SCRIPT_MAX_BYTES, diags, &text))
        return false;
    if (!script_read(a, text, settings->script ? settings->script : "script", diags, ret))
        return false;
    if (settings->cloud)
        ret->cloud_folder = str_of(settings->cloud);
    if (settings->handshake)
        ret->handshake = str_of(settings->handshake);
    if (settings->protocol &&
        !(str_to_i64(str_of(settings->protocol), &ret->protocol) && (ret->protocol == 5 || ret->protocol == 6)))
        return diags_fail(diags, "Invalid setting", "The protocol must be 5 or 6; found \"%s\".", settings->protocol);
    if (ret->handshake.n > 0 && !faults_is_handshake(ret->handshake))
        return diags_fail(diags, "Invalid setting", "There is no handshake fault \"" STR_FMT "\".", STR_ARG(ret->handshake));
    return true;
}

static bool load_schema(struct arena *a, const struct settings *settings, const struct script *script, struct diags *diags,
                        const struct provider_schema **ret)
{
    if (!settings->schema)
        return diags_fail(diags, "No schema",
                          "Set TERRANE_FAKE_SCHEMA to a file as `terraform providers schema -json` prints it.");
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str text;
    if (!file_read(scratch, settings->schema, MAX_SCHEMA, diags, &text))
        return false;
    const struct json *document = json_parse(scratch, text, settings->schema, diags);
    const struct provider_schema *schema = document ? schema_read_document(a, document, STR_EMPTY, NULL, diags) : NULL;
    if (!schema)
        return false;
    struct provider_schema *copy = arena_make(a, struct provider_schema);
    *copy = *schema;
    copy->capabilities = script->capabilities;
    *ret = copy;
    return true;
}

static bool run(struct arena *a, const struct settings *settings, struct diags *diags, int *ret_status)
{
    struct script script;
    struct fake fake = {.script = &script, .arena = a};
    if (!load_script(a, settings, diags, &script) || !load_schema(a, settings, &script, diags, &fake.schema))
        return false;
    fake.cloud = cloud_new(script.cloud_folder.n > 0 ? script.cloud_folder.p : NULL, diags);
    if (!fake.cloud)
        return false;
    mutex_init(&fake.lock);
    if (script.handshake.n > 0)
        faults_handshake(script.handshake);
    const struct provider_server_options options = {
        .ops = &fake_ops,
        .ctx = &fake,
        .protocol = (int)script.protocol,
        .reattach_source = settings->reattach,
    };
    *ret_status = provider_serve(&options);
    mutex_destroy(&fake.lock);
    cloud_free(fake.cloud);
    script_done(&script);
    return true;
}

int main(int argc, char **argv)
{
    struct settings settings;
    if (!file_hold_standard_descriptors())
        return EXIT_FAILURE;
    if (!read_settings(argc, argv, &settings))
        return usage();
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    int status = EXIT_FAILURE;
    if (!run(a, &settings, &diags, &status)) {
        struct buf text BUF_AUTO = BUF_INIT(1 << 20);
        diags_write(&text, &diags, /* color= */ false);
        faults_say(STDERR_FILENO, buf_str(&text));
    }
    return status;
}
