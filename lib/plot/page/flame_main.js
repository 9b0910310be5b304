// SPDX-License-Identifier: MIT
// flame_main: the page of a flame graph: what is shown, search, steps, keys, and the address.
'use strict';

const NAMES_LISTED = 100;
const state = { search: '', match: null, values: null, before: null };
let flame;

const say = text => { element('say').textContent = text; };
const isDiff = facts.sides !== undefined;
const canBeAbsolute = isDiff && facts.durations.every(seconds => seconds > 0);

// What the table is filled from, for tests and for the console: cells from, to - 1; all without them.
function query({ from, to } = {}) {
	const values = rollUp(from === undefined ? isDiff ? [1, 2] : EVERY : [from, to]);

	return { total: values.total[0], functions: flatProfile(values).map(({ name, self, total }) => ({ name, self, total })) };
}

// --- what is shown ---

function refresh() {
	state.values = rollUp(isDiff ? [1, 2] : EVERY);
	state.before = isDiff ? rollUp([0, 1]) : null;
	const seconds = canBeAbsolute ? [facts.durations[1], facts.durations[0]] : [1, 1];

	if (flame.zoomed >= tree.parent.length)
		flame.zoomed = 0;
	if (flame.chosen >= tree.parent.length)
		flame.chosen = flame.zoomed;
	flame.show(state.values, state.before, seconds);
	fillTable(state.values, state.before, { relative: flame.relative, after: seconds[0], before: seconds[1] },
		row => search(`^${row.name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}$`, true));
	tellAnswer();
	tellLegend();
	tellSandwich();
	tellPath();
	showMatches();
	document.body.classList.toggle('empty', state.values.total[0] === 0 && (state.before === null || state.before.total[0] === 0));
}

const unitText = count => `${withSpaces(count)} ${count === 1 && facts.unit === 'samples' ? 'sample' : facts.unit}`;

function tellAnswer() {
	const whole = state.values.total[0], [first] = flatProfile(state.values).filter(row => row.name !== '(rest)');

	if (whole === 0 && !isDiff)
		element('window').textContent = 'No samples.';
	else if (isDiff)
		element('window').textContent = `${visible(facts.sides[1])}, ${unitText(whole)}, against ${visible(facts.sides[0])}, ${
			unitText(state.before.total[0])}`;
	else
		element('window').textContent = `${unitText(whole)}${facts.cells === 0 ? '' : `, ${windowText(0, facts.cells)}`}; most in ${
			shortened(visible(first.name), 60)}: ${percent(first.self, whole)} itself`;
}

function tellLegend() {
	const items = flame.legend();

	element('fills').replaceChildren(...items.map(([fill, text]) => {
		const item = make('span', '');
		const swatch = make('span', '', { class: 'swatch', 'aria-hidden': 'true' });

		swatch.style.background = fill;
		item.append(swatch, make('bdi', text));
		return item;
	}));
	element('fills').hidden = items.length === 0;
	element('colours').hidden = flame.colourings().length < 2 || isDiff;
	element('colours').textContent = `Colour: ${flame.colouring}`;
	element('legend').hidden = !isDiff;
	element('modes').hidden = !canBeAbsolute;
	element('modes').textContent = flame.relative ? 'Shares' : 'Rates';
	element('mode').textContent = flame.relative ? 'Shares: a frame can fall because others grew.'
		: 'Rates: samples a second, in points of the larger recording.';
}

function tellSandwich() {
	const step = steps.findLast(([letter]) => letter === 's'), canvas = element('callers');

	element('above').hidden = canvas.hidden = step === undefined;
	if (step === undefined)
		return;
	const callers = callersOf(step[1]);
	const near = callers.depth.map((depth, i) => i).filter(i => callers.depth[i] === 1)
		.sort((a, b) => callers.total[b] - callers.total[a]);
	const called = near.slice(0, 5).map(i => `${shortened(visible(names[callers.frame[i]]), 60)} ${percent(callers.total[i], callers.total[0])}`);

	flame.drawCallers(canvas, callers);
	element('above').textContent = `Callers of ${shortened(visible(step[1]), 60)}: ${called.length === 0 ? 'none' : called.join(', ')}${
		near.length > 5 ? ` and ${near.length - 5} more` : ''}. What it calls is below.`;
}

