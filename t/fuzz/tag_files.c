/* SPDX-License-Identifier: MIT
 * Any bytes as a scheme of another tool ('<' begins XML): importing ends without a crash, and so does exporting what
 * came of it, if it is a scheme. */
#include "base/bytes.h"
#include "group/tag_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
hear(void *context, enum remark_weight weight, struct stk_text file, unsigned long line, const char *text)
{
	(void)context;
	(void)weight;
	(void)file;
	(void)line;
	(void)text;
}

static const struct remarks remarks = { hear, NULL };

static void
export_again(struct stk_text yaml)
{
	struct text_buffer out = { 0 };
	struct scheme *scheme;
	struct stk_error err = { 0 };

	if (scheme_read_text(&scheme, "fuzz.yaml", yaml, NULL, NULL, &err) < 0) {
		stk_error_clear(&err);
		return;
	}
	(void)tag_file_export(scheme, TAG_FORM_STACKTAGS, &out, &remarks);
	(void)tag_file_export(scheme, TAG_FORM_CATEGORIES, &out, &remarks);
	scheme_close(scheme);
	array_release(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum tag_form form = size > 0 && *data == '<' ? TAG_FORM_STACKTAGS : TAG_FORM_CATEGORIES;
	struct text_buffer yaml = { 0 };
	struct stk_error err = { 0 };

	if (size > 4096)
		return 0;
	if (tag_text_import(form, "fuzz", text_of((const char *)data, size), &yaml, &remarks, &err) == 0)
		export_again(text_in(&yaml, 0));
	stk_error_clear(&err);
	array_release(&yaml);
	return 0;
}
