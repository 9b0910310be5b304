/* SPDX-License-Identifier: MIT
 * event_values: word by word. */
#include "base/event_values.h"

#include "base/bytes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX 64

/* The number at the beginning of a text, and what follows it. */
static bool
read_number(struct stk_text text, double *value, struct stk_text *unit)
{
	char number[NUMBER_MAX];
	size_t size = 0, from = text.size > 0 && (*text.data == '-' || *text.data == '+') ? 1 : 0;

	while (size < text.size && size < sizeof number - 1 && !isspace((unsigned char)text.data[size])) {
		number[size] = text.data[size];
		size++;
	}
	number[size] = '\0';
	if (!isdigit((unsigned char)number[from]) ||
	    (number[from] == '0' && tolower((unsigned char)number[from + 1]) == 'x'))
		return false;
	for (size = from; isdigit((unsigned char)number[size]) || number[size] == '.'; size++)
		;
	if ((number[size] == 'e' || number[size] == 'E') &&
	    isdigit((unsigned char)number[size + 1 + (number[size + 1] == '-' || number[size + 1] == '+')]))
		for (size += 2; isdigit((unsigned char)number[size]); size++)
			;
	*unit = text_of(text.data + size, text.size - size);
	number[size] = '\0';
	*value = strtod(number, NULL);
	return true;
}

static bool
is_unit(struct stk_text text)
{
	for (size_t i = 0; i < text.size; i++) {
		unsigned char c = (unsigned char)text.data[i];

		if (!isalpha(c) && c != '%' && c != '/' && c < 0x80)
			return false;
	}
	return text.size <= 16;
}

/* The next number with a unit, of whatever size. */
static bool
next_number(struct stk_text *text, struct event_value *out)
{
	while (text->size > 0) {
		size_t size = 0;
		struct stk_text word = *text;
		const char *equals;

		while (size < text->size && !isspace((unsigned char)text->data[size]))
			size++;
		word.size = size;
		size += size < text->size;
		*text = text_of(text->data + size, text->size - size);
		equals = word.size == 0 ? NULL : memchr(word.data, '=', word.size);
		if (equals == NULL || equals == word.data)
			continue;
		out->name = text_of(word.data, (size_t)(equals - word.data));
		if (read_number(text_of(equals + 1, word.size - out->name.size - 1), &out->value, &out->unit) &&
		    is_unit(out->unit))
			return true;
	}
	return false;
}

bool
event_value_next(struct stk_text *text, struct event_value *out)
{
	while (next_number(text, out))
		if (stk_measure_is_believed(out->value))
			return true;
	return false;
}

unsigned
event_values_too_large(struct stk_text text)
{
	struct event_value value;
	unsigned count = 0;

	while (next_number(&text, &value))
		count += !stk_measure_is_believed(value.value);
	return count;
}
