/* SPDX-License-Identifier: MIT
 * vm_list: looks at every process and touches none. */
#include "vm_list.h"

#include "base/output.h"
#include "base/time_text.h"
#include "capture/attach.h"
#include "capture/dump_source.h"
#include "capture/perf_memory.h"
#include "capture/watch_list.h"
#include "program/printing.h"
#include "program/program.h"
#include "report/row_printer.h"
#include "walk/native_walker.h"
#include "walk/python_walker.h"
#include "walk/vm_walker.h"

#include <string.h>

struct vm_list {
	struct row_printer rows;
	struct printer printer;
};

/* What can be captured from a VM, or why not. */
static void
add_abilities(struct text_buffer *to, const struct process *process, const struct perf_memory *memory)
{
	struct stk_error why = { 0 };
	struct vm_walker *walker;
	struct attach *attach;

	if (attach_open(&attach, process, &why) < 0) {
		add_string(to, "no dumps: ");
		add_string(to, why.text);
	} else {
		add_string(to, process->stopped ? "dumps when it continues (it is stopped)" : "dumps");
		if (process_argument(process, "-XX:-EnableDynamicAgentLoading") == NULL)
			add_string(to, ", agent");
		attach_close(attach);
	}
	if (memory != NULL)
		add_string(to, ", heap and pauses");
	stk_error_clear(&why);
	if (vm_walker_open(&walker, process, NULL, &why) == 0) {
		add_string(to, ", stacks at ticks");
	} else {
		add_string(to, "; no stacks at ticks: ");
		add_string(to, why.text);
	}
	stk_error_clear(&why);
	vm_walker_close(walker);
}

static void
show_row(struct vm_list *list, const struct process *process, struct stk_text version, struct stk_text can)
{
	char time[TIME_TEXT_MAX];

	row_count(&list->rows, (uint64_t)process->pid);
	row_time(&list->rows, time_print(time, process->start_ns / 1000000000 * 1000000000, NULL));
	row_text(&list->rows, version.size > 0 ? version : text_of("?", 1));
	row_text(&list->rows, text_from(process_title(process)));
	row_text(&list->rows, can);
}

static void
show_vm(struct vm_list *list, const struct process *process)
{
	struct text_buffer text = { 0 };
	struct stk_error unused = { 0 };
	struct perf_memory *memory = NULL;

	if (perf_memory_open(&memory, process, &unused) < 0)
		memory = NULL;
	add_abilities(&text, process, memory);
	show_row(list, process, perf_memory_text_of(memory, "java.property.java.vm.version"), text_in(&text, 0));
	array_release(&text);
	perf_memory_close(memory);
}

static void
show_python(struct vm_list *list, const struct process *process)
{
	struct text_buffer version = { 0 }, can = { 0 };
	struct python_walker *walker;
	struct stk_error why = { 0 };

	add_string(&version, "Python");
	if (python_walker_open(&walker, process->pid, &why) == 0) {
		add_format(&version, " 3.%u", python_walker_minor(walker));
		add_string(&can, "Python stacks");
	} else {
		add_string(&can, "no Python stacks: ");
		add_string(&can, why.text);
	}
	show_row(list, process, text_in(&version, 0), text_in(&can, 0));
	python_walker_close(walker);
	array_release(&version);
	array_release(&can);
}

/* What --native gives of any process: dumps, and the stacks of ticks. */
static void
add_native_abilities(struct text_buffer *to, const struct process *process)
{
	struct native_walker *walker;
	struct dump_source *dumps;
	struct stk_error why = { 0 };

	if (native_dumps_open(&dumps, process, &why) < 0) {
		add_string(to, "no native stacks: ");
		add_string(to, why.text);
		stk_error_clear(&why);
		return;
	}
	dump_source_close(dumps);
	if (native_walker_open(&walker, process, NULL, &why) == 0) {
		add_string(to, "native stacks, stacks at ticks");
	} else {
		add_string(to, "native stacks; no stacks at ticks: ");
		add_string(to, why.text);
	}
	stk_error_clear(&why);
	native_walker_close(walker);
}

static enum watch_answer
show_native(void *context, struct wish *wish, const struct process *process)
{
	struct text_buffer can = { 0 };

	(void)wish;
	add_native_abilities(&can, process);
	show_row(context, process, text_from("native"), text_in(&can, 0));
	array_release(&can);
	return WATCH_ACCEPTED;
}

static void
show_natives(struct vm_list *list, struct watch_list *natives)
{
	watch_list_scan(natives, show_native, list);
	for (size_t i = 0; i < watch_list_count(natives); i++)
		if (watch_list_at(natives, i)->met == 0)
			program_warn("--native %s: no such process", watch_list_at(natives, i)->text);
}

static void
show_process(void *context, pid_t pid)
{
	struct stk_error unused = { 0 };
	struct process process;

	if (process_read(&process, pid, &unused) < 0)
		return;
	if (process_vm_kind(&process) != VM_NONE)
		show_vm(context, &process);
	else if (process_is_python(&process))
		show_python(context, &process);
}

static enum row_form
form_of(const char *format)
{
	if (format == NULL || strcmp(format, "text") == 0)
		return ROWS_TEXT;
	if (strcmp(format, "tsv") == 0)
		return ROWS_TSV;
	if (strcmp(format, "ndjson") != 0)
		program_usage("--list: -f: expected text, tsv or ndjson, not '%s'", format);
	return ROWS_NDJSON;
}

int
show_vms(const char *format, const char *natives)
{
	static const char *const names[] = { "pid#", "start?", "version?", "command*", "can", NULL },
				 *const programs[] = { "pid", "start", "version", "command", "can", NULL };
	struct vm_list list = { 0 };
	struct output *output = NULL;
	enum row_form form = form_of(format);
	struct watch_list *wanted;
	struct stk_error err = { 0 };

	watch_list_open(&wanted);
	if (watch_list_add(wanted, WATCH_NATIVE, natives, NULL, &err) < 0)
		program_usage("--native: %s", err.text);
	if (watch_list_has_all(wanted, WATCH_NATIVE))
		program_usage("--list: --native: every process of the machine is too many: name some");
	if (output_open(&output, program_common.output, &err) == 0) {
		list.printer = printer_to(output);
		row_printer_begin(&list.rows, form, &list.printer, form == ROWS_TEXT ? names : programs);
		process_each(show_process, &list);
		show_natives(&list, wanted);
	}
	if (err.code != STK_EOK || row_printer_end(&list.rows, &err) < 0 ||
	    printer_settle(&list.printer, true, &err) < 0)
		program_report(NULL, &err);
	stk_error_clear(&err);
	if (output_close(output, true, &err) < 0)
		program_report(NULL, &err);
	printer_release(&list.printer);
	watch_list_close(wanted);
	return program_end();
}
