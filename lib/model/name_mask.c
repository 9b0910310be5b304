/* SPDX-License-Identifier: MIT
 * name_mask: a text is cut into words and what is between them. Which words are replaced depends on the pattern that
 * matches: of a function or class all, elsewhere those of the name that was found. */
#include "model/name_mask.h"

#include "base/memory.h"
#include "base/text_table.h"

#include <stdlib.h>

#define PATTERNS_MAX     256
#define PATTERN_SIZE_MAX 4096
#define NUMBER_DIGITS    6		/* of a pool's number; a longer one is a name */
#define NOWHERE          SIZE_MAX

enum step_kind { STEP_BYTE, STEP_WITHIN, STEP_ANY };	/* a character, *, ** */

struct step { enum step_kind kind; char byte; };

struct mask_pattern {
	struct stk_text text;		/* as it was written */
	enum mask_role role;
	bool everything;		/* all roles */
	bool used;
	ARRAY(struct step) steps;
};

struct name_mask {
	char *patterns_text;
	struct mask_key *key;
	ARRAY(struct mask_pattern) patterns;
	bool wide;			/* some are not of names alone */
	ARRAY(size_t) from, next;	/* of a match: by step, where the name began that it is in */
	struct text_table odd;		/* words left as they are that look like tokens */
	struct text_table left;		/* texts left as they are, but functions */
};

/* --- characters --- */

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Of a word: everything that is not ASCII is, also what is not UTF-8. */
static bool
is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || (unsigned char)c >= 0x80;
}

/* Between the words of one name. */
static bool
is_joint(char c)
{
	return c == '.' || c == '/' || c == '$' || c == ':';
}

/* --- words that stay --- */

static const char *const platform[] = { "java.", "javax.", "jdk.", "sun.", "com.sun.", "java/", "javax/", "jdk/", "sun/",
					"com/sun/", NULL };

bool
is_platform_name(struct stk_text name)
{
	if (name.size > 1 && name.data[0] == 'L' && memchr(name.data, '/', name.size) != NULL)
		name = text_of(name.data + 1, name.size - 1);		/* a signature */
	for (unsigned i = 0; platform[i] != NULL; i++)
		if (text_starts(name, platform[i]))
			return true;
	return false;
}

/* Words of the languages and of their compilers, which say what a frame is. */
static bool
is_common_word(struct stk_text word)
{
	static const char *const words[] = {
		"init", "clinit", "lambda", "Lambda", "access", "new", "static", "const", "int", "char", "void", "long",
		"short", "byte", "boolean", "bool", "float", "double", "unsigned", "operator", "class", "struct", "std",
		"anonymous", "namespace", "unknown", "Proxy", "SpringCGLIB", "EnhancerBySpringCGLIB",
		"FastClassBySpringCGLIB", "ByteBuddy", "HibernateProxy", "java", "kt", "scala", "groovy", "clj", "py",
		"c", "cc", "cpp", "h", "hpp", "go", "rs", "js", "ts", "so", "jar", "stk", "txt", "log", "gz", NULL
	};

	for (unsigned i = 0; words[i] != NULL; i++)
		if (text_is(word, words[i]))
			return true;
	return false;
}

/* Threads of the virtual machine and of its library: the beginnings of their names. */
static bool
is_platform_thread(struct stk_text name)
{
	static const char *const whole[] = { "main", "Finalizer", "Reference Handler", "Signal Dispatcher", "DestroyJavaVM",
					     "Attach Listener", "Service Thread", "Common-Cleaner", "VM Thread",
					     "VM Periodic Task Thread", "Notification Thread", "Sweeper thread",
					     "Monitor Deflation Thread", "Read-Poller", "Write-Poller", NULL };
	static const char *const begins[] = { "GC Thread#", "G1 ", "ParGC", "Gang worker", "CMS ", "ZWorker", "ZDirector",
					      "ZDriver", "ZStat", "ZUnmapper", "ZUncommitter", "Shenandoah", "Parallel GC",
					      "Concurrent Mark-Sweep", "C1 CompilerThread", "C2 CompilerThread", "JVMCI",
					      "Surrogate Locker", "StringDedup", "JFR ", "VM JFR", "Thread-", "pool-",
					      "ForkJoinPool", "RMI ", "JMX ", "VirtualThread-", "Timer-", NULL };

	for (unsigned i = 0; whole[i] != NULL; i++)
		if (text_is(name, whole[i]))
			return true;
	for (unsigned i = 0; begins[i] != NULL; i++) {
		if (!text_starts(name, begins[i]))
			continue;
		/* what people append to such a name is theirs */
		for (size_t at = strlen(begins[i]); at < name.size; at++)
			if ((text_is(text_from(begins[i]), "Thread-") || text_is(text_from(begins[i]), "pool-") ||
			     text_is(text_from(begins[i]), "Timer-")) &&
			    !is_digit(name.data[at]) && !text_starts(text_of(name.data + at, name.size - at), "-thread-") &&
			    memchr("-thread", name.data[at], 7) == NULL)
				return false;
		return true;
	}
	return false;
}

