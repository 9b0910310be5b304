/* SPDX-License-Identifier: MIT
 * counted_event: most blocks have samples of one event, whose column has one value. */
#include "counted_event.h"

#include "base/terminal_text.h"
#include "choose/selected_blocks.h"
#include "program/program.h"
#include "report/viewer_samples.h"

#define NAME_MOST 100 /* bytes */

void
counted_event_release(struct counted_event *event)
{
	array_release(&event->name);
	array_release(&event->unit);
}

void
counted_event_turn(struct counted_event *event)
{
	event->last = 0;
}

static void
take_name(struct counted_event *event, struct stk_text name)
{
	if (!event->met)
		add_text(&event->name, name);
	else if (!text_equal(name, text_in(&event->name, 0)))
		event->several = true;
	event->met = true;
}

void
counted_event_add(struct counted_event *event, const struct model *model, const struct sample_columns *columns,
		  const uint32_t *rows, uint32_t count)
{
	uint32_t different = columns->event.mask == 0 && count > 0 ? 1 : count;

	for (uint32_t i = 0; i < different; i++) {
		uint64_t id = sample_value(&columns->event, selected_row(rows, i));

		if (id + 1 == event->last)
			continue;
		event->last = id + 1;
		take_name(event, model_string(model, id));
	}
}

const char *
counted_event_unit(struct counted_event *event, bool plain)
{
	struct stk_text name = text_in(&event->name, 0), type, unit;

	event->unit.count = 0;
	if (!plain && event->several) {
		add_string(&event->unit, "in weight, of several events");
	} else if (plain || name.size == 0 || text_is(name, "none")) {
		add_string(&event->unit, "samples");
	} else {
		viewer_event_type(name, &type, &unit);
		if (text_is(unit, "nanoseconds"))
			unit = text_from("ns");
		if (!text_is(unit, "count")) {
			add_text(&event->unit, unit);
			add_string(&event->unit, " of ");
		}
		add_text(&event->unit, text_of(type.data, type.size > NAME_MOST ? NAME_MOST : type.size));
	}
	event->unit.count = mask_text(event->unit.at, event->unit.count, "");
	add_char(&event->unit, '\0');
	return event->unit.at;
}

void
counted_event_warn(const struct counted_event *event, bool plain)
{
	if (event->several && !plain)
		program_say("samples of several events are added up, whose weights have different units (--samples counts each as 1)");
}
