/* SPDX-License-Identifier: MIT
 * size_text: sizes and parts of a whole as people read them, on each bound where their form changes. */
#include "../lib/tap.h"

#include "report/table.h"

static void
is_size(uint64_t bytes, const char *wanted)
{
	struct text_buffer to = { 0 };

	add_size(&to, bytes);
	add_char(&to, '\0');
	is_text(to.at, wanted, "%llu bytes", (unsigned long long)bytes);
	array_release(&to);
}

static void
is_share(double part, double whole, const char *wanted)
{
	struct text_buffer to = { 0 };

	add_share(&to, part, whole);
	add_char(&to, '\0');
	is_text(to.at, wanted, "%g of %g", part, whole);
	array_release(&to);
}

int
main(void)
{
	is_size(0, "0 B");
	is_size(999, "999 B");
	is_size(1000, "1.00 kB");
	is_size(9994, "9.99 kB");
	is_size(9995, "10.0 kB");
	is_size(99949, "99.9 kB");
	is_size(99950, "100 kB");
	is_size(999499, "999 kB");
	is_size(999500, "1.00 MB");
	is_size(999500000, "1.00 GB");
	is_size(999500000000000000, "1.00 EB");
	is_size(UINT64_MAX, "18.4 EB");
	is_share(0, 10, "0%");
	is_share(1, 0, "<0.1%");
	is_share(1, 1000, "0.1%");
	is_share(1, 3, "33.3%");
	is_share(1, 100000, "<0.1%");
	is_share(10, 10, "100.0%");
	return tap_end();
}
