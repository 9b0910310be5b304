// SPDX-License-Identifier: MIT
// flame_table: the functions beside the graph, with the same digits, and when each was counted.
'use strict';

const TABLE_ROWS = 60;
const BARS = ' \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588';

// Nanoseconds as stktree prints them: three digits, from a minute on two units.
function nanosecondsText(ns) {
	const pair = (whole, name, part, partName) => `${whole}\u2009${name}${part === 0 ? '' : ` ${part}\u2009${partName}`}`;

	for (const [name, size, most] of [['ns', 1, 999.5], ['us', 1e3, 999.5e3], ['ms', 1e6, 999.5e6], ['s', 1e9, 59.95e9]])
		if (ns < most)
			return ns === 0 ? '0' : `${+(ns / size).toPrecision(3)}\u2009${name}`;
	const seconds = Math.round(ns / 1e9), minutes = Math.round(ns / 6e10), hours = Math.round(ns / 36e11);
	return seconds < 3600 ? pair(Math.floor(seconds / 60), 'm', seconds % 60, 's')
		: minutes < 1440 ? pair(Math.floor(minutes / 60), 'h', minutes % 60, 'm') : pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

const amountText = count => facts.unit.startsWith('ns of ') ? nanosecondsText(count) : withSpaces(count);

// Growth over the growth that would be expected if all had grown evenly, in percent, as a text.
function overweight(before, after, whole, scale) {
	const a = before * scale, A = whole[0] * scale, B = whole[1];

	if (before === 0)
		return 'new';
	if (after === 0)
		return 'gone';
	if (Math.abs(B - A) < 2 * Math.sqrt(A + B))
		return '\u2013';
	return `${Math.round(100 * ((after - a) / a) / ((B - A) / A))}\u2009%`.replace('-', '\u2212');
}

// One letter a cell: eighths of the function's largest cell.
function whenText(cells) {
	const most = cells.reduce((a, b) => Math.max(a, b), 0);

	return cells.map(count => count === 0 ? '\u00B7' : BARS[Math.max(1, Math.round(8 * count / most))]).join('');
}

function whenWords(cells, at) {
	const most = cells.indexOf(cells.reduce((a, b) => Math.max(a, b), 0)), sum = cells.reduce((a, b) => a + b, 0);

	return `most ${clockText(msOf(at(most)))} to ${clockText(msOf(at(most + 1)))}, ${percent(cells[most], sum)} of it`;
}

// As stktree --diff marks a row: * more than chance, t by what the function has with what it calls.
function markOf(row, relative) {
	const mark = tree.marks === null ? 0 : nameMarks[row.frame + 1] >> (relative ? 2 : 0);

	return tree.marks === null ? '' : (mark & 1) === 0 ? '\u2248' : (mark & 2) === 0 ? '*' : '*t';
}

function tableCells(row, values, before, scale) {
	const whole = values.total[0];

	if (before === null)
		return [amountText(row.self * facts.each), percent(row.self, whole), amountText(row.total * facts.each), percent(row.total, whole)];
	const old = row.before, points = scale.relative
		? 100 * (row.total / (whole || 1) - old / (before.total[0] || 1))
		: 100 * (row.total / scale.after - old / scale.before) / (Math.max(whole / scale.after, before.total[0] / scale.before) || 1);
	return [withSpaces(old * facts.each), withSpaces(row.total * facts.each), signed(points), overweight(old, row.total, [before.total[0], whole],
		scale.relative ? 1 : scale.after / scale.before), markOf(row, scale.relative)];
}

// Functions that only the other recording has, too.
function profileOf(values, before) {
	const flat = flatProfile(values);

	if (before === null)
		return flat;
	const old = new Map(flatProfile(before).map(row => [row.name, row]));
	flat.forEach(row => { row.before = old.get(row.name)?.total ?? 0; });
	const now = new Set(flat.map(row => row.name));
	for (const row of old.values())
		if (!now.has(row.name))
			flat.push({ ...row, self: 0, total: 0, before: row.total });
	const change = row => Math.abs(row.total / (values.total[0] || 1) - row.before / (before.total[0] || 1));
	return flat.sort((a, b) => change(b) - change(a) || (a.name < b.name ? -1 : 1));
}

// when: {cells: values of equal parts of the time, at(i): the cell of the page at which part i begins, failed(error, again)}, or null.
function fillTable(values, before, scale, chosen, when) {
	const flat = profileOf(values, before), shown = flat.slice(0, TABLE_ROWS);
	const heads = before === null ? ['self', 'self %', 'total', 'total %'] : ['before', 'after', '+/\u2212', 'overweight', 'mark'];
	const timed = before === null && when !== null;
	const lines = fillRows({ heads, nameHead: 'function', after: timed ? ['when'] : [], most: 48, left: flat.length - shown.length,
		lines: shown.map(row => ({ name: row.name, numbers: tableCells(row, values, before, scale), chosen: () => chosen(row) })) });

	if (timed)
		arrived().then(() => requestAnimationFrame(() => setTimeout(() => fillWhen(shown, lines, when))));
}

function fillWhen(shown, lines, when) {
	if (lines.length === 0 || !lines[0].isConnected)
		return;		// another table is there by now
	let parts;

	try {
		parts = when.cells();
	} catch (error) {
		when.failed?.(error, () => fillWhen(shown, lines, when));
		return;
	}
	const cells = parts.map(values => byFunction(values).total);

	lines.forEach((line, i) => {
		const frame = shown[i].frame, own = cells.map((total, c) => frame < 0 ? parts[c].self[0] : total[frame]), place = line.querySelector('.when');

		if (own.some(count => count > 0)) {
			const words = whenWords(own, when.at), bars = make('span', whenText(own), { role: 'img', 'aria-label': words });

			bars.title = words;
			place.replaceChildren(bars);
		}
	});
}
