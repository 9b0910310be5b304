// SPDX-License-Identifier: MIT
// heat_main: the page of a heat map: what is chosen, in which order things appear, keys, and the address.
'use strict';

const TABLE_ROWS = 60;
const state = { filter: { process: null, pool: null, state: null }, mask: null, search: '', match: null, drawn: null };
let heat, flame;

// --- numbers ---

// Cells from numbers, or from moments as texts.
function cellsOf(moment) {
	if (typeof moment === 'number')
		return moment;
	const ms = moment.startsWith('@') ? Number(moment.slice(1)) * 1000 : Date.parse(moment);

	return Math.round(cellOf(ms));
}

const clampWindow = (from, to) => [Math.min(Math.max(from, 0), facts.cells), Math.min(Math.max(to, 0), facts.cells)];

function valuesOf(window, rough) {
	const [from, to] = clampWindow(...window);

	return rollUp(rough ? roughSums(from, to) : from < to ? windowSums(from, to) : new Float64Array(facts.rows), state.mask);
}

// What the table is filled from, for tests and for the console.
function query({ from, to }) {
	const values = valuesOf([cellsOf(from), cellsOf(to)], false);

	return { total: values.total[0] * facts.each, functions: flatProfile(values) };
}

// --- what is shown of a window ---

function commandFor([from, to]) {
	const bound = (ns, ms, later) => ns === undefined ? ms : Math[later ? 'max' : 'min'](ms, Number(BigInt(ns) / 1000000n));

	return `${facts.command.replace(/^stktree/, 'stktree --report flat')} --window ${
		typedTime(bound(facts.from, msOf(from), true))}..${typedTime(bound(facts.to, msOf(to), false))}`;
}

function fillTable(values, before) {
	const flat = flatProfile(values), whole = values.total[0] * facts.each, shown = flat.slice(0, TABLE_ROWS);
	const old = before === null ? null : new Map(flatProfile(before).map(row => [row.name, row]));
	const oldWhole = before === null ? 0 : before.total[0] * facts.each;
	const points = row => 100 * (row.total / (whole || 1) - (old.get(row.name)?.total ?? 0) / (oldWhole || 1));

	fillRows({ heads: ['self', 'self %', 'total', 'total %', ...old === null ? [] : ['+/\u2212']], nameHead: 'function', most: 80,
		left: flat.length - shown.length, lines: shown.map(row => ({ name: row.name, chosen: () => search(searchOf(row.name), true),
			numbers: [withSpaces(row.self), percent(row.self, whole), withSpaces(row.total), percent(row.total, whole),
				...old === null ? [] : [signed(points(row))]] })) });
}

function emptyText([from, to]) {
	const near = nearestCell(...clampWindow(from, to), state.mask);

	return `No samples between ${windowText(from, to).replace(' to ', ' and ')}${
		near === null ? '.' : `; nearest at ${momentText(msOf(near))}.`}`;
}

function windowLine(name, window, values) {
	const [from, to] = window;

	return `${name} ${windowText(from, to)} (${durationText((to - from) * CELL_MS)}): ${
		withSpaces(values.total[0] * facts.each)} ${facts.unit}`;
}

// exact: not while the window is dragged, which the level alone answers.
function showWindow(exact) {
	const [window, other] = heat.windows, seconds = [window, other].map(w => w === null ? 1 : (w[1] - w[0]) * CELL_MS / 1000);
	let values, before;

	try {
		values = valuesOf(window, !exact);
		before = other === null ? null : valuesOf(other, !exact);
	} catch (error) {
		say(`${error.message}.`);
		return;
	}
	flame.show(values, before, seconds);
	const empty = values.total[0] === 0;
	element('window').textContent = (exact || !empty) && empty && exact ? emptyText(window) : windowLine('Window', window, values);
	element('baseline').textContent = other === null ? '' : before.total[0] === 0 ? `Baseline: ${emptyText(other)}`
		: windowLine('against', other, before);
	element('legend').hidden = other === null;
	document.body.classList.toggle('empty', empty && before === null);
	if (!exact)
		return;
	fillTable(values, before);
	element('command').textContent = commandFor(window);
	element('command2').textContent = other === null ? '' : commandFor(other);
	showMatches(values);
	remember();
}

function chooseWindow(number, window, exact) {
	heat.setWindow(number, window);
	if (exact)
		heat.cursor = Math.min(Math.max(heat.cursor, window[0]), window[1] - 1);
	state.rough = !exact;
	if (exact) {
		cancelAnimationFrame(state.drawn);
		state.drawn = null;
		showWindow(true);
	} else if (state.drawn === null) {
		state.drawn = requestAnimationFrame(() => {
			state.drawn = null;
			showWindow(!state.rough);
		});
	}
}

