/* One run of `terrane import`: its options, and what its parts share. */
#pragma once

#include "cli/import/discover.h"
#include "cli/progress.h"
#include "cli/provider_source.h"
#include "import/into.h"
#include "import/report.h"

struct xp_config;

struct import_wish {
    struct work_options work;
    const char *folder, *into, *to, *style, *split, *cli;
    struct option_texts ids, links, regions;
    struct discover_wish find;
    int64_t parallel;
    bool resume, force, no_verify, no_links, list_only;
};

struct import_run {
    struct app *app;
    struct bar bar; /* of the current step */
    const struct import_wish *request;
    struct work work;
    struct provider_source source;
    struct worklist list;
    struct import_region *regions; /* all but the first */
    struct import_journal journal;
    struct link_table links;
    struct xp_config *kinds; /* the provider's kinds; NULL: not needed */
    struct map services;     /* type -> struct str * */
    struct into into;
    struct references *references;
    struct import_reading reading;
    struct import_report report;
    struct rows rows;
    struct rates *rates;
    struct discovery discovery;
    unsigned to;
};

/* Prepares everything up to the list of objects: the list itself, providers for all regions, link tables, rows. */
bool import_open(struct import_run *run);
void import_close(struct import_run *run);
bool import_save_list(struct import_run *run);

/* Loads what the outputs need to know of kinds; call it before objects are read. */
bool import_load_kinds(struct import_run *run);
/*
 * Writes the files, verified by the engine and, if available, by the program. If the program finds changes, the engine checks
 * every object again, and those that change by themselves are left out, as they are when only the engine verifies.
 */
bool import_write_proven(struct import_run *run);
