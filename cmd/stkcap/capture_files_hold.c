/* SPDX-License-Identifier: MIT
 * capture_files_hold: streams in memory become part of a file as they are: a file may have several. */
#include "capture_files_state.h"

#include "capture/attach.h" /* monotonic_ns */
#include "capture/look_back.h"

int
capture_files_hold(struct capture_files *files, struct stk_error *err)
{
	if (files->back == NULL)
		look_back_open(&files->back, files->plan->look_back_ns, LOOK_BACK_BYTES,
			       capture_files_level(files, false));
	if (!files->holding && (files->writer != NULL || files->fd >= 0) && capture_files_finish(files, false, err) < 0)
		return -1;
	files->holding = true;
	files->wanted = false;
	return 0;
}

/* The file is as it was when that fails. */
static int
write_part(struct capture_files *files, const struct look_back_part *part, struct stk_error *err)
{
	struct capture_rows rows = { part->dumps, part->samples };

	if (capture_files_put(files, part->bytes, part->size, err) < 0)
		return -1;
	capture_rows_add(&files->totals.kept, &rows);
	capture_rows_add(&files->file, &rows);
	return 0;
}

int
capture_files_release(struct capture_files *files, int64_t time_ns, struct stk_error *err)
{
	struct look_back_part part;

	if (!files->holding)
		return 0;
	/* what waits for a file that cannot be written is still of the minutes before the incident */
	if (look_back_end(files->back, files->wanted ? INT64_MIN : monotonic_ns() - files->plan->look_back_ns, err) < 0)
		return -1;
	files->wanted = true;
	while (look_back_first(files->back, &part)) {
		if (capture_files_ready(files, time_ns, err) < 0 || write_part(files, &part, err) < 0)
			return -1;
		look_back_drop_first(files->back);
	}
	files->holding = files->wanted = false;
	return 0;
}

const struct look_back *
capture_files_held(const struct capture_files *files)
{
	return files->holding ? files->back : NULL;
}

void
capture_files_hold_end(struct capture_files *files)
{
	struct stk_error unused = { 0 };
	struct look_back_state state;
	struct capture_rows rows;

	if (files->back == NULL)
		return;
	if (look_back_end(files->back, INT64_MIN, &unused) < 0)
		stk_error_clear(&unused);
	look_back_state(files->back, &state);
	rows = (struct capture_rows){ state.dumps, state.samples };
	capture_rows_add(files->wanted ? &files->totals.lost : &files->totals.unneeded, &rows);
	look_back_close(files->back);
	files->back = NULL;
}
