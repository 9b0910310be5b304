/* SPDX-License-Identifier: MIT
 * dump_source: the common interface of all sources of dumps, and the source for Java VMs, which only calls attach. */
#include "capture/dump_source.h"

#include "base/memory.h"

#include <stdlib.h>

struct dump_source {
	const struct dump_source_kind *kind;
	void *own;
};

struct dump_source *
dump_source_of(const struct dump_source_kind *kind, void *own)
{
	struct dump_source *source = mem_new(1, sizeof *source);

	source->kind = kind;
	source->own = own;
	return source;
}

enum attach_result
dump_source_take(struct dump_source *source, int64_t deadline_ns, struct attach_reply *reply, struct stk_error *err)
{
	return source->kind->take(source->own, deadline_ns, reply, err);
}

bool
dump_source_is_owed(struct dump_source *source)
{
	return source->kind->is_owed != NULL && source->kind->is_owed(source->own);
}

const struct dump_source_kind *
dump_source_kind(const struct dump_source *source)
{
	return source->kind;
}

void
dump_source_close(struct dump_source *source)
{
	if (source == NULL)
		return;
	source->kind->close(source->own);
	free(source);
}

/* --- Java VMs --- */

struct jvm_dumps {
	struct attach *attach;
	bool locks;
};

static enum attach_result
jvm_take(void *source, int64_t deadline_ns, struct attach_reply *reply, struct stk_error *err)
{
	struct jvm_dumps *jvm = source;

	return attach_thread_dump(jvm->attach, jvm->locks, deadline_ns, reply, err);
}

static bool
jvm_is_owed(void *source)
{
	struct jvm_dumps *jvm = source;

	return attach_is_owed(jvm->attach);
}

static void
jvm_close(void *source)
{
	struct jvm_dumps *jvm = source;

	attach_close(jvm->attach);
	free(jvm);
}

int
jvm_dumps_open(struct dump_source **out, const struct process *process, bool locks, struct stk_error *err)
{
	static const struct dump_source_kind kind = { "attach", "thread-dump", jvm_take, jvm_is_owed, jvm_close };
	struct attach *attach;
	struct jvm_dumps *jvm;

	*out = NULL;
	if (attach_open(&attach, process, err) < 0)
		return -1;
	jvm = mem_new(1, sizeof *jvm);
	jvm->attach = attach;
	jvm->locks = locks;
	*out = dump_source_of(&kind, jvm);
	return 0;
}
