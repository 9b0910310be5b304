/* SPDX-License-Identifier: MIT
 * event_choice: counts of several events must not be mixed; where none is asked for, which one filters count. */
#ifndef PROGRAM_EVENT_CHOICE_H
#define PROGRAM_EVENT_CHOICE_H

#include "choose/selection.h"

struct filter;

/* Samples of one event are to be selected from the inputs of a filter that is open: of the one that is asked for; else
 * of the one that the time tree of the first input with samples counts; else of that of the first sample. The trees of
 * pipes come after the samples: these are met too late. */
void count_one_event(struct selection_options *selection, struct filter *filter);

/* After the last input: how many samples of other events were left out, if any were, and whether a tree that came too
 * late counts another one. */
void say_other_events(const struct selection *selection, const struct filter *filter);

#endif
