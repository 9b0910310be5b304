/* SPDX-License-Identifier: MIT
 * scheme: groups of frames as an expert wrote them down in YAML; schemes/README.md describes the language. */
#ifndef GROUP_SCHEME_H
#define GROUP_SCHEME_H

#include "base/array.h"
#include "base/config_text.h"
#include "base/hash_map.h"
#include "base/text_buffer.h"
#include "group/name_automaton.h"

#include <stdbool.h>

enum member_part { PART_METHOD, PART_MODULE, PART_FILE, MEMBER_PARTS };

/* The module of the frame that represents a thread without a stack; the frame has the thread's name. */
#define MODULE_OF_THREADS "[thread]"

/* The module of the frame on top of the stack of a thread, for schemes that ask for states; the frame has the state's
 * name. */
#define MODULE_OF_STATES "[state]"

/* What text formats write in place of the module of an inlined frame, which is in that of the nearest frame towards
 * the root that is not inlined. */
#define MODULE_OF_INLINED "inlined"

/* A condition on other frames of the stack: an atom of methods. */
/* the next frame towards the root, the leaf; any frame there */
enum context { CONTEXT_CALLER, CONTEXT_CALLEE, CONTEXT_UNDER, CONTEXT_OVER, CONTEXTS };

/* Patterns of which any may match: of one part. */
struct atom { enum member_part part; ARRAY(uint32_t) patterns; };

/* The group of members that say which frames are of libraries: such a frame belongs to no group. */
#define OF_LIBRARIES 0

struct scheme_member {
	uint32_t group;			/* number from 1 on, or OF_LIBRARIES */
	uint32_t file, line;		/* its place in the file */
	struct atom parts[MEMBER_PARTS];	/* without patterns: not checked */
	struct atom contexts[CONTEXTS];
	/* a sequence of methods from the root to the leaf; then parts are those of its last frame */
	ARRAY(struct atom) before;	/* of the frames before the last */
	ARRAY(bool) gap;		/* any frames may follow frame n of these */
};

struct scheme_group {
	struct stk_text name, path;	/* path: "parent/child" */
	uint32_t parent;		/* 0 none */
	uint32_t file, line, column;
	int64_t priority;
	bool exclusive;			/* siblings: of several at one frame the first in the file takes it */
	struct stk_text colour, description, owner;
	struct stk_text start, stop, point;	/* events; patterns of names */
	uint32_t members;		/* how many */
};

struct scheme_include { struct stk_text name, source; };	/* as its file was named, and its text */

struct scheme_example { struct stk_text stack, group; uint32_t file, line; };

struct scheme {
	struct stk_text name, description, owner;
	ARRAY(struct scheme_group) groups;	/* group n at n - 1; parents before their children */
	ARRAY(struct scheme_member) members;
	ARRAY(struct scheme_example) examples;
	ARRAY(struct stk_text) files;		/* read: the first is the scheme's own */
	struct name_automaton *names[MEMBER_PARTS];
	struct name_automaton *events;
	bool asks_states;			/* a member is a state */
	bool asks_threads;			/* a member is a thread without a stack */
	struct stk_text source;			/* of the first file */
	ARRAY(struct scheme_include) includes;	/* of all files, but those whose text the first one carries */
	ARRAY(struct config *) configs;		/* own the texts */
	struct arena *texts;
	struct hash_map by_name;	/* groups, by parent and name */
};

/* Finds the file of an included scheme, beside `from` or by name: malloc'ed, NULL when there is none. */
typedef char *scheme_find_function(void *context, const char *name, const char *from);

/* -1 with *err: "FILE:LINE:COLUMN: what is wrong, what was expected". find may be NULL: nothing is included then. */
int  scheme_read_file(struct scheme **out, const char *path, scheme_find_function *find, void *context,
		      struct stk_error *err) STK_MUST_CHECK;
/* The same from a text, such as one embedded in a stream; name says where it is from. */
int  scheme_read_text(struct scheme **out, const char *name, struct stk_text text, scheme_find_function *find,
		      void *context, struct stk_error *err) STK_MUST_CHECK;
void scheme_close(struct scheme *scheme);

/* The text of the scheme with those of the files that it includes, under the key included: it can be read where these
 * files are not. -1 with *err: two of them have one name. */
int scheme_whole_text(const struct scheme *scheme, struct text_buffer *to, struct stk_error *err) STK_MUST_CHECK;

/* The group of a path; 0 when there is none. */
uint32_t scheme_group_of_path(const struct scheme *scheme, struct stk_text path);
/* Whether a group is another one or is below it. */
bool scheme_is_below(const struct scheme *scheme, uint32_t group, uint32_t above);

#endif
