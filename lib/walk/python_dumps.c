/* SPDX-License-Identifier: MIT
 * python_dumps: all of a stack is read between two looks at its thread. Where these show that it ran meanwhile, what
 * was read is thrown away and read again, at last with the thread stopped. */
#include "walk/python_dumps.h"

#include "capture/thread_rest.h"
#include "capture/thread_stop.h"
#include "walk/python_walker.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIST_TRIES 20 /* threads come and go while they are listed */
#define REST_TRIES 3 /* a thread that wakes up now and then rests at one of these, mostly */
#define STOP_TRIES 3 /* it may be just making a frame, or leaving one */
#define ENDING_MS 1000

struct task {
	pid_t inner, tid;
}; /* the number of a thread as its process sees it, and as we do */

struct python {
	struct process process;
	struct python_walker *walker;
	struct python_threads threads;
	ARRAY(struct task) tasks; /* only where the two numbers differ */
	struct text_buffer text, stack;
	unsigned unread; /* threads of this dump */
	int64_t deadline_ns, stopped_ns;	/* of this dump, and during it */
	const struct python_thread *thread;	/* that is read while it is stopped, */
	pid_t tid;
	bool read;				/* and whether it was */
};

/* --- numbers of threads --- */

static void
read_tasks(struct python *p)
{
	char path[64];
	const struct dirent *entry;
	DIR *folder;

	p->tasks.count = 0;
	if (p->process.pid == p->process.inner_pid)
		return;
	snprintf(path, sizeof path, "/proc/%ld/task", (long)p->process.pid);
	folder = opendir(path);
	while (folder != NULL && p->tasks.count < PYTHON_THREADS_MAX && (entry = readdir(folder)) != NULL) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0)
			*array_push(&p->tasks) = (struct task){ process_inner_tid(&p->process, tid), tid };
	}
	if (folder != NULL)
		closedir(folder);
}

/* As we see it; 0: it has no such thread. */
static pid_t
tid_of(const struct python *p, const struct python_thread *thread)
{
	if (p->process.pid == p->process.inner_pid)
		return thread->tid;
	for (size_t i = 0; i < p->tasks.count; i++)
		if (p->tasks.at[i].inner == thread->tid)
			return p->tasks.at[i].tid;
	return 0;
}

/* --- one thread --- */

enum reading { READ_WHOLE, READ_NOT, READ_ENDED };

/* Its stack is read while it is stopped. Before it stops it must get a processor, for which it may wait long on a busy
 * machine. */
static void
read_stopped(void *of)
{
	struct python *p = of;
	struct thread_stop stop;

	if (!thread_stop_begin(&stop, p->tid))
		return;
	thread_stop_wait(&stop, p->deadline_ns);
	if (stop.halted)
		p->read = python_walker_stack(p->walker, p->thread, &p->stack);
	thread_stop_end(&stop, p->deadline_ns);
	if (stop.halted)
		p->stopped_ns += monotonic_ns() - stop.running_ns;
}

static enum reading
read_thread(struct python *p, const struct python_thread *thread, pid_t tid, char *state)
{
	struct stk_error unused = { 0 };
	struct thread_rest rest;

	*state = '\0';
	for (int try = 0; try < REST_TRIES && thread_rest_begin(&rest, p->process.pid, tid); try++) {
		bool read;

		p->stack.count = 0;
		read = python_walker_stack(p->walker, thread, &p->stack);
		*state = rest.state;
		if (thread_rest_held(&rest))
			return read ? READ_WHOLE : READ_NOT;
	}
	p->stack.count = 0;
	if (rest.state == '\0')
		return READ_ENDED;
	*state = rest.state;
	p->thread = thread;
	p->tid = tid;
	p->read = false;
	for (int try = 0; try < STOP_TRIES; try++)
		if (thread_stop_apart(read_stopped, p, &unused) == 0 && p->read)
			return READ_WHOLE;
	(void)thread_rest_begin(&rest, p->process.pid, tid);
	return rest.state == '\0' ? READ_ENDED : READ_NOT;
}

