/* SPDX-License-Identifier: MIT
 * live_command: while a capture runs, a file that is read again fills the other of two settings, so that a mistake
 * in it changes nothing. */
#include "live_command.h"
#include "live_options.h"
#include "service_config.h"
#include "service_notify.h"

#include "base/time_text.h"
#include "capture/attach.h" /* monotonic_ns */
#include "capture/file_hook.h"
#include "capture/file_pattern.h"
#include "capture/upload_marks.h"
#include "program/program.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define UPLOAD_NS INT64_C(60000000000)	/* that uploads have at the end */

static struct live_settings both[2];
static struct live_settings *present = &both[0], *next = &both[1];
static struct service_config *present_config, *next_config, *last_config;	/* last: of next, after a turn */
static const char *config_path;
static struct file_hook *hook;
static bool marks_read, marking_failed;

static void
report_hook(const char *path, enum file_hook_result result, const char *why)
{
	switch (result) {
	case HOOK_DONE: program_say("%s: uploaded", path); break;
	case HOOK_FAILED: program_warn("%s: not uploaded yet: %s: %s", path, present->upload, why); break;
	case HOOK_GONE: program_warn("%s: not uploaded: %s", path, why); break;
	case HOOK_LEFT: program_warn("%s: not uploaded: %s", path, why); break;
	}
	if (result == HOOK_DONE || result == HOOK_GONE)
		upload_mark_remove(path);
}

static void
mark(const char *path)
{
	struct stk_error err = { 0 };

	if (upload_mark_set(path, &err) < 0 && !marking_failed)
		program_warn("%s: it is not uploaded if this capture is killed: %s", path, err.text);
	marking_failed = err.code != STK_EOK;
}

static void
upload(void *context, const char *path)
{
	if (present->upload != NULL)
		mark(path);
	file_hook_add(context, path);
}

static void
upload_left(void *context, const char *path)
{
	program_say("%s: left by an earlier capture, to be uploaded", path);
	file_hook_add(context, path);
}

/* The first file tells which of those that an earlier capture left are not written any more. */
static void
begin_file(void *context, const char *path)
{
	const struct file_plan *files = &present->files;
	struct stk_error unused = { 0 };

	if (!marks_read && file_pattern_check(files->name, &unused) == 0)
		upload_marks_each(files->name, files->zone, path, upload_left, context);
	stk_error_clear(&unused);
	marks_read = true;
	mark(path);
}

static void
use_hook(struct live_settings *settings)
{
	if (settings->upload != NULL && hook == NULL)
		file_hook_open(&hook, report_hook);
	settings->hook = hook;
	settings->files.begun = settings->upload != NULL ? begin_file : NULL;
	settings->files.finished = hook != NULL ? upload : NULL;
	settings->files.context = hook;
}

/* Of a pipe there is nothing more to read: it would be waited for, and nothing be captured. */
static bool
can_be_read_again(const char *path)
{
	struct stat status;

	return stat(path, &status) < 0 || S_ISREG(status.st_mode);
}

/* Reads the file of --config once more; false, with a warning, when the capture has to go on as it is. */
static bool
reload(void)
{
	struct stk_error err = { 0 };

	if (!can_be_read_again(config_path)) {
		program_warn("%s: not a file, so it can be read only once; the capture goes on as it was", config_path);
		return false;
	}
	service_notify_reloading();
	if (service_config_open(&next_config, config_path, next, &err) == 0)
		return true;
	program_warn("%s; the capture goes on as it was", err.text);
	service_notify("READY=1");
	return false;
}

static void
turn_to_next(void)
{
	struct live_settings *settings = present;

	service_config_close(last_config);
	last_config = present_config;
	present_config = next_config;
	next_config = NULL;
	present = next;
	next = settings;
	program_say("%s: read again", config_path);
}

/* The capture that was ended for one that cannot begin goes on. */
static void
turn_back(struct stk_error *err)
{
	struct live_settings *settings = present;

	program_warn("%s; the capture goes on as it was", err->text);
	stk_error_clear(err);
	service_config_close(present_config);
	present_config = last_config;
	last_config = NULL;
	present = next;
	next = settings;
}

static void
check_upload(const struct live_settings *settings)
{
	int why = settings->upload != NULL ? file_hook_check(settings->upload, getenv("PATH")) : 0;

	if (why != 0)
		program_warn("--upload %s: %s; files wait until it can be run", settings->upload, strerror(why));
}

/* One capture after another, as often as the file is read again. */
static void
run(struct stk_error *err)
{
	for (;;) {
		bool begun, well;

		use_hook(present);
		check_upload(present);
		present->reload = config_path != NULL ? reload : NULL;
		if (hook != NULL)
			file_hook_program(hook, present->upload);
		well = live_run(present, &begun, err) == 0;
		if (well && next_config != NULL)
			turn_to_next();
		else if (!well && !begun && last_config != NULL)
			turn_back(err);
		else
			break;
	}
	service_notify("STOPPING=1");
	file_hook_close(hook, monotonic_ns() + UPLOAD_NS);
	hook = NULL;
}

static void
end_run(const struct stk_error *err)
{
	if (err->code == STK_EUSAGE)
		program_usage("%s", err->text);
	if (err->code != STK_EOK)
		program_fail("%s", err->text);
}

static void
run_file(const char *path)
{
	struct stk_error err = { 0 };

	if (program_common.output != NULL || program_common.level >= 0)
		program_usage("-o and --level belong into the file of --config, as output and level");
	config_path = path;
	if (service_config_open(&present_config, path, present, &err) < 0)
		program_usage("%s", err.text);
	run(&err);
	live_settings_release(present);
	live_settings_release(next);
	service_config_close(present_config);
	service_config_close(next_config);
	service_config_close(last_config);
	end_run(&err);
}

static void
run_options(const char *zone_name, const char *source, uint64_t plain_names)
{
	struct time_zone *zone = NULL;
	struct stk_error err = { 0 };

	if (time_zone_open(&zone, zone_name, &err) < 0)
		program_usage("--zone: %s", err.text);
	if (program_common.output == NULL && isatty(STDOUT_FILENO))
		program_usage(
			"records are not for a terminal: use -o FILE, or a pipe such as `stkcap --jvm all | stkcat -f text`");
	if (live_options_settle(present, &live_given.set, 1, program_common.output, &err) < 0)
		program_usage("%s", err.text);
	present->source = source;
	present->plain_names = plain_names;
	present->files.level = program_common.level;
	present->files.zone = zone;
	run(&err);
	live_settings_release(present);
	time_zone_close(zone);
	end_run(&err);
}

int
live_command(const char *config, const char *zone_name, const char *source, uint64_t plain_names, int operands)
{
	if (operands > 0)
		program_usage("a live capture reads no files: remove the operands, or --%s",
			      config != NULL ? "config" : "jvm, --native, --python and --exec");
	program_stop_patiently();
	if (config != NULL)
		run_file(config);
	else
		run_options(zone_name, source, plain_names);
	return program_end();
}
