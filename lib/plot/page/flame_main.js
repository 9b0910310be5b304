// SPDX-License-Identifier: MIT
// flame_main: the page of a flame graph: what is shown, search, steps, keys, and the address.
'use strict';

const state = { search: '', match: null, values: null, before: null };
let flame;

const isDiff = facts.sides !== undefined, SHOWN = isDiff ? [1, 2] : EVERY;
const shownSums = () => rowSums(...SHOWN);
const canBeAbsolute = isDiff && facts.durations.every(seconds => seconds > 0);

// What the table is filled from, for tests and for the console: cells from, to - 1; all without them.
function query({ from, to } = {}) {
	return answerOf(rollUp(from === undefined ? SHOWN : [from, to]));
}

// --- what is shown ---

function refresh() {
	state.values = rollUp(SHOWN);
	state.before = isDiff ? rollUp([0, 1]) : null;
	const seconds = canBeAbsolute ? [facts.durations[1], facts.durations[0]] : [1, 1];

	if (flame.zoomed >= tree.parent.length)
		flame.zoomed = 0;
	if (flame.chosen >= tree.parent.length)
		flame.chosen = flame.zoomed;
	flame.show(state.values, state.before, seconds);
	fillTable(state.values, state.before, { relative: flame.relative, after: seconds[0], before: seconds[1] }, row => search(searchOf(row.name), true),
		facts.cells > 1 ? { cells: () => Array.from({ length: facts.cells }, (_, cell) => rollUp([cell, cell + 1])), at: cell => cell } : null);
	tellAnswer();
	tellLegend();
	tellSandwich();
	tellPath();
	showMatches();
	document.body.classList.toggle('empty', state.values.total[0] === 0 && (state.before === null || state.before.total[0] === 0));
}

const unitText = count => `${amountText(count)} ${count === 1 && facts.unit === 'samples' ? 'sample' : facts.unit.replace(/^ns /, '')}`;

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
	tellSame();
	element('command').textContent = `${facts.command}${isDiff && !flame.relative ? ' --rate second' : ''}`;
}

// --- search ---

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

	listMatches([], 0);
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
	listMatches(found, values.total[0]);
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
	flame.colouring = flame.colourings().includes(colouring) ? colouring : flame.colourings()[0];
	flame.zoomed = flame.chosen = Number.isInteger(zoomed) && zoomed > 0 && zoomed < tree.parent.length ? zoomed : 0;
	refresh();
	search(text ?? '', true);
	if (unknown > 0)
		say(`This address names ${unknown === 1 ? 'one thing' : `${unknown} things`} that this file does not have.`);
}

// --- keys ---

const actions = {
	...stepActions,
	'0': () => flame.zoom(0),
	v: () => {
		if (canBeAbsolute) {
			flame.relative = !flame.relative;
			refresh();
			remember(false);
		}
	}
};

const KEYS = [['arrows', 'caller, callee, neighbours'], ['Enter, Space', 'zoom'],
	['Backspace', 'zoom out to the caller; 0, Home: to all'], ['[ ]', 'back and forward'], ['/', 'search; n, N: next and previous match'],
	...STEP_KEYS,
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
	listenFold();
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
	colourModules();
	const [paths, sum, least] = facts.rest;
	if (least > 1)
		element('cut2').textContent = `${withSpaces(paths)} call paths with fewer than ${withSpaces(least)} ${facts.unit} are not kept apart: ${
			percent(sum, facts.sum)} of all are in frames called (rest), and functions lack what they have there.`;
	flame = new FlamePicture({ canvas: element('flame'), tree: element('tree'), detail: element('detail'), cut: element('cut'), changed: () => remember(true),
		rowSums: () => rowSums(...EVERY), moduleLegend });
	readAddress();
	listen();
	performance.mark('flame');
}

startPage(start, { query, frames: () => flame.frames(), chances, folded: foldedText });
