/* SPDX-License-Identifier: MIT
 * fitted_zone: what --zone fit found, and how certain that is. */
#include "series_text.h"

#include "base/host.h"

#include <stdlib.h>

void
add_fitted_zone(const struct series *series, struct text_buffer *to)
{
	const struct zone_fit *fit = &series->fit;
	int minutes = abs(fit->shift_s) / 60;

	if (fit->zone == NULL) {
		add_format(to, "a zone of %c%02d:%02d from UTC", fit->shift_s < 0 ? '-' : '+', minutes / 60,
			   minutes % 60);
		if (fit->unsure)
			add_format(to, "; clocks that were changed on the way, such as those of %s, fit about as well",
				   fit->name);
	} else {
		add_format(to, "the zone %s", fit->name);
		if (fit->alike > 1)
			add_format(to, ", one of %u whose clocks were the same in this time", fit->alike);
		if (fit->rivals > 0)
			add_format(to, "; %u other kind%s of clocks fit%s about as well", fit->rivals,
				   fit->rivals == 1 ? "" : "s", fit->rivals == 1 ? "s" : "");
	}
	if (fit->unlisted)
		add_format(to, "; zones whose clocks change were not tried: cannot read %s/zone1970.tab",
			   host_zone_folder());
	else if (fit->missing > 0)
		add_format(to, "; %u zone%s of %s/zone1970.tab cannot be read and %s not tried", fit->missing,
			   fit->missing == 1 ? "" : "s", host_zone_folder(), fit->missing == 1 ? "was" : "were");
	if (fit->doubts > 0)
		add_format(to, "; not certain: %u other offset%s fit%s about as well", fit->doubts,
			   fit->doubts == 1 ? "" : "s", fit->doubts == 1 ? "s" : "");
}