/* Metrics that stkcap makes, by whose names tables know their units, and counters of processors. */
static bool
is_platform_metric(struct stk_text name)
{
	static const char *const whole[] = { "old.used", "gc", "inside", "vm-internal", "outside", "idle", "missed",
					     "expected", NULL };
	static const char *const begins[] = { "heap.", "metaspace.", "gc.", "capture.", "ticks.", NULL };

	for (unsigned i = 0; whole[i] != NULL; i++)
		if (text_is(name, whole[i]))
			return true;
	for (unsigned i = 0; begins[i] != NULL; i++)
		if (text_starts(name, begins[i]))
			return true;
	return false;
}

/* --- patterns --- */

static const char *const roles[] = { "name", "thread", "host", "process", "source", "path", "metric", NULL };

static int
bad_pattern(struct stk_text text, const char *what, struct stk_error *err)
{
	return stk_fail(err, STK_EUSAGE,
			"--mask %.*s: %s (expected a name such as com.acme.**, or WHAT: with a name or without; WHAT is name, thread, host, process, source, path, metric or all)",
			(int)(text.size > 60 ? 60 : text.size), text.data, what);
}

/* "thread:" before a pattern; a colon elsewhere belongs to a name such as acme::Cart. */
static int
take_role(struct mask_pattern *pattern, struct stk_text *glob, struct stk_error *err)
{
	const char *colon = glob->size == 0 ? NULL : memchr(glob->data, ':', glob->size);
	struct stk_text word = text_of(glob->data, colon == NULL ? 0 : (size_t)(colon - glob->data));

	if (colon == NULL || (word.size + 1 < glob->size && colon[1] == ':'))
		return 0;
	pattern->everything = text_is(word, "all");
	for (unsigned i = 0; roles[i] != NULL; i++)
		if (text_is(word, roles[i]))
			pattern->role = (enum mask_role)i;
	if (!pattern->everything && !text_is(word, roles[pattern->role]))
		return bad_pattern(pattern->text, "unknown word before the colon", err);
	*glob = text_of(colon + 1, glob->size - word.size - 1);
	return 0;
}

static int
take_pattern(struct name_mask *mask, struct stk_text text, struct stk_error *err)
{
	struct mask_pattern *pattern = array_push(&mask->patterns);
	struct stk_text glob = text;

	*pattern = (struct mask_pattern){ .text = text };
	if (text.size == 0)
		return bad_pattern(text, "empty pattern", err);
	if (text.size > PATTERN_SIZE_MAX || mask->patterns.count > PATTERNS_MAX)
		return bad_pattern(text, "too long a pattern, or too many", err);
	if (take_role(pattern, &glob, err) < 0)
		return -1;
	for (size_t i = 0; i < glob.size; i++) {
		bool star = glob.data[i] == '*', two = star && i + 1 < glob.size && glob.data[i + 1] == '*';

		if (glob.data[i] == '\\' && i + 1 == glob.size)
			return bad_pattern(text, "nothing follows the backslash", err);
		i += glob.data[i] == '\\' || two;
		*array_push(&pattern->steps) =
			(struct step){ two ? STEP_ANY : star ? STEP_WITHIN : STEP_BYTE, glob.data[i] };
	}
	pattern->used = glob.size == 0;		/* there may be none of that sort */
	if (glob.size == 0)
		*array_push(&pattern->steps) = (struct step){ STEP_ANY, '*' };
	mask->wide |= pattern->everything || pattern->role != MASK_NAME;
	return 0;
}

