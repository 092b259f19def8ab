/*
 * Looks up paths relative to a folder (output_path_is_safe()) without following symbolic links: a link in a folder that we write
 * to may lead anywhere, and may have been made by someone other than the user.
 */
#pragma once

#include "base/arena.h"

enum output_place {
    PLACE_FREE,
    PLACE_FILE,
    PLACE_FOLDER,
    PLACE_LINK,
    PLACE_BEHIND_LINK, /* a folder on the way is a link */
    PLACE_OTHER,       /* a pipe, a device, or behind something that is not a folder */
};

/* What exists at the path. For PLACE_BEHIND_LINK *ret_link is the link. */
enum output_place output_look(int folder, struct str path, struct str *ret_link);

/* Opens the parent folder of the path, which the caller closes; *ret_name is the last segment, in `a`. -1 with errno when the
 * folder does not exist or can only be reached through a link. */
int output_parent(int folder, struct str path, const char **ret_name, struct arena *a);

/* Opens the file at the path for reading; -1 when there is no file. */
int output_open(int folder, struct str path);
