/* SPDX-License-Identifier: MIT
 * series_news: which of the changes that were seen are news. */
#ifndef TREND_SERIES_NEWS_H
#define TREND_SERIES_NEWS_H

#include "trend/series_set.h"

/* Marks which of the set's changes so far are news, and counts them by series. Call it before anybody looks at
 * them. It sorts them: nothing to do when none came since it was called. */
void series_news_judge(struct series_set *set);

#endif
