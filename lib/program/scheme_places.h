/* SPDX-License-Identifier: MIT
 * scheme_places: where schemes that come with the program are: STKPIPE_SCHEMES, beside the program's share folder, or
 * in the source tree that it was built in. */
#ifndef PROGRAM_SCHEME_PLACES_H
#define PROGRAM_SCHEME_PLACES_H

#include "group/scheme_files.h"

/* The folders; they live as long as the program. */
const struct scheme_folders *scheme_places(void);

#endif
