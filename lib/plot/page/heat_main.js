// SPDX-License-Identifier: MIT
// heat_main: the page of a heat map: what is chosen, in which order things appear, keys, and the address.
'use strict';

const PARTS = 32;		// of a window, of the column `when`
const state = { filter: Object.fromEntries(FILTERS.map(key => [key, null])), mask: null, search: '', match: null, drawn: null, sums: null, values: null, before: null };
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

function sumsOf(window, rough) {
	const sums = windowSums(...rough ? roughWindow(window) : clampWindow(...window));

	return state.mask === null ? sums : sums.map((sum, r) => state.mask[r] === 0 ? 0 : sum);
}

const valuesOf = (window, rough) => rollUpRows(sumsOf(window, rough));

// What the table is filled from, for tests and for the console.
const query = ({ from, to }) => whenRead(() => answerOf(valuesOf([cellsOf(from), cellsOf(to)], false)));

const shownSums = () => state.sums;

// Rows that are chosen, and not dropped by a step; null: all.
function countedRows() {
	return tree.rowNode.some(node => node < 0) ? tree.rowNode.map((node, r) => node >= 0 && (state.mask === null || state.mask[r] !== 0) ? 1 : 0)
		: state.mask;
}

// --- what is shown of a window ---

function commandFor([from, to]) {
	const bound = (ns, ms, later) => ns === undefined ? ms : Math[later ? 'max' : 'min'](ms, Number(BigInt(ns) / 1000000n));

	const times = ` --window ${typedTime(bound(facts.from, msOf(from), true))}..${typedTime(bound(facts.to, msOf(to), false))}`;
	const where = conditions(), group = state.filter.group, last = `stktree --report flat${facts.samples ? ' --samples' : ''}${where}`;

	if (group === null && (where === '' || !facts.command.includes(' --where ')))
		return facts.command.replace('stktree', () => last) + times;
	return `${facts.command.replace('stktree', 'stkcat -f stream')} | ${group === null ? '' : `stkgroup -s ${facts.scheme} -f stream --where '${
		groupCondition(facts.groups[group])}' | `}${last}${times}`;
}

// A character that has a meaning there or in the shell is any character.
function conditions() {
	const all = FILTERS.slice(0, 3).filter(key => state.filter[key] !== null)
		.map(key => `${key} = "${filterTexts(key)[state.filter[key]].replace(/["'\\*\p{C}]/gu, '?')}"`);

	return all.length === 0 ? '' : ` --where '${all.join(' and ')}'`;
}

function groupCondition(path) {
	const quote = path.includes('"') ? "'" : '"';

	return `group under ${quote}${path}${quote}`.replaceAll("'", "'\\''");
}

const filterTexts = key => ({ process: processes, pool: pools, state: facts.states, group: facts.groups })[key];

// The borders of equal parts of a window: of cells of a coarse layer where the window is long, so that no fine block is needed between its ends.
function partsOf([from, to], count) {
	const parts = Math.min(count, to - from), times = [facts.level[0], ...middles.map(layer => layer.times)].find(wide => to - from >= 2 * count * wide) ?? 1;

	return Array.from({ length: parts + 1 }, (_, i) => i === 0 ? from : i === parts ? to
		: Math.round((from + (to - from) / parts * i) / times) * times);
}

function timesOf(window) {
	const borders = partsOf(clampWindow(...window), PARTS);

	return { cells: () => borders.slice(1).map((to, i) => valuesOf([borders[i], to], false)), at: i => borders[i], failed: orRead };
}