// --- the way to what is shown ---

function tellPath() {
	const path = [], items = [];

	for (let at = flame.zoomed; at !== 0; at = tree.parent[at])
		path.unshift(at);
	const button = (text, label, action) => {
		const made = make('button', '', { 'aria-label': label });

		made.append(make('bdi', shortened(text, 40)));
		made.addEventListener('click', action);
		items.push(made);
	};

	button('all', 'zoom out to all', () => flame.zoom(0));
	if (path.length > 6)
		items.push(make('span', `\u2026 ${path.length - 6} \u2026`));
	path.slice(-6).forEach(node => button(`\u203A ${visible(names[tree.frame[node]])}`,
		`zoom to ${shortened(visible(names[tree.frame[node]]), 80)}`, () => flame.zoom(node)));
	steps.forEach(([letter, value], i) => {
		const text = `${STEP_WORDS[letter]}${letter === 'r' ? '' : letter === '%' ? ` ${value} %` : ` ${visible(value)}`}`;

		button(`\u00D7 ${text}`, `take back: ${shortened(text, 80)}`, () => changeSteps(steps.filter((_, k) => k !== i)));
	});
	element('path').replaceChildren(...items);
}

function changeSteps(next) {
	steps = next;
	useSteps();
	flame.zoomed = flame.chosen = 0;
	refresh();
	remember(true);
}

// A step with the function of the chosen frame.
function addStep(letter) {
	if (letter === 'r') {
		changeSteps([...steps, ['r', '']]);
		return;
	}
	if (flame.chosen === 0) {
		say('Choose a frame first: arrows, or a click.');
		return;
	}
	if (letter === 's')
		flame.flipped = false;		// callers are above, what is called below
	changeSteps([...steps, [letter, names[tree.frame[flame.chosen]]]]);
	say(`${STEP_WORDS[letter]}: u takes it back.`);
}

function foldUnder() {
	const share = Number(element('percent').value);

	element('fold').close();
	if (share > 0 && share <= 100)
		changeSteps([...steps, ['%', share]]);
}

// --- search ---

// Plain text, case ignored unless it has a capital; /.../ or ^ or $: a regular expression.
function matcher(text) {
	const special = text.match(/^(module|group|state):(.*)$/);
	const regular = /^\/.*\/$/.test(text) ? text.slice(1, -1) : /^\^|\$$/.test(text) ? text : null;
	const caseless = text === text.toLowerCase();

	if (special !== null && special[1] === 'module')
		return frame => moduleText(frame).toLowerCase().includes(special[2].toLowerCase());
	if (regular !== null) {
		const expression = new RegExp(regular, caseless ? 'i' : '');

		return frame => expression.test(names[frame]);
	}
	return caseless ? frame => names[frame].toLowerCase().includes(text) : frame => names[frame].includes(text);
}

function search(text, typed) {
	if (typed)
		element('search').value = text;
	try {
		const matches = text === '' ? null : matcher(text);

		state.match = matches === null ? null : names.map((name, frame) => matches(frame));
	} catch {
		element('found').textContent = 'That is not a regular expression.';
		return;
	}
	state.search = text;
	flame.search(state.match);
	showMatches();
	remember(false);
}