int
name_mask_open(struct name_mask **out, const char *patterns, struct mask_key *key, struct stk_error *err)
{
	struct name_mask *mask = *out = mem_new(1, sizeof *mask);
	const char *from;
	size_t at = 0;

	mask->key = key;
	mask->patterns_text = mem_new(strlen(patterns) + 1, 1);
	memcpy(mask->patterns_text, patterns, strlen(patterns) + 1);
	for (from = mask->patterns_text;; at++) {
		char c = mask->patterns_text[at];

		if (c == '\\' && mask->patterns_text[at + 1] != '\0') {
			at++;
			continue;
		}
		if (c != ',' && c != '\0')
			continue;
		if (take_pattern(mask, text_of(from, (size_t)(mask->patterns_text + at - from)), err) < 0) {
			name_mask_close(mask);
			*out = NULL;
			return -1;
		}
		if (c == '\0')
			return 0;
		from = mask->patterns_text + at + 1;
	}
}

void
name_mask_close(struct name_mask *mask)
{
	if (mask == NULL)
		return;
	for (size_t i = 0; i < mask->patterns.count; i++)
		array_release(&mask->patterns.at[i].steps);
	array_release(&mask->patterns);
	array_release(&mask->from);
	array_release(&mask->next);
	text_table_release(&mask->odd);
	text_table_release(&mask->left);
	free(mask->patterns_text);
	free(mask);
}

bool
name_mask_unused(const struct name_mask *mask, unsigned *at, struct stk_text *pattern)
{
	while (*at < mask->patterns.count)
		if (!mask->patterns.at[(*at)++].used) {
			*pattern = mask->patterns.at[*at - 1].text;
			return true;
		}
	return false;
}

bool
name_mask_clash(const struct name_mask *mask, struct stk_text *word)
{
	struct stk_text name;

	for (uint32_t n = 1; n <= mask->odd.texts.count; n++)
		if (mask_key_name(mask->key, text_table_text(&mask->odd, n), &name)) {
			*word = text_table_text(&mask->odd, n);
			return true;
		}
	return false;
}

/* Whether a number is of four or more with dots between, as an address of a network: that is a name. */
static bool
is_dotted(struct stk_text text, size_t from, size_t to)
{
	unsigned numbers = 1;

	for (size_t at = from; numbers < 4 && at > 1 && text.data[at - 1] == '.' && is_digit(text.data[at - 2]);
	     numbers++)
		for (at--; at > 0 && is_digit(text.data[at - 1]); at--)
			continue;
	for (size_t at = to; numbers < 4 && at + 1 < text.size && text.data[at] == '.' && is_digit(text.data[at + 1]);
	     numbers++)
		for (at++; at < text.size && is_digit(text.data[at]); at++)
			continue;
	return numbers >= 4;
}

/* The word of a text without the number at its end, which stays. */
static size_t
word_stem(struct stk_text text, size_t from, size_t to)
{
	size_t stem = to;

	while (stem > from && is_digit(text.data[stem - 1]))
		stem--;
	return to - stem > NUMBER_DIGITS || (stem == from && is_dotted(text, from, to)) ? to : stem;
}

#define LEAK_SIZE_LEAST 4		/* shorter words are in many texts */

static struct stk_text
lowered(struct text_buffer *to, struct stk_text word)
{
	to->count = 0;
	for (size_t i = 0; i < word.size; i++)
		add_char(to, word.data[i] >= 'A' && word.data[i] <= 'Z' ? (char)(word.data[i] + 32) : word.data[i]);
	return text_in(to, 0);
}

/* The first word of a text that is one of a table; false: none is. */
static bool
find_word(const struct text_table *words, struct stk_text text, struct text_buffer *scratch, struct stk_text *word)
{
	for (size_t at = 0, end; at < text.size; at = end) {
		for (end = at; end < text.size && is_word_byte(text.data[end]); end++)
			continue;
		*word = text_of(text.data + at, word_stem(text, at, end) - at);
		if (word->size >= LEAK_SIZE_LEAST && text_table_find(words, lowered(scratch, *word)) != 0)
			return true;
		end += end == at;
	}
	return false;
}

