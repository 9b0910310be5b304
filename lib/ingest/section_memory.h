/* SPDX-License-Identifier: MIT
 * section_memory: recognises what a thread's section of a dump has in common with that of the dump before: the header
 * except its times, and the stack. It makes scanning faster and never changes what is found: everything recalled is
 * compared with the current text. */
#ifndef INGEST_SECTION_MEMORY_H
#define INGEST_SECTION_MEMORY_H

#include "ingest/ingest.h"
#include "ingest/thread_header.h"

struct section_memory;		/* plain memory: free() gives it back */
struct known_section;

struct section_memory *section_memory_new(void);

/* The slot for a section that begins like this one. `end` ends the text. NULL: too near the end to be worth it. */
struct known_section *section_memory_find(struct section_memory *memory, const char *from, const char *end);

/* Reads the header at `from` when it is the known one except cpu=, elapsed= and the condition. False: not known, read
 * it with thread_header_read. */
bool known_header(const struct known_section *known, struct thread_header *header, const char *from, const char *end);

/* The stack below a header when it is the known one, followed by another section: its text and hash, where the next
 * section begins, and the newlines on the way there from the header's start. */
bool known_stack(const struct known_section *known, const struct thread_header *header, const char *end,
		 struct stk_text *stack, struct text_hash *hash, const char **next, uint32_t *lines);

/* Remember a header that was read from `from`, and the stack that was found below it, when the next section begins at
 * `next`, `lines` newlines from the header's start. */
void known_learn_header(struct known_section *known, const char *from, const struct thread_header *header);
void known_learn_stack(struct known_section *known, const struct thread_header *header,
		       const struct found_sample *sample, const char *next, uint32_t lines);

#endif
