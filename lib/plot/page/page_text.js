// SPDX-License-Identifier: MIT
// page_text: numbers, times and names as people read them.
'use strict';

const element = id => document.getElementById(id);

function make(tag, text, attributes = {}) {
	const made = document.createElement(tag);

	made.textContent = text;
	for (const [name, value] of Object.entries(attributes))
		made.setAttribute(name, value);
	return made;
}

// Characters that turn the line round or cannot be seen are shown as their numbers.
const HIDDEN = new RegExp('[\\u0000-\\u001F\\u007F-\\u009F\\u061C\\u200B-\\u200F\\u2028-\\u202E\\u2060-\\u2069\\uFEFF\\uFFF9-\\uFFFB]', 'g');
const visible = text => text.replace(HIDDEN, c => `\u27E8${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}\u27E9`);

function shortened(text, most) {
	const head = Math.floor(most * 0.4);

	return text.length <= most ? text : `${text.slice(0, head)}\u2026${text.slice(text.length - (most - head - 1))}`;
}

const withSpaces = count => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, '\u2009');

function percent(part, whole) {
	const share = whole > 0 ? 100 * part / whole : 0;

	return share > 0 && share < 0.05 ? '<0.1\u2009%' : `${share.toFixed(1)}\u2009%`;
}

const signed = points => `${points < 0 ? '\u2212' : '+'}${Math.abs(points).toFixed(1)}`;

// --- times: cells are counted from t0 of the page's facts ---

const CELL_MS = (facts.cell ?? 1e6) / 1e6, T0_MS = Number(BigInt(facts.t0 ?? 0) / 1000000n);
const cellOf = ms => (ms - T0_MS) / CELL_MS, msOf = cell => T0_MS + cell * CELL_MS;
const zones = ['UTC'];
let zone = 0;

function useZones(recorded) {
	const own = Intl.DateTimeFormat().resolvedOptions().timeZone;

	for (const name of [own, recorded]) {
		try {
			new Intl.DateTimeFormat('en-GB', { timeZone: name });
		} catch {
			continue;
		}
		if (name !== '' && name !== undefined && !zones.includes(name))
			zones.unshift(name);
	}
}

const formats = new Map();

function civil(ms) {
	const name = zones[zone];

	if (!formats.has(name))
		formats.set(name, new Intl.DateTimeFormat('en-GB', { timeZone: name, hourCycle: 'h23', year: 'numeric', month: '2-digit',
			day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' }));
	const part = Object.fromEntries(formats.get(name).formatToParts(ms).map(p => [p.type, p.value]));

	return { date: `${part.year}-${part.month}-${part.day}`, time: `${part.hour}:${part.minute}:${part.second}` };
}

const fraction = ms => ms % 1000 === 0 ? '' : `.${String((ms % 1000 + 1000) % 1000).padStart(3, '0')}`;
const secondsText = ms => `${(ms / 1000).toFixed(ms % 1000 === 0 ? 0 : 3)}\u2009s`;

// A moment in full, and without the date.
function momentText(ms) {
	if (facts.monotonic)
		return secondsText(ms);
	const { date, time } = civil(ms);

	return `${date} ${time}${fraction(ms)}`;
}

const clockText = ms => facts.monotonic ? secondsText(ms) : civil(ms).time + fraction(ms);

function windowText(from, to) {
	const a = msOf(from), b = msOf(to);
	const sameDay = facts.monotonic || civil(a).date === civil(b - 1).date;

	return `${momentText(a)} to ${sameDay ? clockText(b) : momentText(b)}`;
}

function durationText(ms) {
	for (const [unit, size] of [['d', 864e5], ['h', 36e5], ['min', 6e4], ['s', 1e3]])
		if (ms >= size)
			return `${+(ms / size).toPrecision(4)}\u2009${unit}`;
	return `${ms}\u2009ms`;
}

// A moment as stktree takes it.
const typedTime = ms => facts.monotonic ? `@${ms / 1000}` : new Date(ms).toISOString().replace('.000Z', 'Z');
