/* SPDX-License-Identifier: MIT
 * dump_heap: each collector writes its generations in its own way; what they share is "used" and one of three words for
 * the size. */
#include "ingest/dump_heap.h"

#include "ingest/text_lines.h"

/* "61126K" at `at`, in bytes. */
static bool
read_amount(const char *at, const char *end, double *bytes)
{
	uint64_t number;

	if (!scan_decimal(&at, end, &number))
		return false;
	*bytes = (double)number;
	switch (at < end ? *at : ' ') {
	case 'G': *bytes *= 1024;	/* fall through */
	case 'M': *bytes *= 1024;	/* fall through */
	case 'K': *bytes *= 1024;
	}
	return true;
}

/* "used 12M" or, as Shenandoah has it, "12M used". */
static bool
find_amount(struct stk_text line, const char *word, double *bytes)
{
	const char *end = line.data + line.size;
	const char *at = text_find(line, word);
	const char *from;

	if (at == NULL)
		return false;
	if (at + strlen(word) < end && read_amount(at + strlen(word) + 1, end, bytes))
		return true;
	for (from = at - (at > line.data); from > line.data && from[-1] != ' '; from--)
		;
	return read_amount(from, at, bytes);
}

/* A generation, or the whole heap, is indented by one blank; its parts by two. */
bool
dump_heap_take(struct dump_heap *heap, struct stk_text line)
{
	double total, used;

	if (line.size < 2 || *line.data != ' ')
		return text_is(trimmed(line), "Shenandoah Heap") || text_starts(line, "Status: ") ||
		       text_starts(line, "Reserved region:") || text_starts(line, "Collection set:");
	if (text_starts(line, " Metaspace")) {
		heap->has_metaspace = find_amount(line, " used", &heap->metaspace);
	} else if (line.data[1] != ' ' && text_find(line, "erm ") == NULL && text_find(line, "PermGen") == NULL &&
		   find_amount(line, " used", &used) &&
		   (find_amount(line, " committed", &total) || find_amount(line, " total", &total) ||
		    find_amount(line, " capacity", &total))) {
		heap->total += total;
		heap->used += used;
		heap->has_heap = true;
	}
	return true;
}

static void
report_metric(struct findings *findings, uint32_t line, const char *name, double value)
{
	struct finding *f = found(findings, FOUND_METRIC, line);

	f->is.metric.name = text_from(name);
	f->is.metric.value = value;
}

void
dump_heap_report(const struct dump_heap *heap, struct findings *findings)
{
	if (heap->has_heap) {
		report_metric(findings, heap->line, "heap.total", heap->total);
		report_metric(findings, heap->line, "heap.used", heap->used);
	}
	if (heap->has_metaspace)
		report_metric(findings, heap->line, "metaspace.used", heap->metaspace);
}