size_t
name_mask_leaks(struct name_mask *mask, struct stk_text *word, struct stk_text *text)
{
	struct text_table words = { 0 };
	struct text_buffer scratch = { 0 };
	struct stk_text found;
	size_t leaks = 0;

	for (uint32_t n = 1; n <= mask_key_names(mask->key); n++)
		text_table_number(&words, lowered(&scratch, mask_key_name_of(mask->key, n)));
	for (uint32_t n = 1; n <= mask->left.texts.count; n++)
		if (find_word(&words, text_table_text(&mask->left, n), &scratch, &found) && leaks++ == 0) {
			*word = found;
			*text = text_table_text(&mask->left, n);
		}
	array_release(&scratch);
	text_table_release(&words);
	return leaks;
}

/* --- matching --- */

static void
reach(size_t *states, size_t state, size_t from)
{
	if (from < states[state])
		states[state] = from;
}

/* Where stars can match nothing, the state after them is reached as well. */
static void
pass_stars(const struct mask_pattern *pattern, size_t *states)
{
	for (size_t s = 0; s < pattern->steps.count; s++)
		if (pattern->steps.at[s].kind != STEP_BYTE)
			reach(states, s + 1, states[s]);
}

static bool
is_end(struct stk_text name, size_t at)
{
	return at == name.size || !is_word_byte(name.data[at]) || is_joint(name.data[at]);
}

/* A slash in a name is a dot of a pattern: com/acme/Cart. */
static bool
is_same_byte(char pattern, char c)
{
	return pattern == c || (pattern == '.' && c == '/');
}

/* The first place in a name from which on a pattern matches up to the end of a word; whole: only the beginning.
 * NOWHERE: none. In all: name.size times steps. */
static size_t
find_match(struct name_mask *mask, const struct mask_pattern *pattern, struct stk_text name, bool whole)
{
	size_t count = pattern->steps.count + 1, best = NOWHERE;
	size_t *states, *next;

	array_lengthen(&mask->from, count);
	array_lengthen(&mask->next, count);
	states = mask->from.at;
	next = mask->next.at;
	for (size_t s = 0; s < count; s++)
		states[s] = NOWHERE;
	for (size_t at = 0; at <= name.size; at++) {
		bool begins = at == 0 || (!whole && is_word_byte(name.data[at - 1]) == false) ||
			      (!whole && at == 1 && name.data[0] == 'L');

		if (begins)
			reach(states, 0, at);
		pass_stars(pattern, states);
		if (states[count - 1] < best && states[count - 1] < at && is_end(name, at))
			best = states[count - 1];
		if (at == name.size)
			break;
		for (size_t s = 0; s < count; s++)
			next[s] = NOWHERE;
		for (size_t s = 0; s + 1 < count; s++) {
			const struct step *step = &pattern->steps.at[s];

			if (step->kind == STEP_BYTE && is_same_byte(step->byte, name.data[at]))
				reach(next, s + 1, states[s]);
			if (step->kind == STEP_ANY || (step->kind == STEP_WITHIN && !is_joint(name.data[at])))
				reach(next, s, states[s]);
		}
		memcpy(states, next, count * sizeof *states);
	}
	return best;
}

/* --- words --- */

/* 0x7f3b7c006240, and what generators append: $$ab12cd34. */
static bool
is_generated_number(struct stk_text text, size_t from, size_t to)
{
	bool prefixed = to - from > 2 && text.data[from] == '0' && text.data[from + 1] == 'x', digit = prefixed;

	for (size_t i = from + (prefixed ? 2 : 0); i < to; i++) {
		char c = text.data[i];

		if (!is_digit(c) && (c < 'a' || c > 'f'))
			return false;
		digit |= is_digit(c);
	}
	return digit && (prefixed || (from > 1 && text.data[from - 1] == '$' && text.data[from - 2] == '$' &&
				      to - from > 3));
}

/* A name that was masked before, with the number that stayed at its end. */
static bool
is_known_token(const struct name_mask *mask, struct stk_text text, size_t from, size_t to)
{
	struct stk_text name;

	return mask_key_name(mask->key, text_of(text.data + from, word_stem(text, from, to) - from), &name);
}

