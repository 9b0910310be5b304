/* SPDX-License-Identifier: MIT
 * event_areas: the time between events that begin and end something, by their name, as stacked areas: of all, and of
 * each part of what was recorded. */
#ifndef PLOT_EVENT_AREAS_H
#define PLOT_EVENT_AREAS_H

#include "plot/event_lanes.h"

/* Adds a panel of all and one of each part that has any; parts: their names, by number. */
void event_areas_draw(const struct event_lanes *lanes, const struct text_table *parts, struct chart *chart);

#endif