function emptyText([from, to]) {
	const near = nearestCell(...clampWindow(from, to), heat.mask);

	return `No samples${heat.mask === null ? '' : ' that filters and steps leave'} between ${windowText(from, to).replace(' to ', ' and ')}${
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
	const words = (name, w, counted, empty) => !exact ? windowLine(`${name}, rounded:`, roughWindow(w), counted)
		: counted.total[0] === 0 ? empty + emptyText(w) : windowLine(name, w, counted);
	let sums, values, before, lines;

	try {
		sums = sumsOf(window, !exact);
		values = rollUpRows(sums);
		before = other === null ? null : valuesOf(other, !exact);
		lines = [words('Window', window, values, ''), other === null ? '' : words('against', other, before, 'Baseline: ')];
	} catch (error) {
		orRead(error, () => showWindow(!state.rough), () => showWindow(false));
		return;
	}
	Object.assign(state, { sums, values, before });
	tree.marks = nameMarks = null;
	flame.show(values, before, seconds);
	element('chance').textContent = CHANCE_GUESSED;
	const empty = values.total[0] === 0;
	element('window').textContent = lines[0];
	element('baseline').textContent = lines[1];
	element('legend').hidden = other === null;
	document.body.classList.toggle('empty', empty && before === null);
	if (!exact)
		return;
	tellTable(values, before, seconds, window);
	if (other !== null)
		arrived().then(() => requestAnimationFrame(() => setTimeout(() => markChanges(values, seconds))));
	tellSame();
	element('command').textContent = commandFor(window);
	element('command2').textContent = other === null ? '' : commandFor(other);
	fillLegend('fills', flame.legend());
	element('colours').hidden = flame.colourings().length < 2 || other !== null;
	element('colours').textContent = `Colour: ${flame.colouring}`;
	tellSandwich();
	showMatches();
}

function tellTable(values, before, seconds, window) {
	fillTable(values, before, { relative: flame.relative, after: seconds[0], before: seconds[1] }, row => search(searchOf(row.name), true), timesOf(window));
}

// A window with its blocks, which the level alone has where the window is long.
function sideOf(window) {
	const borders = partsOf(window, BLOCKS), secondsOf = (from, to) => (to - from) * CELL_MS / 1000;

	return { seconds: secondsOf(...window), values: valuesOf(window, false),
		blocks: borders.slice(1).map((to, i) => ({ seconds: secondsOf(borders[i], to), values: valuesOf([borders[i], to], false) })) };
}

const compared = (from, to, share) => marksOf([sideOf(from), sideOf(to)], share);

// values: those that were shown, unless others are by now.
function markChanges(values, seconds) {
	if (values !== state.values || state.before === null)
		return;
	let marks;

	try {
		marks = compared(heat.windows[1], heat.windows[0], flame.relative);
	} catch (error) {
		orRead(error, () => markChanges(values, seconds));
		return;
	}
	tree.marks = marks.nodes;
	nameMarks = marks.names;
	element('chance').textContent = CHANCE_TOLD;
	flame.draw();
	flame.tell();
	tellTable(state.values, state.before, seconds, heat.windows[0]);
}

// For tests: each frame that either window has, and whether its difference is chance.
function chancesOf(from, to, share) {
	return whenRead(() => chancesWithin(from, to, share));
}

function chancesWithin(from, to, share) {
	const { nodes } = compared(from, to, share), a = valuesOf(from, false).total, b = valuesOf(to, false).total;

	return [...tree.order].filter(node => node !== 0 && (a[node] > 0 || b[node] > 0)).map(node => [tree.depth[node], names[tree.frame[node]], nodes[node] === 0]);
}

// After a step.
function refresh() {
	heat.mask = countedRows();
	rematch();
	heat.remember();
	showWindow(true);
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
		remember(true);
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
	try {
		state.match = text === '' ? null : matchRows(matcher(text));
	} catch {
		element('found').textContent = 'That is not a regular expression.';
		return;
	}
	state.search = text;
	heat.matched = state.match === null ? null : state.match.rows;
	heat.remember();
	flame.search(state.match === null ? null : state.match.functions);
	showMatches();
	remember(false);
}

// Of the tree that a step made.
function rematch() {
	if (state.match === null)
		return;
	state.match = matchRows(matcher(state.search));
	heat.matched = state.match.rows;
}

function showMatches() {
	const { match, values } = state;
	let matched = 0;

	if (match === null) {
		listMatches([], 0);
		element('found').textContent = '';
		return;
	}
	values.self.forEach((self, node) => { if (match.nodes[node] !== 0) matched += self; });
	const found = flatProfile(values).filter(row => row.frame >= 0 && match.functions[row.frame]).sort((a, b) => b.total - a.total);
	element('found').textContent = `${withSpaces(found.length)} function${found.length === 1 ? '' : 's'}, ${
		withSpaces(matched * facts.each)} ${facts.unit}, ${percent(matched, values.total[0])} of the window`;
	listMatches(found, values.total[0]);
}

function useFilter(key, value) {
	state.filter[key] = value;
	state.mask = rowMask(state.filter);
	refresh();
	remember(true);
}

function offerFilters() {
	FILTERS.forEach((key, place) => {
		const all = filterTexts(key), used = [...new Set(tags.flatMap(tag => tagged(tag, place)))].sort((a, b) => all[a] < all[b] ? -1 : 1), list = element(key);

		list.parentElement.hidden = used.length < 2;
		used.forEach(number => list.append(make('option', shortened(visible(all[number]), 40) || '(none)', { value: number })));
		list.addEventListener('change', () => useFilter(key, list.value === '' ? null : Number(list.value)));
	});
}

// --- the address ---

function remember(step) {
	const { filter } = state, [window, other] = heat.windows;

	writeAddress({ w: window.join('..'), b: other === null ? '' : other.join('..'), q: encoded(state.search),
		p: Object.keys(filter).filter(key => filter[key] !== null).map(key => `${key}:${filter[key]}`).join(','),
		z: flame.zoomed === 0 ? '' : flame.zoomed, x: stepsText(), c: flame.colouring === flame.colourings()[0] ? '' : flame.colouring,
		o: flame.flipped ? 'f' : '', m: flame.relative ? 'rel' : '' }, step);
	tellPath();
}

function readFilters(text) {
	for (const key of Object.keys(state.filter))
		element(key).value = state.filter[key] = null;
	for (const [key, number] of text.split(',').map(part => part.split(':')))
		if (Object.hasOwn(state.filter, key) && [...element(key).options].some(option => option.value === number)) {
			element(key).value = number;
			state.filter[key] = Number(number);
		}
	for (const key of Object.keys(state.filter))
		element(key).value = state.filter[key] ?? '';
	state.mask = rowMask(state.filter);
}

// What the address says; the text of the search is returned.
function readAddress() {
	const given = addressParts(), text = decoded(given.get('q')), zoomed = Number(given.get('z')), colouring = given.get('c');
	const window = key => {
		const [from, to] = (given.get(key) ?? '').split('..').map(Number), [low, high] = clampWindow(from, to);

		return Number.isInteger(from) && Number.isInteger(to) && low < high ? [low, high] : null;
	};
	const unknown = readSteps(given.get('x') ?? '');

	if (text === null)
		say('The search in this address is damaged.');
	else if (unknown > 0)
		say(`This address names ${unknown === 1 ? 'one thing' : `${unknown} things`} that this file does not have.`);
	useSteps();
	readFilters(given.get('p') ?? '');
	flame.flipped = given.get('o') === 'f';
	flame.relative = given.get('m') === 'rel';
	flame.colouring = flame.colourings().includes(colouring) ? colouring : flame.colourings()[0];
	flame.zoomed = flame.chosen = Number.isInteger(zoomed) && zoomed > 0 && zoomed < tree.parent.length ? zoomed : 0;
	heat.windows = [window('w') ?? [heat.begin, heat.end], window('b')];
	heat.mask = countedRows();
	tellMode();
	return text ?? '';
}

// Back, or forward.
function returnTo() {
	const text = readAddress();

	heat.remember();
	showWindow(true);
	search(text, true);
}

// --- keys ---

const actions = {
	...stepActions,
	'+': () => heat.chooseScale(heat.scaleNumber - 1),
	'-': () => heat.chooseScale(heat.scaleNumber + 1),
	'0': () => chooseWindow(0, [heat.begin, heat.end], true),
	b: () => swapBaseline(),
	B: () => { heat.setWindow(1, null); showWindow(true); remember(true); },
	z: () => changeZone(),
	v: () => { flame.relative = !flame.relative; tellMode(); showWindow(true); remember(false); }
};

// The window becomes the baseline; the next one that is chosen is compared with it.
function swapBaseline() {
	heat.setWindow(1, heat.windows[0]);
	showWindow(true);
	remember(true);
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
	['/', 'search; n, N: next and previous match'], ...STEP_KEYS, ['[ ]', 'back and forward'], ['c', 'next colouring'],
	['i, t', 'flame graph upside down; table'], ['z', 'time zone'], ['e, y', 'export what is shown as folded text; copy the command'],
	['Escape', 'leave; clear the search']];

function recolour() {
	heat.dark = isDark();
	heat.draw();
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
	listenFold();
	window.addEventListener('popstate', returnTo);
	new ResizeObserver(() => {
		heat.chooseScale(heat.scaleNumber);
		flame.draw();
		tellSandwich();
	}).observe(document.body);
}

// --- from the map to all of it ---

function tellFacts() {
	const [otherRows, otherSum] = facts.other, lines = facts.notes ?? [];

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
	const known = (heat.shares ?? heat.sums).progress;

	element('scale').textContent = `A column is ${durationText(heat.column * CELL_MS)}, a cell ${
		durationText(heat.scale.wide * CELL_MS)}; ${heat.scaleText}.${complete ? '' : readingText(...known)}`;
}

async function start() {
	useZones(facts.zone);
	if (facts.monotonic)
		zone = 0;
	tellZone();
	readTotals();
	heat = new HeatView({ box: element('heat'), canvas: element('map'), overview: element('overview'),
		chosen: (number, window, exact) => { if (flame !== undefined) chooseWindow(number, window, exact); },
		moved: complete => tellMap(complete) });
	heat.dark = isDark();
	tellFacts();
	heat.draw();
	performance.mark('map');
	readNames();
	showTree({ ...recorded, rowNode: rows.node });
	flame = new FlamePicture({ canvas: element('flame'), tree: element('tree'), detail: element('detail'), cut: element('cut'), changed: () => remember(true),
		rowSums: shownSums });
	offerFilters();
	const text = readAddress(), given = addressParts();
	heat.remember();
	// what is not a whole cell of the level needs the blocks at the end of the page
	if (given.has('w') || given.has('b'))
		await arrived();
	showWindow(true);
	search(text, true);
	listen();
	performance.mark('flame');
	await arrived();
	requestIdleCallback?.(levelRuns);		// before a window is dragged
}

startPage(start, { query, frames: () => flame.frames(), folded: foldedText, chances: chancesOf, forget: forgetBlocks });