// --- search and filters ---

function search(text, typed) {
	if (typed)
		element('search').value = text;
	if (text === '') {
		state.match = null;
	} else {
		try {
			state.match = matchRows(textMatcher(text));
		} catch {
			element('found').textContent = 'That is not a regular expression.';
			return;
		}
	}
	state.search = text;
	heat.matched = state.match === null ? null : state.match.rows;
	heat.remember();
	flame.search(state.match === null ? null : state.match.functions);
	showMatches(flame.values);
	remember();
}

function showMatches(values) {
	let matched = 0;

	if (state.match === null) {
		element('found').textContent = '';
		return;
	}
	const functions = state.match.functions.filter(found => found).length;
	values.self.forEach((self, node) => { if (state.match.nodes[node] !== 0) matched += self; });
	element('found').textContent = `${withSpaces(functions)} function${functions === 1 ? '' : 's'}, ${
		withSpaces(matched * facts.each)} ${facts.unit}, ${percent(matched, values.total[0])} of the window`;
}

function useFilter(key, value) {
	state.filter[key] = value;
	state.mask = rowMask(state.filter);
	heat.mask = state.mask;
	heat.remember();
	showWindow(true);
}

function offerFilters() {
	for (const [key, all, place] of [['process', processes, 0], ['pool', pools, 1], ['state', facts.states, 2]]) {
		const used = [...new Set(tags.map(tag => tag[place]))].sort((a, b) => all[a] < all[b] ? -1 : 1), list = element(key);

		list.parentElement.hidden = used.length < 2;
		used.forEach(number => list.append(make('option', shortened(visible(all[number]), 40) || '(none)', { value: number })));
		list.addEventListener('change', () => useFilter(key, list.value === '' ? null : Number(list.value)));
	}
}

// --- the address ---

function remember() {
	const { filter } = state, [window, other] = heat.windows;

	writeAddress({ w: window.join('..'), b: other === null ? '' : other.join('..'), q: encoded(state.search),
		p: Object.keys(filter).filter(key => filter[key] !== null).map(key => `${key}:${filter[key]}`).join(','),
		z: flame.zoomed === 0 ? '' : flame.zoomed, o: flame.flipped ? 'f' : '', m: flame.relative ? 'rel' : '' }, false);
}

function readAddress() {
	const given = addressParts(), text = decoded(given.get('q'));
	const window = text => {
		const [from, to] = (text ?? '').split('..').map(Number);

		return Number.isInteger(from) && Number.isInteger(to) && from < to ? clampWindow(from, to) : null;
	};
	const chosen = [window(given.get('w')), window(given.get('b'))], zoomed = Number(given.get('z'));

	if (text === null)
		say('The search in this address is damaged.');
	for (const [key, number] of (given.get('p') ?? '').split(',').map(part => part.split(':')))
		if (Object.hasOwn(state.filter, key) && [...element(key).options].some(option => option.value === number)) {
			element(key).value = number;
			state.filter[key] = Number(number);
		}
	flame.flipped = given.get('o') === 'f';
	flame.relative = given.get('m') === 'rel';
	if (zoomed > 0 && zoomed < tree.parent.length)
		flame.zoomed = flame.chosen = Math.floor(zoomed);
	return { chosen, text: text ?? '' };
}

// --- keys ---

const actions = {
	'+': () => heat.chooseScale(heat.scaleNumber - 1),
	'-': () => heat.chooseScale(heat.scaleNumber + 1),
	'0': () => chooseWindow(0, [heat.begin, heat.end], true),
	b: () => swapBaseline(),
	B: () => { heat.setWindow(1, null); showWindow(true); },
	z: () => changeZone(),
	n: () => flame.nextMatch(1),
	N: () => flame.nextMatch(-1),
	i: () => { flame.flipped = !flame.flipped; flame.draw(); remember(); },
	v: () => { flame.relative = !flame.relative; tellMode(); flame.draw(); flame.tell(); remember(); },
	t: () => { element('table').hidden = !element('table').hidden; flame.draw(); },
	y: () => copyCommand()
};

// The window becomes the baseline; the next one that is chosen is compared with it.
function swapBaseline() {
	heat.setWindow(1, heat.windows[0]);
	showWindow(true);
	say('This window is the baseline now: choose another one to compare. B ends the comparison.');
}

