/*
 * Installs providers (src/install) for commands: `terrane provider install`, and --install when one is missing. Takes the
 * settings from the environment, and shows progress.
 */
#pragma once

#include "cli/app.h"
#include "install/install.h"

/* Option: install missing providers. The user's settings can also say "auto_install: true". */
#define APP_OPTION_INSTALL(app)                                                                                                  \
    {.name = "install",                                                                                                          \
     .kind = OPTION_FLAG,                                                                                                        \
     .target = &(app)->install,                                                                                                  \
     .help = "install a provider that is missing, as `terrane provider install` does"}

/*
 * Installs providers one after the other, with one client. `find` includes the CLI configuration. May be called from any thread
 * except the loop's; uses the app's cancellation, log and loop (or one of its own), but not its arena and diagnostics.
 */
bool installer_run(const struct app *app, const struct find_context *find, struct arena *a, const struct install_wanted *wanted,
                   size_t n, struct diags *diags, struct installed *ret);

/* Does the user want missing providers to be installed? False with a diagnostic: the settings cannot be read. */
bool installer_wanted(const struct app *app, struct arena *a, struct diags *diags, bool *ret);
