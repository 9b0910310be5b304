# SPDX-License-Identifier: MIT
# Events as text: nested pairs on many threads, each outer one in an activity.
#	awk -v n=EVENTS -v threads=N -v activities=N -f make_events.awk
BEGIN {
	OFS = "\t"
	split("request\tstart request\tstop query\tstart query\tstop", w, " ")
	for (i = 0; i < n; i++) {
		t = i * 7 % threads
		s = at[t]++ % 4
		if (s == 0) of[t] = ++activity % activities + 1
		print sprintf("%.6f", i * 1e-6), "thread-" t, s < 2 ? "start" : "stop", s == 0 || s == 3 ? "request" : "query", "", s == 0 || s == 3 ? of[t] : ""
	}
}
