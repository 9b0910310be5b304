/* SPDX-License-Identifier: MIT
 * diag_findings: what is wrong, told once each, with its evidence. */
#ifndef DIAG_DIAG_FINDINGS_H
#define DIAG_DIAG_FINDINGS_H

#include "base/arena.h"
#include "base/text_buffer.h"
#include "base/time_range.h"
#include "diag/diag_rules.h"
#include "diag/resting_places.h"

struct evidence {			/* a thread that shows it */
	enum stk_involvement part;
	uint32_t thread;		/* a text: its name */
	uint32_t stack;			/* of stack_facts */
	uint32_t class;			/* a text: of the lock; 0 */
	uint64_t address;
	uint64_t dumps;
	struct time_range times;
};

/* A finding beside another window (finding_change.h). */
enum finding_change {
	CHANGE_NONE,			/* not compared */
	CHANGE_NEW,
	CHANGE_CONTINUED,		/* it is on where one window ends and the other one begins */
	CHANGE_LONGER,
	CHANGE_SHORTER,
	CHANGE_SAME,
	CHANGE_GONE,			/* of a finding of the other window */
	CHANGE_UNKNOWN			/* the other window has no dumps of its process */
};

struct finding_past {
	enum finding_change change;
	struct time_range times;	/* of those that are the same in the other window */
	int64_t length_ns, here_ns;	/* what they last in sum, there and here */
};

struct finding {
	enum diag_rule rule;
	enum stk_severity severity;
	uint32_t process;
	struct time_range times;	/* of the first and the last dump that show it */
	struct stk_text subject, summary;
	uint64_t threads;		/* affected at one moment, at most */
	uint64_t samples;		/* threads, summed over dumps */
	uint64_t dumps;
	int64_t lost_ns;		/* thread time */
	int64_t length_ns;		/* the time that its dumps stand for; 0: from the first to the last */
	uint32_t pool, place;		/* texts: whose threads stand where, if that may be a habit; 0 */
	uint64_t run;			/* and for how many dumps in a row one of them did, at most; 0: not counted */
	struct rest_counts within;	/* what was seen there meanwhile */
	struct finding_past past;
	ARRAY(struct evidence) evidence;
};

/* A zeroed struct is empty. */
struct diag_findings {
	ARRAY(struct finding) list;
	struct arena texts;
	struct text_buffer text;	/* for the summary at hand */
};

/* A new finding; subject and summary are copied. */
struct finding *diag_findings_add(struct diag_findings *findings, enum diag_rule rule, enum stk_severity severity,
			     struct stk_text subject, struct stk_text summary);
/* Adds to what the summary says. */
void diag_findings_say(struct diag_findings *findings, struct finding *finding, struct stk_text more);
/* The worst first: by severity, then by thread time lost, then by time; that all is well is the first of what is
 * information. */
void diag_findings_sort(struct diag_findings *findings);
void diag_findings_release(struct diag_findings *findings);

const char *severity_name(enum stk_severity severity);
const char *involvement_name(enum stk_involvement part);

#endif
