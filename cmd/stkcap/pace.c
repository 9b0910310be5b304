/* SPDX-License-Identifier: MIT
 * pace: figures are smoothed over some ten dumps, so that one slow answer does not change the pace. */
#include "pace.h"

#include "trend/sampling_plan.h"

#include <math.h>
#include <string.h>
#include <time.h>

#define SMOOTH        0.1
#define DUMPS_LEAST   5		/* before anything is concluded */
#define LATENCY_MOST  0.2	/* of the time between two moments that an answer may take */
#define STRETCH_MOST  3600
#define HOUR_NS       3.6e12

static double
smoothed(double before, double now, uint64_t count)
{
	double weight = count == 0 ? 1 : SMOOTH > 1.0 / (double)(count + 1) ? SMOOTH : 1.0 / (double)(count + 1);

	return before + weight * (now - before);
}

/* How many threads a dump shows as running; -1: it shows no states of threads, as dumps of other programs than VMs. */
static int
count_running(const struct attach_reply *reply)
{
	static const char words[] = "java.lang.Thread.State: ", runs[] = "RUNNABLE";
	const char *at = reply->text, *end = reply->text + reply->size;
	int count = -1;

	while (at < end && (at = memmem(at, (size_t)(end - at), words, sizeof words - 1)) != NULL) {
		at += sizeof words - 1;
		count = count < 0 ? 0 : count;
		count += (size_t)(end - at) >= sizeof runs - 1 && memcmp(at, runs, sizeof runs - 1) == 0;
	}
	return count;
}

void
pace_note(struct pace *pace, const struct taken *taken)
{
	int running;

	if (taken->result != ATTACH_ANSWERED)
		return;
	if (taken->pause_ns >= 0)
		pace->pause_ns = smoothed(pace->pause_ns, (double)taken->pause_ns, pace->dumps);
	pace->took_ns = smoothed(pace->took_ns, (double)(taken->reply.end_ns - taken->reply.asked_ns), pace->dumps);
	running = count_running(&taken->reply);
	if (running >= 0)
		pace->running = smoothed(pace->running, running, pace->states++);
	pace->dumps++;
}

/* The mean of a quarter of an hour to 10 % with 90 % confidence, seasons of some ten cycles counted together. */
static double
interval_needed(const struct pace *pace, const struct pace_settings *settings)
{
	struct sampling_goal goal = { .relative_error = 0.1,
				      .confidence = 0.9,
				      .gamma = 0.1,
				      .slot_hours = 0.25,
				      .least_hours = (double)settings->every_ns / HOUR_NS,
				      .most_hours = 60 * (double)settings->every_ns / HOUR_NS };

	return sampling_interval(&goal, pace->running > 0.1 ? pace->running : 0.1) * HOUR_NS;
}

int64_t
pace_interval(const struct pace *pace, const struct pace_settings *settings)
{
	int64_t stretched = settings->every_ns * (int64_t)(pace->stretch > 1 ? pace->stretch : 1), planned;
	struct timespec now;

	if (settings->plan == NULL)
		return stretched;
	clock_gettime(CLOCK_REALTIME, &now);
	planned = planned_rate_interval(settings->plan, now.tv_sec * INT64_C(1000000000) + now.tv_nsec);
	return planned > stretched ? planned : stretched;
}

static void
raise_to(double *n, double wanted, const char **why, const char *reason)
{
	if (wanted <= *n)
		return;
	*n = wanted;
	*why = reason;
}

uint64_t
pace_stretch(const struct pace *pace, const struct pace_settings *settings, double own_share, const char **why)
{
	double every = (double)settings->every_ns, n = 1;
	uint64_t now = pace->stretch > 1 ? pace->stretch : 1, wanted;

	*why = "";
	if (pace->dumps < DUMPS_LEAST || settings->every_ns <= 0)
		return now;
	if (settings->budget > 0) {
		raise_to(&n, pace->pause_ns / (settings->budget * every), why,
			 "a dump stops it for longer than the budget allows");
		raise_to(&n, own_share / settings->budget * (double)now, why,
			 "taking dumps uses more of a processor than the budget allows");
		raise_to(&n, pace->took_ns / (LATENCY_MOST * every), why, "its answers take long");
	}
	if (settings->adaptive && pace->states >= DUMPS_LEAST)
		raise_to(&n, interval_needed(pace, settings) / every, why, "what runs in it is known well enough so");
	wanted = !(n <= STRETCH_MOST) ? STRETCH_MOST : (uint64_t)ceil(n - 1e-9);
	/* it returns only when the cost is clearly too high */
	return wanted < now && n > 0.7 * (double)now ? now : wanted;
}

bool
pace_cannot_adapt(const struct pace *pace, const struct pace_settings *settings)
{
	return settings->adaptive && pace->dumps == DUMPS_LEAST && pace->states == 0;
}

bool
pace_is_news(const struct pace *pace)
{
	uint64_t told = pace->told > 1 ? pace->told : 1, now = pace->stretch > 1 ? pace->stretch : 1;

	return now != told && (told == 1 || now == 1 || now >= 2 * told || 2 * now <= told);
}
