/* SPDX-License-Identifier: MIT
 * moment_summary: what VMs did at the same moments on all processors (stkcap --moments), for people: of each pair of
 * VMs, how often one did this while the other did that. */
#ifndef REPORT_MOMENT_SUMMARY_H
#define REPORT_MOMENT_SUMMARY_H

#include "base/pair_sums.h"
#include "base/text_table.h"
#include "report/printer.h"

struct moment_summary {
	uint64_t moments;
	uint64_t unknown;		/* in which a processor's state is not known: they do not count */
	struct text_table vms;
	struct pair_sums together;	/* by what each of a pair did: VM times 4, plus this */
	struct pair_sums pairs;		/* moments since both were known */
	ARRAY(unsigned char) present;	/* of the present moment: bits of what each VM does */
};

/* Takes the values of a moment: "0=inside:Shop 1=idle". */
void moment_summary_take(struct moment_summary *summary, struct stk_text values);
/* Its section, with at most `top` pairs of VMs; nothing when there were no moments. */
void moment_summary_write(const struct moment_summary *summary, struct printer *to, size_t top);
void moment_summary_release(struct moment_summary *summary);

#endif
