/* The tables, their migrations, and whether a file is a sound database of ours. */
#pragma once

#include "store/db.h"

enum { SCHEMA_APPLICATION_ID = 0x54525331 /* TRS1 */ };

/* The newest format that this program knows. */
int schema_version(void);

/* Refuses what is not ours, what is newer than this program, and what is damaged. An empty file is sound. */
bool store_schema_check(struct db *db, struct diags *diags);
/* The same without looking at every page, for who will make no tables: they must be there, in the newest format. */
bool store_schema_check_format(struct db *db, struct diags *diags);
/* Brings the tables of a sound database to the newest format. */
bool store_schema_migrate(struct db *db, struct diags *diags);
