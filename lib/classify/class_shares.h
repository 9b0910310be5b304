/* SPDX-License-Identifier: MIT
 * class_shares: what a class is of the stacks that begin like it, up to its last branch. Where stacks of its part go on
 * from its end, the end is that branch. What only joins segments that are always one after another is no branch. */
#ifndef CLASSIFY_CLASS_SHARES_H
#define CLASSIFY_CLASS_SHARES_H

#include "classify/classifier.h"

/* By class, of its total; 0 for one that was never counted. The caller frees it. Costs the number of classes, however
 * deep their stacks are. */
double *class_shares(const struct classifier *classifier);

#endif
