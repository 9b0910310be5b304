# SPDX-License-Identifier: MIT
# two_windows.py: text of perf, 200 s from second 1000 on, of which the second half differs: parse falls, lock grows, gone ends, fresh begins.
import random
random.seed(5)
for i in range(4000):
	late = i >= 2000
	kinds = {"main;serve;parse": 8 if late else 30, "main;serve;lock": 34 if late else 10, "main;serve;render": 30,
		"main;serve;render;draw": 20, "main;idle": 8, "main;serve;fresh" if late else "main;serve;gone": 4}
	print("app 7 [000] %.6f: 10000000 cpu-clock:" % (1000 + i / 20))
	for at, name in enumerate(reversed(random.choices(list(kinds), list(kinds.values()))[0].split(";"))):
		print("\t%x %s (/opt/shop)" % (4096 + 16 * at, name))
	print()
