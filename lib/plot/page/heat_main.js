// SPDX-License-Identifier: MIT
// heat_main: the page of a heat map: what is chosen, in which order things appear, keys, and the address.
'use strict';

const TABLE_ROWS = 60;
const state = { filter: { process: null, pool: null, state: null }, mask: null, search: '', match: null, drawn: null };
let heat, flame;

const say = text => { element('say').textContent = text; };

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
	const cell = (text, number) => make('td', text, number ? { class: 'number' } : {});

	element('rows').replaceChildren(...shown.map(row => {
		const line = make('tr', ''), name = make('th', '', { scope: 'row' }), find = make('button', '', { class: 'name' });

		find.append(make('bdi', shortened(visible(row.name), 80)));
		find.addEventListener('click', () => search(`^${row.name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}$`, true));
		name.append(find);
		line.append(cell(withSpaces(row.self), true), cell(percent(row.self, whole), true), cell(withSpaces(row.total), true),
			cell(percent(row.total, whole), true));
		if (old !== null) {
			const points = 100 * (row.total / (whole || 1) - (old.get(row.name)?.total ?? 0) / (oldWhole || 1));

			line.append(cell(`${points < 0 ? '\u2212' : '+'}${Math.abs(points).toFixed(1)}`, true));
		}
		line.append(name);
		return line;
	}));
	element('difference').hidden = old === null;
	element('more').textContent = flat.length > shown.length ? `${withSpaces(flat.length - shown.length)} more functions.` : '';
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

// Plain text, case ignored unless it has a capital; /.../ or ^ or $: a regular expression.
function matcher(text) {
	const regular = /^\/.*\/$/.test(text) ? text.slice(1, -1) : /^\^|\$$/.test(text) ? text : null;
	const caseless = text === text.toLowerCase();

	if (regular !== null) {
		const expression = new RegExp(regular, caseless ? 'i' : '');

		return name => expression.test(name);
	}
	return caseless ? name => name.toLowerCase().includes(text) : name => name.includes(text);
}

