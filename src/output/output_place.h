/*
 * Places in a folder, by paths relative to it (output_path_is_safe()). No link is followed on the way: a link in a folder that is
 * written to may lead anywhere, and whoever put it there need not be the user.
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

/* What is there. *ret_link: PLACE_BEHIND_LINK: the link. */
enum output_place output_look(int folder, struct str path, struct str *ret_link);

/* The folder that the place is in, to be closed, and the name there, in `a`. -1 and errno: there is none, or not without a link.
 */
int output_parent(int folder, struct str path, const char **ret_name, struct arena *a);

/* The file there, for reading; -1: there is none. */
int output_open(int folder, struct str path);
