// SPDX-License-Identifier: MIT
// chart_data: what lib/plot/chart_page.c wrote: panels with lines over columns of time; and how numbers and moments are written.
'use strict';

const [, COLUMN_NS, COLUMNS, SEEN, FORESEEN] = facts.axis, AXIS_T0 = Number(BigInt(facts.axis[0]) / 1000000n);
const COLUMN_MS = COLUMN_NS / 1e6;
const columnMs = column => AXIS_T0 + column * COLUMN_MS;
const columnAt = ms => ms / COLUMN_MS;		// of a moment of the data, which counts from the axis' begin
let panels = [];

async function readPanels() {
	panels = JSON.parse(new TextDecoder().decode(await inflateBlock(blockBytes('c'))));
}

const isCounted = panel => panel.unit === 'samples' || panel.unit === 'events';	// not time
const isStacked = panel => panel.lines.length > 0 && panel.lines[0].role === 'area';

// The mean of what is known of columns from..to - 1; null: nothing is.
function meanOf(at, from, to) {
	let sum = 0, count = 0;

	for (let i = from; i < to; i++)
		if (at[i] !== null && at[i] !== undefined) {
			sum += at[i];
			count++;
		}
	return count === 0 ? null : sum / count;
}

// As chart_add_number has it.
function numberText(value, unit) {
	const power = unit === 'bytes' ? 1024 : 1000, letters = ' kMGTPE';
	let size = Math.abs(value), letter = 0;

	if (value === null)
		return '\u2013';
	while (size >= power * 0.9995 && letter < letters.length - 1) {
		size /= power;
		letter++;
	}
	const sign = value < 0 && size >= 0.005 ? '-' : '', mark = letter > 0 ? letters[letter] : '';
	if (letter === 0 && size < 0.005)
		return size > 0 ? '<0.01' : '0';
	if (letter === 0 && size < 0.995)
		return sign + size.toFixed(2);
	return sign + (size >= 99.5 || (size === Math.floor(size) && letter === 0) ? size.toFixed(0) : size.toFixed(1)) + mark;
}

// "2026-11-20 23:54", with seconds where columns are shorter than a minute.
function shortMoment(ms) {
	if (facts.monotonic)
		return secondsText(ms);
	const { date, time } = civil(ms);

	return `${date} ${COLUMN_MS < 60000 ? time + fraction(ms) : time.slice(0, 5)}`;
}

const windowOf = ([from, to]) => `${shortMoment(columnMs(from))} to ${shortMoment(columnMs(to))}`;

// --- axes ---

const ROUND = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const TICKS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2419200,
	7776000, 31536000];

function roundUp(value, unit) {
	let base = 1;

	if (!(value > 0))
		return 1;
	while (unit === 'bytes' && value / base >= 1024)
		base *= 1024;
	base *= 10 ** Math.floor(Math.log10(value / base));
	return (ROUND.find(part => part * base >= value * (1 - 1e-12)) ?? 10) * base;
}

// What an axis ends with: above all that is shown, and above the limit if that is not far.
function topOf(panel, hidden, [from, to]) {
	let top = 0;

	for (let c = from; c < to; c++) {
		let stacked = 0;

		for (const line of panel.lines)
			if (!hidden.has(line.name)) {
				stacked += line.at[c] ?? 0;
				top = Math.max(top, line.at[c] ?? 0);
			}
		top = Math.max(top, isStacked(panel) ? stacked : 0, panel.high?.[c] ?? 0);
	}
	if (panel.limit !== null && panel.limit <= 4 * top)
		top = Math.max(top, panel.limit * 1.02);
	return roundUp(top, panel.unit);
}

// Milliseconds that the zone's clocks are ahead of UTC.
function zoneOffset(ms) {
	const { date, time } = civil(ms);

	return Date.parse(`${date}T${time}Z`) - Math.floor(ms / 1000) * 1000;
}

// [[column, text]]: round moments of the zone's clocks.
function ticksOf([from, to], most) {
	const begin = columnMs(from), end = columnMs(to), step = (TICKS.find(s => (end - begin) / (s * 1000) < most) ?? TICKS.at(-1)) * 1000;
	const offset = facts.monotonic ? 0 : zoneOffset(begin), found = [];

	for (let at = Math.ceil((begin + offset) / step) * step - offset; at < end && found.length < most; at += step) {
		const { date, time } = facts.monotonic ? { date: '', time: '' } : civil(at);
		const text = facts.monotonic ? `${+(at / 1000).toPrecision(6)} s` : step >= 31536e6 ? date.slice(0, 4)
			: step >= 864e5 || time === '00:00:00' ? `${MONTHS[Number(date.slice(5, 7)) - 1]} ${Number(date.slice(8))}`
				: step < 60000 ? time : time.slice(0, 5);

		found.push([(at - AXIS_T0) / COLUMN_MS, text]);
	}
	return found;
}
