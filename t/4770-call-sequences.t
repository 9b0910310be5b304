#!/bin/sh
# SPDX-License-Identifier: MIT
# Sequences through calls are counted with threads, recursion, and calls through pointers and of libraries; what is true follows from the program.
. "${0%/*}/lib/tap.sh"
. "$t/lib/probed.sh"

cat >sequences.yaml <<'END'
sequences:
  - {name: without the lock, path: [request, "... without lock", fsync]}
  - {name: after unlock, path: [request, ..., unlock, "... without lock", fsync]}
  - [request, ..., lock, "... without unlock", "fsync:<"]
  - [request, "... without fsync"]
  - [request, "(... fsync)*2"]
  - [commit, commit, fsync]
  - [request, ..., "commit:@5", ..., "commit:<", unlock]
END
# A request of kind 0 to 7 locks (1), commits (2: through a pointer, within itself), and commits without the lock (4): 200 of each.
cat >program.c <<'END'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
void lock(void) { pthread_mutex_lock(&mutex); }
int commit(int n) { if (n > 2) return commit(n - 1); return fsync(-1); }
void unlock(void) { pthread_mutex_unlock(&mutex); }
static int (*volatile how)(int) = commit;
static void inner(int kind)
{
	if (kind & 1) lock();
	if (kind & 2) (void)how(kind);
	if (kind & 1) unlock();
	if (kind & 4) (void)how(1);
}
int request(int kind) { inner(kind); return kind; }
static void *work(void *from) { for (int i = 0; i < 400; i++) (void)request(i % 8); return from; }
int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
	return 0;
}
END
check 'sequences through calls, of four threads' '
	assembly program program.c
	stkpath instrument -q --steps --paths sequences.yaml program.ll -o probed.ll
	level=-O0 build probed.ll program
	STKPATH_FILE=steps.stk ./program
	stkcat --check steps.stk
	stkpath sequences -p sequences.yaml steps.stk >got 2>err
	test ! -s err
	cat >want <<"+"
sequence	function	calls	on	times	unfinished
without the lock	request	1600	600	800	0
after unlock	request	1600	400	400	0
request ... lock ... without unlock fsync:<	request	1600	400	400	0
request ... without fsync	request	1600	400	400	0
request (... fsync)*2	request	1600	400	400	0
commit commit fsync	commit	3600	600	600	0
request ... commit:@5 ... commit:< unlock	request	1600	400	400	0
+
	same want got
'
check 'only what sequences name has probes, and its blocks only where one is named' '
	stkcat --only path_step -f tsv steps.stk | sed 1d >rows
	awk -F "	" "\$7 != \"\" { print \$4 }" rows | sort -u >got
	echo commit | same - got
	cut -f 4 rows | sort -u | tr "\n" " " | grep -qx "commit fsync lock request unlock "
'
check 'a static function that is called like one of a library does not hide calls of that one' '
	printf "int fsync(int); int request(int n) { return fsync(n); }\nint own(void); int main(void) { request(-1); return own() - 1; }\n" >calls.c
	printf "static int fsync(int n) { return n > 2 ? n : 1; }\nint own(void) { return fsync(0); }\n" >own.c
	echo "sequences: [[request, ..., fsync], [fsync, \"fsync:<\"]]" >two.yaml
	STKPATH_SEQUENCES=two.yaml "$t/../scripts/stkpath-cc" calls.c own.c -o calls
	STKPATH_FILE=calls.stk ./calls
	stkpath sequences -q -p two.yaml calls.stk | cut -f 2-5 | tr "\t\n" " ;" | grep -qx "function calls on times;request 1 1 1;fsync 2 2 2;"
'
check 'names that nothing has are said' '
	printf "sequences:\n  - [request, ..., fsnyc]\n  - [request, ..., \"commit:if.thn\"]\n" >wrong.yaml
	status 1 stkpath sequences -p wrong.yaml steps.stk >/dev/null 2>err
	grep -q "wrong.yaml:2: no call of fsnyc was seen" err
	grep -q "wrong.yaml:3: no block .if.thn. was seen in commit" err
	status 2 stkpath sequences steps.stk 2>err
	grep -q "missing --paths" err
	status 2 stkpath instrument --paths wrong.yaml program.ll 2>err
	grep -q "for the sequences of --steps" err
'
finish