function showMatches() {
	const { match, values } = state, under = new Uint8Array(tree.parent.length);
	let matched = 0;

	element('matches').replaceChildren();
	element('matching').hidden = match === null;
	if (match === null) {
		element('found').textContent = '';
		return;
	}
	for (let i = 1; i < under.length; i++) {
		under[i] = under[tree.parent[i]] || match[tree.frame[i]] ? 1 : 0;
		if (under[i])
			matched += values.self[i];
	}
	const found = flatProfile(values).filter(row => row.frame >= 0 && match[row.frame]).sort((a, b) => b.total - a.total);
	element('found').textContent = `${withSpaces(found.length)} function${found.length === 1 ? '' : 's'}, ${unitText(matched)}, ${
		percent(matched, values.total[0])} of all`;
	element('matches').append(...found.slice(0, NAMES_LISTED).map(row => {
		const item = make('li', ''), find = make('button', '', { class: 'name' });

		find.append(make('bdi', shortened(visible(row.name), 80)), ` ${percent(row.total, values.total[0])}`);
		find.addEventListener('click', () => goTo(row.frame));
		item.append(find);
		return item;
	}));
}

// The widest frame of a function, zoomed to where it can be seen.
function goTo(frame) {
	const node = tree.order.reduce((best, at) => tree.frame[at] === frame && at !== 0 && (best === 0 || flame.width[at] > flame.width[best])
		? at : best, 0);

	if (node === 0)
		return;
	let above = node;
	while (above !== 0 && flame.width[node] / flame.width[tree.parent[above]] * flame.canvas.clientWidth >= 100)
		above = tree.parent[above];
	flame.chosen = node;
	flame.zoom(above);
	flame.choose(node);
}

// --- the address ---

function remember(step) {
	const parts = ['v=1'];

	if (state.search !== '')
		parts.push(`q=${encodeURIComponent(state.search.toWellFormed?.() ?? state.search)}`);
	if (flame.zoomed !== 0)
		parts.push(`z=${flame.zoomed}`);
	if (steps.length > 0)
		parts.push(`x=${stepsText()}`);
	if (flame.colouring !== flame.colourings()[0])
		parts.push(`c=${flame.colouring}`);
	if (flame.flipped !== !facts.icicle)
		parts.push(`o=${flame.flipped ? 'f' : 'i'}`);
	if (isDiff && flame.relative)
		parts.push('m=rel');
	history[step ? 'pushState' : 'replaceState'](null, '', `#${parts.join('&')}`);
	tellPath();
}

function readAddress() {
	const given = new Map(location.hash.slice(1).split('&').map(part => [part.split('=')[0], part.slice(part.indexOf('=') + 1)]));
	const zoomed = Number(given.get('z') ?? 0), colouring = given.get('c');
	let text = '', unknown = 0;

	try {
		text = decodeURIComponent(given.get('q') ?? '');
	} catch {
		unknown++;
	}
	unknown += readSteps(given.get('x') ?? '');
	useSteps();
	flame.flipped = given.has('o') ? given.get('o') === 'f' : !facts.icicle;
	flame.relative = isDiff && (!canBeAbsolute || given.get('m') === 'rel');
	flame.colouring = flame.colourings().includes(colouring) ? colouring : flame.colourings().includes('group') ? 'group' : 'module';
	flame.zoomed = flame.chosen = Number.isInteger(zoomed) && zoomed > 0 && zoomed < tree.parent.length ? zoomed : 0;
	refresh();
	search(text, true);
	if (unknown > 0)
		say(`This address names ${unknown === 1 ? 'one thing' : `${unknown} things`} that this file does not have.`);
}

// --- what leaves the page ---

// The paths that are shown, as folded text.
function foldedText() {
	const paths = [], lines = [];
	const plain = name => name.replace(/;/g, ':').replace(/[\r\n]/g, ' ');

	for (let i = 0; i < tree.parent.length; i++) {
		paths[i] = i === 0 ? '' : `${tree.parent[i] === 0 ? '' : `${paths[tree.parent[i]]};`}${plain(names[tree.frame[i]])}`;
		if (state.values.self[i] > 0 && flame.isBelow(i, flame.zoomed))
			lines.push(`${i === 0 ? '?' : paths[i]} ${state.values.self[i]}`);
	}
	return `${lines.sort().join('\n')}\n`;
}

function exportFolded() {
	const link = make('a', ''), address = URL.createObjectURL(new Blob([foldedText()], { type: 'text/plain' }));

	link.href = address;
	link.download = `${facts.title.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 100) || 'stkplot'}.folded`;
	link.click();
	setTimeout(() => URL.revokeObjectURL(address), 1000);
	say('What is shown was saved as folded text.');
}

