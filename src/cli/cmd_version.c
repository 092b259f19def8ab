/* terrane version */
#include "base/json.h"
#include "cli/app.h"

#include <gnu/libc-version.h>
#include <nghttp2/nghttp2.h>
#include <openssl/crypto.h>
#include <uv.h>

static void write_version(struct buf *out, bool json)
{
    if (json) {
        struct json_writer w = {.out = out, .indent = 2};
        json_begin_object(&w);
        json_key(&w, STR("version"));
        json_write_string(&w, STR(TERRANE_VERSION));
        json_key(&w, STR("protocols"));
        json_begin_array(&w);
        json_write_int(&w, 5);
        json_write_int(&w, 6);
        json_end_array(&w);
        json_end_object(&w);
        (void)json_finish(&w);
        buf_addc(out, '\n');
        return;
    }
    buf_addz(out, "terrane " TERRANE_VERSION "\n"
                  "provider protocols 5 and 6\n");
    buf_printf(out, "with libuv %s, nghttp2 %s, %s, glibc %s\n", uv_version_string(), nghttp2_version(0)->version_str,
               OpenSSL_version(OPENSSL_VERSION), gnu_get_libc_version());
}

static int run(struct app *app, const struct command *self, int argc, const char **argv)
{
    bool json = false;
    const struct option options[] = {
        {.name = "json", .kind = OPTION_FLAG, .target = &json, .help = "as JSON"},
        {0},
    };
    int exit_code;
    if (!app_options(app, self, options, argc, argv, &exit_code))
        return exit_code;
    struct buf out BUF_AUTO = BUF_INIT(APP_MAX_TEXT);
    write_version(&out, json);
    return app_print(app, buf_str(&out)) ? EXIT_OK : EXIT_FAILED;
}

const struct command command_version = {
    .name = "version",
    .usage = "[--json]",
    .summary = "print the version of Terrane and of its libraries",
    .example = "  terrane version\n"
               "  terrane version --json",
    .run = run,
};
