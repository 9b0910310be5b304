/* SPDX-License-Identifier: MIT
 * lost_ids: reports references to what the input does not define, and columns that are not passed on. */
#ifndef PROGRAM_LOST_IDS_H
#define PROGRAM_LOST_IDS_H

#include "model/model.h"

/* Warns once for each kind of thing that was referred to and not defined; so the input is bad, status 1. */
void report_lost_ids(const struct model *model);

/* Says that rows which were chosen and written again lost the columns that this program does not know. */
void report_lost_columns(bool lost);

#endif
