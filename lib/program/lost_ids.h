/* SPDX-License-Identifier: MIT
 * lost_ids: what a filter says of references that lead nowhere. */
#ifndef PROGRAM_LOST_IDS_H
#define PROGRAM_LOST_IDS_H

#include "model/model.h"

/* Warns once for each kind of thing that was referred to and not defined; so the input is bad, status 1. */
void report_lost_ids(const struct model *model);

#endif
