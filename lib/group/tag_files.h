/* SPDX-License-Identifier: MIT
 * tag_files: schemes of other tools to YAML and back: .stacktags of Windows Performance Analyzer, categorisation files
 * of SJK. */
#ifndef GROUP_TAG_FILES_H
#define GROUP_TAG_FILES_H

#include "base/text_buffer.h"
#include "group/remarks.h"
#include "group/scheme.h"

enum tag_form { TAG_FORM_STACKTAGS, TAG_FORM_CATEGORIES };	/* XML; a line a category, name=pattern */

/* The form of a file by the end of its name: .stacktags, or categories. */
enum tag_form tag_form_of_path(const char *path);

/* Adds the scheme of a text, in YAML. What our YAML cannot express is reported as a remark. path: for messages. -1 with
 * *err: the text is broken, or STACKTAGS in a build without expat. */
int tag_text_import(enum tag_form form, const char *path, struct stk_text text, struct text_buffer *to,
		    const struct remarks *remarks, struct stk_error *err) STK_MUST_CHECK;

/* The same for a file, of up to CONFIG_BYTES_MOST bytes, in the form of its name. */
int tag_file_import(const char *path, struct text_buffer *to, const struct remarks *remarks,
		    struct stk_error *err) STK_MUST_CHECK;

/* Adds the scheme in another form. Returns how many members that form cannot express; each is reported as a remark. */
unsigned tag_file_export(const struct scheme *scheme, enum tag_form form, struct text_buffer *to,
			 const struct remarks *remarks);

#endif