function tellMode() {
	element('mode').textContent = flame.relative
		? 'Shares: a frame can fall because others grew.' : 'Samples a second, in points of the larger window.';
}

function changeZone() {
	if (facts.monotonic) {
		say('Times count from an unknown start: they have no zone.');
		return;
	}
	zone = (zone + 1) % zones.length;
	tellZone();
	heat.refresh();
	showWindow(true);
}

function tellZone() {
	element('zone').textContent = facts.monotonic ? 'seconds' : zones[zone];
}

const KEYS = [['arrows', 'map: move the cursor; frames: caller, callee, neighbours'],
	['Enter, Space', 'map: begin and end a window (Shift: the baseline); frames: zoom'], ['Backspace', 'frames: zoom out'],
	['+ \u2212', 'finer and coarser cells'], ['0, Home', 'map: the whole recording; frames: zoom out to all'],
	['b, B', 'make this window the baseline; end the comparison'], ['v', 'differences as samples a second, or as shares'],
	['/', 'search; n, N: next and previous match'], ['i', 'flame graph upside down'], ['t', 'table'], ['z', 'time zone'],
	['y', 'copy the command'], ['Escape', 'leave; clear the search']];

function recolour() {
	heat.dark = isDark();
	heat.refresh();
	flame.draw();
}

function escape() {
	if (heat.anchor !== null)
		heat.key({ key: 'Escape' });
	else if (state.search !== '')
		search('', true);
	element('heat').focus();
}

function listen() {
	addHelp(KEYS, ['Drag on the map to choose a window, with Shift to choose the baseline.']);
	listenKeys(actions, { escape, recolour, own: event => document.activeElement === element('heat') && heat.key(event) });
	element('search').addEventListener('input', event => search(event.target.value, false));
	element('search').addEventListener('keydown', event => {
		if (event.key === 'Enter')
			flame.nextMatch(event.shiftKey ? -1 : 1);
	});
	new ResizeObserver(() => {
		heat.chooseScale(heat.scaleNumber);
		flame.draw();
	}).observe(document.body);
}

// --- from the map to all of it ---

function tellFacts() {
	const [otherRows, otherSum] = facts.other, lines = [];

	if (facts.cell > facts.wanted)
		lines.push(`Cells are ${durationText(CELL_MS)}${facts.whole > 0 ? ` (${durationText(facts.wanted / 1e6)} would be ${
			(facts.whole / 1048576).toFixed(0)}\u2009MB)` : ''}.`);
	if (otherRows > 0)
		lines.push(`${withSpaces(otherRows)} rare stacks, ${percent(otherSum, facts.sum)} of the samples, are shown as (other).`);
	if (facts.untimed > 0)
		lines.push(`${withSpaces(facts.untimed)} samples without a time are not here.`);
	element('cut2').textContent = lines.join(' ');
	element('what').textContent = `${windowText(heat.begin, heat.end)}, ${withSpaces(facts.sum * facts.each)} ${facts.unit}`;
}

function tellMap(complete) {
	const known = heat.shares === null ? heat.sums.known() : heat.shares.known();

	element('scale').textContent = `A column is ${durationText(heat.column * CELL_MS)}, a cell ${
		durationText(heat.scale.wide * CELL_MS)}; ${heat.scaleText}.${complete ? ''
		: ` Reading: ${known} of ${facts.blocks.length} parts of the recording.`}`;
}

async function start() {
	useZones(facts.zone);
	if (facts.monotonic)
		zone = 0;
	tellZone();
	await readTotals();
	const own = {};
	heat = new HeatView({ box: element('heat'), canvas: element('map'), overview: element('overview'),
		chosen: (number, window, exact) => { if (flame !== undefined) chooseWindow(number, window, exact); },
		moved: complete => tellMap(complete) });
	heat.dark = isDark();
	tellFacts();
	performance.mark('map');
	await readNames();
	readLevel();
	flame = new FlameView({ canvas: element('flame'), tree: element('tree'), detail: element('detail'), cut: element('cut'), changed: () => remember() });
	offerFilters();
	Object.assign(own, readAddress());
	heat.windows = [own.chosen[0] ?? [heat.begin, heat.end], own.chosen[1]];
	state.mask = heat.mask = rowMask(state.filter);
	tellMode();
	heat.remember();
	// what is not a whole cell of the level needs the blocks at the end of the page
	if (own.chosen.some(window => window !== null))
		await arrived();
	showWindow(true);
	if (own.text !== '')
		search(own.text, true);
	listen();
	performance.mark('flame');
	await arrived();
}

startPage(start, { query, frames: () => flame.frames(), forget: forgetBlocks });
