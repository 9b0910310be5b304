// SPDX-License-Identifier: MIT
// flame_main: the page of a flame graph: what is shown, search, steps, keys, and the address.
'use strict';

const NAMES_LISTED = 100;
const state = { search: '', match: null, values: null, before: null };
let flame;

const isDiff = facts.sides !== undefined;
const CHANCE_TOLD = 'Chance: no more than samples vary from moment to moment; of what is coloured at most 5 % is false.';
const CHANCE_GUESSED = 'Chance: a difference that 5 of 100 pairs of recordings have, if samples are independent.';
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
		row => search(searchOf(row.name), true));
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
		element('window').textContent = `${unitText(whole)}${facts.cells === 0 ? '' : `, ${windowText(0, facts.cells)}`}${first === undefined || first.self === 0 ? ''
			: `; most in ${shortened(visible(first.name), 60)}: ${percent(first.self, whole)} itself`}`;
}

function tellLegend() {
	fillLegend('fills', flame.legend());
	element('colours').hidden = flame.colourings().length < 2 || isDiff;
	element('colours').textContent = `Colour: ${flame.colouring}`;
	element('legend').hidden = !isDiff;
	element('modes').hidden = !canBeAbsolute;
	element('modes').textContent = flame.relative ? 'Shares' : 'Rates';
	element('mode').textContent = flame.relative ? 'Shares: a frame can fall because others grew.'
		: 'Rates: samples a second, in points of the larger recording.';
	element('chance').textContent = tree.marks === null ? CHANCE_GUESSED : CHANCE_TOLD;
	element('command').textContent = `${facts.command}${isDiff && !flame.relative ? ' --rate second' : ''}`;
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

// Of frames: text of the name, or module:TEXT.
function matcher(text) {
	if (text.startsWith('module:'))
		return frame => moduleText(frame).toLowerCase().includes(text.slice(7).toLowerCase());
	const matches = textMatcher(text);

	return frame => matches(names[frame]);
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
	writeAddress({ q: encoded(state.search), z: flame.zoomed === 0 ? '' : flame.zoomed, x: stepsText(),
		c: flame.colouring === flame.colourings()[0] ? '' : flame.colouring,
		o: flame.flipped === !facts.icicle ? '' : flame.flipped ? 'f' : 'i', m: !isDiff || flame.relative === facts.shares ? '' : flame.relative ? 'rel' : 'abs' }, step);
	tellPath();
}

function readAddress() {
	const given = addressParts(), zoomed = Number(given.get('z') ?? 0), colouring = given.get('c'), text = decoded(given.get('q'));
	const unknown = readSteps(given.get('x') ?? '') + (text === null ? 1 : 0);

	useSteps();
	flame.flipped = given.has('o') ? given.get('o') === 'f' : !facts.icicle;
	flame.relative = isDiff && (!canBeAbsolute || (given.has('m') ? given.get('m') === 'rel' : facts.shares));
	flame.colouring = flame.colourings().includes(colouring) ? colouring : flame.colourings().includes('group') ? 'group' : 'module';
	flame.zoomed = flame.chosen = Number.isInteger(zoomed) && zoomed > 0 && zoomed < tree.parent.length ? zoomed : 0;
	refresh();
	search(text ?? '', true);
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
	saveText(foldedText(), 'folded');
	say('What is shown was saved as folded text.');
}

// --- keys ---

const actions = {
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
	y: () => copyCommand()
};

const KEYS = [['arrows', 'caller, callee, neighbours'], ['Enter, Space', 'zoom'],
	['Backspace', 'zoom out to the caller; 0, Home: to all'], ['[ ]', 'back and forward'], ['/', 'search; n, N: next and previous match'],
	['m, d', 'merge the function into its callers; drop its samples'],
	['f, s', 'focus on what it calls; with its callers: sandwich'],
	['r, %', 'collapse recursion; fold small frames into their callers'], ['u, U', 'undo the last step, all steps'],
	['c, v', 'next colouring; rates or shares of a difference'], ['i, t', 'upside down; table'],
	['e, y', 'export what is shown as folded text; copy the command'], ['Escape', 'clear the search, zoom out']];

function escape(typing) {
	if (state.search !== '')
		search('', true);
	else if (!typing)
		flame.zoom(0);
	element('tip').hidden = true;
	element('tree').focus();
}

function listen() {
	addHelp(KEYS);
	listenKeys(actions, { escape, recolour: () => flame.draw() });
	element('search').addEventListener('input', event => search(event.target.value, false));
	element('search').addEventListener('keydown', event => {
		if (event.key === 'Enter')
			flame.nextMatch(event.shiftKey ? -1 : 1);
	});
	element('fold').addEventListener('close', () => {
		if (element('fold').returnValue === 'fold')
			foldUnder();
	});
	window.addEventListener('popstate', () => readAddress());
	window.addEventListener('beforeprint', () => element('paper').replaceChildren(flame.paper()));
	window.addEventListener('afterprint', () => element('paper').replaceChildren());
	new ResizeObserver(() => { flame.draw(); tellSandwich(); }).observe(document.body);
}

// --- from the bytes to the picture ---

async function start() {
	useZones(facts.zone);
	readNames();
	readCounts();
	readMarks();
	const [paths, sum, least] = facts.rest;
	if (least > 1)
		element('cut2').textContent = `${withSpaces(paths)} call paths with fewer than ${withSpaces(least)} ${facts.unit} are not kept apart: ${
			percent(sum, facts.sum)} of all are in frames called (rest), and functions lack what they have there.`;
	flame = new FlamePicture({ canvas: element('flame'), tree: element('tree'), detail: element('detail'), cut: element('cut'), changed: () => remember(true) });
	readAddress();
	listen();
	performance.mark('flame');
}

// Of a comparison, each frame but the root: how deep, which function, whether its difference is chance.
const chances = () => [...tree.order].filter(node => node !== 0).map(node => [tree.depth[node], names[tree.frame[node]], flame.isChance(node)]);

startPage(start, { query, frames: () => flame.frames(), chances, folded: foldedText });