/* The first word of a name that says which registry of names it is from, as com does. */
static bool
is_registry(struct stk_text text, size_t from, size_t to)
{
	static const char *const words[] = { "com", "org", "net", "io", "de", "me", "edu", "dev", "scala", "kotlin",
					     "groovy", "clojure", "akka", "play", "reactor", "rx", NULL };

	if ((from > 0 && (is_joint(text.data[from - 1]) ||
			  (is_word_byte(text.data[from - 1]) && text.data[from - 1] != 'L'))) || to == text.size ||
	    (text.data[to] != '.' && text.data[to] != '/'))
		return false;
	for (unsigned i = 0; words[i] != NULL; i++)
		if (text_is(text_of(text.data + from, to - from), words[i]))
			return true;
	return false;
}

static int
add_word(struct name_mask *mask, struct stk_text text, size_t from, size_t to, bool numbers, struct text_buffer *out,
	 struct stk_error *err)
{
	size_t stem = numbers || is_known_token(mask, text, from, to) ? word_stem(text, from, to) : to;
	struct stk_text word = text_of(text.data + from, stem - from), name;
	char token[MASK_TOKEN_SIZE];

	if (word.size == 0 || (numbers && is_common_word(word)) || (numbers && is_registry(text, from, to)) ||
	    (numbers && is_generated_number(text, from, to)) ||
	    mask_key_name(mask->key, word, &name)) {
		add_bytes(out, text.data + from, to - from);
		return 0;
	}
	if (mask_key_token(mask->key, word, token, err) < 0)
		return -1;
	add_bytes(out, token, sizeof token);
	add_bytes(out, text.data + stem, to - stem);
	return 1;
}

static void
note_odd_words(struct name_mask *mask, struct stk_text text)
{
	for (size_t at = 0, end; at < text.size; at = end) {
		for (end = at; end < text.size && is_word_byte(text.data[end]); end++)
			continue;
		if (end == at) {
			end++;
			continue;
		}
		struct stk_text word = text_of(text.data + at, word_stem(text, at, end) - at), name;

		if (mask_is_token(word) && !mask_key_name(mask->key, word, &name))
			text_table_number(&mask->odd, word);
	}
}

/* Whether the L before a class is that of a signature: [Lcom.acme.Cart; or Lcom/acme/Cart. */
static bool
is_signature(struct stk_text text, size_t at, size_t end)
{
	return text.data[at] == 'L' && end - at > 1 &&
	       ((at > 0 && text.data[at - 1] == '[') || memchr(text.data + at, '/', end - at) != NULL);
}

/* Adds a text whose words are masked; names of the platform in it stay where `keep` says so. */
static int
add_words(struct name_mask *mask, struct stk_text text, bool keep, bool numbers, struct text_buffer *to,
	  struct stk_error *err)
{
	int masked = 0;

	for (size_t at = 0, end; at < text.size; at = end) {
		for (end = at; end < text.size && (is_word_byte(text.data[end]) || is_joint(text.data[end])); end++)
			continue;
		if (end == at) {
			add_char(to, text.data[end++]);
			continue;
		}
		if (keep && is_platform_name(text_of(text.data + at, end - at))) {
			add_bytes(to, text.data + at, end - at);
			continue;
		}
		if (is_signature(text, at, end))
			add_char(to, text.data[at++]);
		for (size_t from = at, stop; from < end; from = stop) {
			int one;

			for (stop = from; stop < end && is_word_byte(text.data[stop]); stop++)
				continue;
			if (stop == from) {
				add_char(to, text.data[stop++]);
				continue;
			}
			one = add_word(mask, text, from, stop, numbers, to, err);
			if (one < 0)
				return -1;
			masked |= one;
		}
	}
	return masked;
}

/* Where in a name a pattern of names matches first. */
static size_t
find_name(struct name_mask *mask, struct stk_text name)
{
	size_t best = NOWHERE;

	for (size_t i = 0; i < mask->patterns.count; i++) {
		struct mask_pattern *pattern = &mask->patterns.at[i];
		size_t from;

		if (pattern->everything || pattern->role != MASK_NAME)
			continue;
		from = find_match(mask, pattern, name, false);
		pattern->used |= from != NOWHERE;
		best = from < best ? from : best;
	}
	return best;
}

