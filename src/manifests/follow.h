/* Changes in folders, by inotify: that there are some, and which files are being written just now. */
#pragma once

#include "base/clock.h"
#include "base/str.h"

struct follow;

/* Never fails: where the kernel gives no watches there are no changes to hear of. */
struct follow *follow_new(void);
void follow_free(struct follow *f); /* NULL is accepted */

/* From now on, also what happens in this folder (not in those below it). Adding it again changes nothing. */
void follow_add(struct follow *f, const char *folder);
/* Forgets all folders: those that are there are to be added again. */
void follow_restart(struct follow *f);

/* Waits for a change, and then until it is quiet. False: the deadline has passed, or follow_wake() was called. */
bool follow_wait(struct follow *f, int64_t deadline, int64_t quiet_ns, int64_t settle_ns);
void follow_wake(struct follow *f);

/* Were folders made, moved or removed, or changes lost? Then the folders are to be added anew; the answer is given once. */
bool follow_must_restart(struct follow *f);
/* Has somebody written to this file and not closed it yet, for less than `limit_ns`? */
bool follow_is_being_written(struct follow *f, const char *path, int64_t limit_ns);
