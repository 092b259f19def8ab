/* The tables, their migrations, and the check that a file is an undamaged database of ours. */
#pragma once

#include "store/db.h"

enum { SCHEMA_APPLICATION_ID = 0x54525331 /* TRS1 */ };

/* The newest format that this program knows. */
int schema_version(void);

/* Refuses files that are not ours, newer than this program or damaged. An empty file is accepted. */
bool store_schema_check(struct db *db, struct diags *diags);
/* The same without reading every page, for callers that do not create tables: the tables must exist, in the newest format. */
bool store_schema_check_format(struct db *db, struct diags *diags);
/* Migrates the tables of a checked database to the newest format. */
bool store_schema_migrate(struct db *db, struct diags *diags);
