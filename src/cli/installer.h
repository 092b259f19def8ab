/*
 * Installing providers (src/install) from commands: `terrane provider install`, and --install wherever one is missing. Makes what
 * that needs of the environment, and shows progress.
 */
#pragma once

#include "cli/app.h"
#include "install/install.h"

/* May providers be installed where one is missing? By --install, or by "auto_install: true" of the user's settings. */
#define APP_OPTION_INSTALL(app)                                                                                                  \
    {.name = "install",                                                                                                          \
     .kind = OPTION_FLAG,                                                                                                        \
     .target = &(app)->install,                                                                                                  \
     .help = "install a provider that is missing, as `terrane provider install` does"}

/*
 * Providers one after the other, with one client. `find` has the CLI configuration. From any thread but the loop's; uses the
 * app's cancellation, log and loop (or one of its own), and neither its arena nor its diagnostics.
 */
bool installer_run(const struct app *app, const struct find_context *find, struct arena *a, const struct install_wanted *wanted,
                   size_t n, struct diags *diags, struct installed *ret);

/* Does the user want missing providers to be installed? False and a diagnostic: the settings cannot be read. */
bool installer_wanted(const struct app *app, struct arena *a, struct diags *diags, bool *ret);