/* Adds a text in which names are masked, each from where it matches to its end. */
static int
add_names(struct name_mask *mask, struct stk_text text, struct text_buffer *to, struct stk_error *err)
{
	int masked = 0;

	for (size_t at = 0, end; at < text.size; at = end) {
		size_t from;
		int one;

		for (end = at; end < text.size && (is_word_byte(text.data[end]) || is_joint(text.data[end])); end++)
			continue;
		if (end == at) {
			add_char(to, text.data[end++]);
			continue;
		}
		from = find_name(mask, text_of(text.data + at, end - at));
		from = from == NOWHERE ? end : at + from;
		note_odd_words(mask, text_of(text.data + at, from - at));
		add_bytes(to, text.data + at, from - at);
		one = add_words(mask, text_of(text.data + from, end - from), false, true, to, err);
		if (one < 0)
			return -1;
		masked |= one;
	}
	return masked;
}

static bool
has_name(struct name_mask *mask, struct stk_text text)
{
	for (size_t at = 0, end; at < text.size; at = end) {
		for (end = at; end < text.size && (is_word_byte(text.data[end]) || is_joint(text.data[end])); end++)
			continue;
		if (end == at)
			end++;
		else if (find_name(mask, text_of(text.data + at, end - at)) != NOWHERE)
			return true;
	}
	return false;
}

/* Whether a pattern of a role matches a text from its beginning. */
static bool
matches_role(struct name_mask *mask, enum mask_role role, struct stk_text text)
{
	bool matches = false;

	for (size_t i = 0; i < mask->patterns.count && text.size > 0; i++) {
		struct mask_pattern *pattern = &mask->patterns.at[i];

		if (!pattern->everything && (pattern->role != role || role == MASK_NAME))
			continue;
		if (find_match(mask, pattern, text, true) == NOWHERE)
			continue;
		pattern->used = true;
		matches = true;
	}
	return matches;
}

/* Of these the numbers are parts of names: addresses, versions, dates. */
static bool
keeps_numbers(enum mask_role role)
{
	return role != MASK_HOST && role != MASK_REMARK;
}

/* What no pattern of its role matches: names in it are masked. */
static int
add_rest(struct name_mask *mask, enum mask_role role, struct stk_text text, struct text_buffer *to,
	 struct stk_error *err)
{
	int masked = add_names(mask, text, to, err);

	if (masked == 0 && role != MASK_NAME && role != MASK_TEXT && role != MASK_PATH && !is_platform_thread(text) &&
	    !is_platform_metric(text))
		text_table_number(&mask->left, text);
	return masked;
}

int
name_mask_text(struct name_mask *mask, enum mask_role role, struct stk_text text, struct text_buffer *to,
	       struct stk_error *err)
{
	bool numbers = keeps_numbers(role);

	switch (role) {
	case MASK_NAME:
		if (has_name(mask, text) || (!is_platform_name(text) && matches_role(mask, role, text)))
			return add_words(mask, text, true, numbers, to, err);
		break;
	case MASK_BESIDE:
		return add_words(mask, text, true, numbers, to, err);
	case MASK_REMARK:
		if (mask->wide)
			return add_words(mask, text, true, numbers, to, err);
		break;
	case MASK_THREAD:
		if (!is_platform_thread(text) && matches_role(mask, role, text))
			return add_words(mask, text, true, numbers, to, err);
		break;
	case MASK_METRIC:
		if (!is_platform_metric(text) && matches_role(mask, role, text))
			return add_words(mask, text, true, numbers, to, err);
		break;
	case MASK_TEXT: case MASK_ROLES:
		break;
	default:
		if (matches_role(mask, role, text))
			return add_words(mask, text, true, numbers, to, err);
	}
	return add_rest(mask, role, text, to, err);
}

/* --- the way back --- */

bool
name_unmask_text(const struct mask_key *key, struct stk_text text, struct text_buffer *to)
{
	bool any = false;

	for (size_t at = 0, end; at < text.size; at = end) {
		struct stk_text name;
		size_t stem;

		for (end = at; end < text.size && is_word_byte(text.data[end]); end++)
			continue;
		if (end == at) {
			add_char(to, text.data[end++]);
			continue;
		}
		stem = end - at > MASK_TOKEN_SIZE ? at + MASK_TOKEN_SIZE : end;
		for (size_t i = stem; i < end; i++)
			stem = is_digit(text.data[i]) ? stem : end;
		if (mask_key_name(key, text_of(text.data + at, stem - at), &name)) {
			add_text(to, name);
			any = true;
		} else {
			add_bytes(to, text.data + at, stem - at);
		}
		add_bytes(to, text.data + stem, end - stem);
	}
	return any;
}
