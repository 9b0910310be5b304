// SPDX-License-Identifier: MIT
// flame_parts: what pages of call paths do with them: steps, the way to what is shown, matches, callers, export. The page has `flame`, `state.values`,
// refresh(), remember(step) and shownSums(), of what the picture shows.
'use strict';

const NAMES_LISTED = 100;
const CHANCE_TOLD = 'Chance: no more than samples vary from moment to moment; of what is coloured at most 5 % is false.';
const CHANCE_GUESSED = 'Chance: a difference that 5 of 100 pairs of recordings have, if samples are independent.';

// --- the way to what is shown ---

function tellPath() {
	const path = [], items = [];

	for (let at = flame.zoomed; at !== 0; at = tree.parent[at])
		path.unshift(at);
	const button = (text, label, action) => {
		const made = make('button', '');

		made.append(make('span', `${label} `, { class: 'unseen' }), make('bdi', shortened(text, 40)));
		made.addEventListener('click', action);
		items.push(made);
	};

	button('all', 'zoom out to', () => flame.zoom(0));
	if (path.length > 6)
		items.push(make('span', `\u2026 ${path.length - 6} \u2026`));
	path.slice(-6).forEach(node => button(`\u203A ${visible(names[tree.frame[node]])}`, 'zoom to', () => flame.zoom(node)));
	steps.forEach(([letter, value], i) => {
		const text = `${STEP_WORDS[letter]}${letter === 'r' ? '' : letter === '%' ? ` ${value} %` : ` ${visible(value)}`}`;

		button(`\u00D7 ${text}`, 'take back', () => changeSteps(steps.filter((_, k) => k !== i)));
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

// --- what was found ---

// Of frames: text of the name, or module:TEXT.
function matcher(text) {
	if (text.startsWith('module:'))
		return frame => moduleText(frame).toLowerCase().includes(text.slice(7).toLowerCase());
	const matches = textMatcher(text);

	return frame => matches(names[frame]);
}

// rows of the profile, those with the most first; each is a way to its widest frame.
function listMatches(found, whole) {
	element('matching').hidden = found.length === 0;
	element('matches').replaceChildren(...found.slice(0, NAMES_LISTED).map(row => {
		const item = make('li', ''), find = make('button', '', { class: 'name' });

		find.append(make('bdi', shortened(visible(row.name), 80)), ` ${percent(row.total, whole)}`);
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

// No command has the numbers of steps.
const tellSame = () => { element('same').textContent = steps.length > 0 ? 'The numbers without the steps:' : 'The same numbers:'; };

// --- chance ---

// Of a comparison, each frame but the root: how deep, which function, whether its difference is chance.
const chances = () => [...tree.order].filter(node => node !== 0).map(node => [tree.depth[node], names[tree.frame[node]], flame.isChance(node)]);

// The words of the legend have the fills that they speak of.
function colourLegend() {
	[['more', MORE_FILLS[2]], ['less', LESS_FILLS[2]], ['chance', CHANCE_FILL]].forEach(([word, fill]) => {
		document.querySelector(`#legend .${word}`).style.background = fill;
	});
}

// --- callers ---

function tellSandwich() {
	const step = steps.findLast(([letter]) => letter === 's'), canvas = element('callers');

	element('above').hidden = canvas.hidden = step === undefined;
	if (step === undefined)
		return;
	const callers = callersOf(step[1], shownSums());
	const near = callers.depth.map((depth, i) => i).filter(i => callers.depth[i] === 1)
		.sort((a, b) => callers.total[b] - callers.total[a]);
	const called = near.slice(0, 5).map(i => `${shortened(visible(names[callers.frame[i]]), 60)} ${percent(callers.total[i], callers.total[0])}`);

	flame.drawCallers(canvas, callers);
	element('above').textContent = `Callers of ${shortened(visible(step[1]), 60)}: ${called.length === 0 ? 'none' : called.join(', ')}${
		near.length > 5 ? ` and ${near.length - 5} more` : ''}. What it calls is below.`;
}

// --- what leaves the page ---

// The paths that are shown, as folded text.
function foldedText() {
	const paths = [], lines = [];
	const plain = name => name.replace(/;/g, ':').replace(/[\r\n]/g, ' ');

	for (let i = 0; i < tree.parent.length; i++) {
		paths[i] = i === 0 ? '' : `${tree.parent[i] === 0 ? '' : `${paths[tree.parent[i]]};`}${plain(names[tree.frame[i]])}`;
		if (state.values.self[i] > 0 && flame.isBelow(i, flame.zoomed))
			lines.push(`${i === 0 ? '?' : paths[i]} ${state.values.self[i] * facts.each}`);
	}
	return `${lines.sort().join('\n')}\n`;
}

function exportFolded() {
	saveText(foldedText(), 'folded');
	say('What is shown was saved as folded text.');
}

// --- keys ---

const stepActions = {
	'[': () => history.back(),
	']': () => history.forward(),
	m: () => addStep('m'),
	d: () => addStep('d'),
	f: () => addStep('f'),
	s: () => addStep('s'),
	r: () => addStep('r'),
	'%': () => element('fold').showModal(),
	u: () => changeSteps(steps.slice(0, -1)),
	U: () => changeSteps([]),
	e: () => exportFolded(),
	y: () => copyCommand(),
	n: () => flame.nextMatch(1),
	N: () => flame.nextMatch(-1),
	t: () => { element('table').hidden = !element('table').hidden; flame.draw(); },
	i: () => { flame.flipped = !flame.flipped; flame.draw(); remember(false); },
	c: () => {
		const all = flame.colourings();

		flame.colouring = all[(all.indexOf(flame.colouring) + 1) % all.length];
		refresh();
		remember(false);
	}
};

const STEP_KEYS = [['m, d', 'merge the function into its callers; drop its samples'],
	['f, s', 'focus on what it calls; with its callers: sandwich'],
	['r, %', 'collapse recursion; fold small frames into their callers'], ['u, U', 'undo the last step, all steps']];

function listenFold() {
	colourLegend();
	element('fold').addEventListener('close', () => {
		if (element('fold').returnValue === 'fold')
			foldUnder();
	});
}
