/* Watches folders with inotify: whether anything changed, and which files are being written. */
#pragma once

#include "base/clock.h"
#include "base/str.h"

struct follow;

/* Never fails: without inotify no changes are reported. */
struct follow *follow_new(void);
void follow_free(struct follow *f); /* accepts NULL */

/* Also watches this folder (not its subfolders). Adding it again changes nothing. */
void follow_add(struct follow *f, const char *folder);
/* Forgets all folders: the caller must add the existing ones again. */
void follow_restart(struct follow *f);

/* Waits for a change, and then until no further changes follow. False: the deadline has passed, or follow_wake() was called. */
bool follow_wait(struct follow *f, int64_t deadline, int64_t quiet_ns, int64_t settle_ns);
void follow_wake(struct follow *f);

/* Were folders created, moved or removed, or events lost? Then all folders must be added again. Returns true once. */
bool follow_must_restart(struct follow *f);
/* Was this file written to less than `limit_ns` ago, and not closed since? */
bool follow_is_being_written(struct follow *f, const char *path, int64_t limit_ns);