async function copyCommand() {
	try {
		await navigator.clipboard.writeText(element('command').textContent);
		say('The command was copied.');
	} catch {
		getSelection().selectAllChildren(element('command'));
		say('The command is selected: copy it.');
	}
}

// --- keys ---

function isDark() {
	const theme = document.documentElement.dataset.theme;

	return theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
}

const actions = {
	'/': () => element('search').focus(),
	n: () => flame.nextMatch(1),
	N: () => flame.nextMatch(-1),
	'0': () => flame.zoom(0),
	'[': () => history.back(),
	']': () => history.forward(),
	i: () => { flame.flipped = !flame.flipped; flame.draw(); remember(false); },
	v: () => {
		if (canBeAbsolute) {
			flame.relative = !flame.relative;
			refresh();
			remember(false);
		}
	},
	c: () => {
		const all = flame.colourings();

		flame.colouring = all[(all.indexOf(flame.colouring) + 1) % all.length];
		refresh();
		remember(false);
	},
	m: () => addStep('m'),
	d: () => addStep('d'),
	f: () => addStep('f'),
	s: () => addStep('s'),
	r: () => addStep('r'),
	'%': () => element('fold').showModal(),
	u: () => changeSteps(steps.slice(0, -1)),
	U: () => changeSteps([]),
	t: () => { element('table').hidden = !element('table').hidden; flame.draw(); },
	e: () => exportFolded(),
	y: () => copyCommand(),
	D: () => { document.documentElement.dataset.theme = isDark() ? 'light' : 'dark'; flame.draw(); },
	'?': () => element('help').showModal()
};

function onKey(event) {
	const typing = event.target.matches('input, select, dialog *');

	if (event.key === 'f' && event.ctrlKey) {
		event.preventDefault();
		element('search').focus();
	}
	if (event.ctrlKey || event.altKey || event.metaKey || (typing && event.key !== 'Escape'))
		return;
	if (event.key === 'Escape') {
		if (event.target.matches('dialog *'))
			return;
		if (state.search !== '')
			search('', true);
		else if (!typing)
			flame.zoom(0);
		element('tip').hidden = true;
		element('tree').focus();
		return;
	}
	const action = actions[event.key === 'Home' ? '0' : event.key];
	if (action !== undefined) {
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
	element('fold').addEventListener('close', () => {
		if (element('fold').returnValue === 'fold')
			foldUnder();
	});
	window.addEventListener('popstate', () => readAddress());
	window.addEventListener('beforeprint', () => element('paper').replaceChildren(flame.paper()));
	window.addEventListener('afterprint', () => element('paper').replaceChildren());
	new ResizeObserver(() => { flame.draw(); tellSandwich(); }).observe(document.body);
	matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => flame.draw());
}

// --- from the bytes to the picture ---

async function start() {
	useZones(facts.zone);
	element('title').textContent = visible(facts.title);
	element('command').textContent = facts.command;
	if (!await checkPage())
		throw new Error('This page was changed on its way: make it again with --text');
	await readNames();
	await readCounts();
	const [paths, sum, least] = facts.rest;
	if (least > 1)
		element('cut2').textContent = `${withSpaces(paths)} call paths with fewer than ${withSpaces(least)} ${facts.unit} are not kept apart: ${
			percent(sum, facts.sum)} of all are in frames called (rest), and functions lack what they have there.`;
	flame = new FlamePicture({ canvas: element('flame'), tree: element('tree'), tip: element('tip'), detail: element('detail'),
		cut: element('cut'), changed: () => remember(true) });
	readAddress();
	listen();
	performance.mark('flame');
	document.body.classList.add('ready');
}

window.stk = { query, frames: () => flame.frames(), folded: foldedText, facts, ready: start().catch(error => {
	say(`${error.message}.`);
	document.body.classList.add('failed');
}) };
