/* SPDX-License-Identifier: MIT
 * carried_rows: a VM opens jars when it needs them, so that each new stream looks for them again. */
#include "carried_rows.h"

#include "program/program.h"

#define PATIENCE_MS 500		/* for the files of one process */

void
carried_rows_open(struct carried_rows *rows)
{
	*rows = (struct carried_rows){ 0 };
	carried_schemes_open(&rows->schemes);
}

void
carried_rows_close(struct carried_rows *rows)
{
	carried_schemes_close(rows->schemes);
}

void
carried_rows_turn(struct carried_rows *rows)
{
	rows->stream++;
	rows->written = 0;
}

static void
report_scheme(const struct carried_scheme *scheme)
{
	program_say("scheme '%.*s' is in %.*s, and goes with the records", (int)scheme->name.size, scheme->name.data,
		    (int)scheme->file.size, scheme->file.data);
}

static void
report_oddities(struct carried_rows *rows, const struct process *process)
{
	struct carried_oddities odd = carried_schemes_oddities(rows->schemes);

	if (odd.same_name > rows->odd.same_name)
		program_warn("%ld %s: a scheme in its files is left out: another one has its name",
			     (long)process->pid, process_title(process));
	if (odd.beyond > rows->odd.beyond && rows->odd.beyond == 0)
		program_warn("more than %d schemes in the files of processes: the others are left out",
			     CARRIED_SCHEMES_MOST);
	if (odd.gave_up && !rows->odd.gave_up)
		program_warn("%ld %s: its files cannot be read within %d ms: no more schemes are looked for",
			     (long)process->pid, process_title(process), PATIENCE_MS);
	rows->odd = odd;
}

int
carried_rows_write(struct carried_rows *rows, const struct process *process, uint64_t *looked,
		   struct stk_writer *writer, struct stk_error *err)
{
	const struct carried_scheme *scheme;

	if (*looked != rows->stream) {
		carried_schemes_look(rows->schemes, process, PATIENCE_MS);
		*looked = rows->stream;
		report_oddities(rows, process);
	}
	for (; (scheme = carried_scheme(rows->schemes, rows->written)) != NULL; rows->written++) {
		struct stk_scheme row = { .id = rows->written + 1, .name = scheme->name, .text = scheme->text };

		if (rows->written == rows->reported) {
			report_scheme(scheme);
			rows->reported++;
		}
		if (stk_writer_add(writer, STK_SCHEME, &row, err) < 0)
			return -1;
	}
	return 0;
}