function search(text, typed) {
	if (typed)
		element('search').value = text;
	if (text === '') {
		state.match = null;
	} else {
		try {
			state.match = matchRows(matcher(text));
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
	const parts = ['v=1', `w=${heat.windows[0].join('..')}`], { filter } = state;
	const chosen = Object.keys(filter).filter(key => filter[key] !== null);

	if (heat.windows[1] !== null)
		parts.push(`b=${heat.windows[1].join('..')}`);
	if (state.search !== '')
		parts.push(`q=${encodeURIComponent(state.search.toWellFormed?.() ?? state.search)}`);
	if (chosen.length > 0)
		parts.push(`p=${chosen.map(key => `${key}:${filter[key]}`).join(',')}`);
	if (flame.zoomed !== 0)
		parts.push(`z=${flame.zoomed}`);
	if (flame.flipped)
		parts.push('o=f');
	if (flame.relative)
		parts.push('m=rel');
	history.replaceState(null, '', `#${parts.join('&')}`);
}

function readAddress() {
	const given = new Map(location.hash.slice(1).split('&').map(part => [part.split('=')[0], part.slice(part.indexOf('=') + 1)]));
	const window = text => {
		const [from, to] = (text ?? '').split('..').map(Number);

		return Number.isInteger(from) && Number.isInteger(to) && from < to ? clampWindow(from, to) : null;
	};
	const chosen = [window(given.get('w')), window(given.get('b'))], zoomed = Number(given.get('z'));
	let text = '';

	try {
		text = decodeURIComponent(given.get('q') ?? '');
	} catch {
		say('The search in this address is damaged.');
	}
	for (const [key, number] of (given.get('p') ?? '').split(',').map(part => part.split(':')))
		if (Object.hasOwn(state.filter, key) && [...element(key).options].some(option => option.value === number)) {
			element(key).value = number;
			state.filter[key] = Number(number);
		}
	flame.flipped = given.get('o') === 'f';
	flame.relative = given.get('m') === 'rel';
	if (zoomed > 0 && zoomed < tree.parent.length)
		flame.zoomed = flame.chosen = Math.floor(zoomed);
	return { chosen, text };
}

// --- keys ---

const actions = {
	'+': () => heat.chooseScale(heat.scaleNumber - 1),
	'-': () => heat.chooseScale(heat.scaleNumber + 1),
	'0': () => chooseWindow(0, [heat.begin, heat.end], true),
	b: () => swapBaseline(),
	B: () => { heat.setWindow(1, null); showWindow(true); },
	z: () => changeZone(),
	'/': () => element('search').focus(),
	n: () => flame.nextMatch(1),
	N: () => flame.nextMatch(-1),
	i: () => { flame.flipped = !flame.flipped; flame.draw(); remember(); },
	v: () => { flame.relative = !flame.relative; tellMode(); flame.draw(); flame.tell(); remember(); },
	t: () => { element('table').hidden = !element('table').hidden; flame.draw(); },
	y: () => copyCommand(),
	D: () => changeTheme(),
	'?': () => element('help').showModal()
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

async function copyCommand() {
	const text = [element('command').textContent, element('command2').textContent].filter(line => line !== '').join('\n');

	try {
		await navigator.clipboard.writeText(text);
		say('The command was copied.');
	} catch {
		getSelection().selectAllChildren(element('command'));
		say('The command is selected: copy it.');
	}
}

function isDark() {
	const theme = document.documentElement.dataset.theme;

	return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
}

function changeTheme() {
	document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
	heat.dark = isDark();
	heat.refresh();
	flame.draw();
}

function onKey(event) {
	const typing = event.target.matches('input, select, dialog *');

	if (event.ctrlKey || event.altKey || event.metaKey)
		return;
	if (event.key === 'Escape') {
		if (heat.anchor !== null)
			heat.key(event);
		else if (state.search !== '')
			search('', true);
		element('heat').focus();
		return;
	}
	if (typing)
		return;
	if (document.activeElement === element('heat') && heat.key(event)) {
		event.preventDefault();
		return;
	}
	const action = actions[event.key === '=' ? '+' : event.key === 'Home' ? '0' : event.key];
	if (action !== undefined && !(event.target.matches('button') && event.key === ' ')) {
		event.preventDefault();
		action();
	}
}

function listen() {
	document.addEventListener('keydown', onKey);
	element('search').addEventListener('input', event => search(event.target.value, false));
	element('search').addEventListener('keydown', event => {
		if (event.key === 'Enter')
			flame.nextMatch(event.shiftKey ? -1 : 1);
	});
	for (const button of document.querySelectorAll('button[data-key]'))
		button.addEventListener('click', () => actions[button.dataset.key]());
	new ResizeObserver(() => {
		heat.chooseScale(heat.scaleNumber);
		flame.draw();
	}).observe(document.body);
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
		heat.dark = isDark();
		heat.refresh();
		flame.draw();
	});
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
	element('title').textContent = visible(facts.title);
	if (!await checkPage())
		throw new Error('This page was changed on its way: make it again with --text');
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
	flame = new FlameView({ canvas: element('flame'), tree: element('tree'), tip: element('tip'), detail: element('detail'),
		cut: element('cut'), changed: () => remember() });
	offerFilters();
	Object.assign(own, readAddress());
	heat.windows = [own.chosen[0] ?? [heat.begin, heat.end], own.chosen[1]];
	state.mask = heat.mask = rowMask(state.filter);
	tellMode();
	heat.remember();
	// what is not a whole cell of the level needs the blocks at the end of the page
	if (document.readyState === 'loading' && own.chosen.some(window => window !== null))
		await new Promise(done => { document.addEventListener('DOMContentLoaded', done); });
	showWindow(true);
	if (own.text !== '')
		search(own.text, true);
	listen();
	performance.mark('flame');
	if (document.readyState === 'loading')
		await new Promise(done => { document.addEventListener('DOMContentLoaded', done); });
	document.body.classList.add('ready');
}

window.stk = { query, frames: () => flame.frames(), facts, forget: forgetBlocks, ready: start().catch(error => {
	say(`${error.message}.`);
	document.body.classList.add('failed');
}) };