/* "Thread 812 (idle): "MainThread"", as py-spy writes it. */
static void
add_thread(struct python *p, const struct python_thread *thread, pid_t tid, char state)
{
	size_t from;

	add_format(&p->text, "Thread %ld (%s): \"", (long)tid, state == 'R' ? "active" : "idle");
	from = p->text.count;
	if (!python_walker_name(p->walker, thread, &p->text))
		add_string(&p->text, tid == p->process.pid ? "MainThread" : "");
	for (size_t i = from; i < p->text.count; i++)
		if (p->text.at[i] == '"')
			p->text.at[i] = '\'';
	add_string(&p->text, "\"\n");
	add_text(&p->text, text_in(&p->stack, 0));
	add_char(&p->text, '\n');
}

/* A thread without Python frames is none of Python's at this moment. */
static void
take_thread(struct python *p, const struct python_thread *thread)
{
	pid_t tid = tid_of(p, thread);
	char state;
	enum reading reading = tid > 0 ? read_thread(p, thread, tid, &state) : READ_NOT;

	if (reading == READ_WHOLE && p->stack.count > 0)
		add_thread(p, thread, tid, state);
	else if (reading == READ_NOT)
		p->unread++;
}

/* --- the source --- */

static bool
list_threads(struct python *p)
{
	for (int try = 0; try < LIST_TRIES; try++)
		if (python_walker_threads(p->walker, &p->threads))
			return true;
	return false;
}

/* False: the time passed; those that were read are there. */
static bool
take_threads(struct python *p)
{
	add_format(&p->text, "PID %ld - process\n", (long)p->process.pid);
	for (size_t i = 0; i < p->threads.list.count; i++) {
		if (p->text.count > ATTACH_REPLY_MAX || monotonic_ns() > p->deadline_ns || attach_is_stopped()) {
			p->unread += (unsigned)(p->threads.list.count - i);
			return false;
		}
		take_thread(p, &p->threads.list.at[i]);
	}
	return true;
}

static enum attach_result
result_of(struct python *p, bool listed, bool in_time, struct attach_reply *reply, struct stk_error *err)
{
	if (p->text.count > 0 && attach_reply_make_room(reply, p->text.count, err)) {
		memcpy(reply->text, p->text.at, p->text.count);
		reply->size = p->text.count;
		reply->text[reply->size] = '\0';
	}
	if (err->code != STK_EOK)
		return ATTACH_CUT;
	if (listed && p->unread == 0)
		return ATTACH_ANSWERED;
	if ((!listed || p->unread == p->threads.list.count) && process_ends_within(&p->process, ENDING_MS))
		return ATTACH_GONE;
	if (!listed)
		(void)stk_fail(err, STK_EDATA, "its threads changed while they were listed, each of %d times",
			       LIST_TRIES);
	else
		(void)stk_fail(err, STK_EDATA, "%u of its %zu Python threads could not be read%s", p->unread,
			       p->threads.list.count, in_time ? "" : " in time");
	return listed && p->unread < p->threads.list.count ? ATTACH_CUT : ATTACH_REFUSED;
}

static enum attach_result
python_take(void *source, int64_t deadline_ns, struct attach_reply *reply, struct stk_error *err)
{
	struct python *p = source;
	bool listed, in_time = true;

	reply->size = 0;
	reply->asked_ns = reply->first_ns = monotonic_ns();
	p->text.count = 0;
	p->unread = 0;
	p->stopped_ns = 0;
	p->deadline_ns = deadline_ns;
	listed = list_threads(p);
	if (listed) {
		read_tasks(p);
		python_walker_read_names(p->walker);
		in_time = take_threads(p);
	}
	reply->end_ns = monotonic_ns();
	reply->stopped_ns = p->stopped_ns;
	return result_of(p, listed, in_time, reply, err);
}

static void
python_close(void *source)
{
	struct python *p = source;

	python_walker_close(p->walker);
	array_release(&p->threads.list);
	array_release(&p->tasks);
	array_release(&p->text);
	array_release(&p->stack);
	free(p);
}

int
python_dumps_open(struct dump_source **out, const struct process *process, struct stk_error *err)
{
	static const struct dump_source_kind kind = { "python", "process-dump", python_take, NULL, python_close, true };
	struct python_walker *walker;
	struct python *p;

	*out = NULL;
	if (geteuid() != 0 && geteuid() != process->uid)
		return stk_fail(err, STK_EDATA, "it belongs to another user (%ld): root or that user may read it",
				(long)process->uid);
	if (python_walker_open(&walker, process->pid, err) < 0)
		return -1;
	p = mem_new(1, sizeof *p);
	p->process = *process;
	p->walker = walker;
	*out = dump_source_of(&kind, p);
	return 0;
}
