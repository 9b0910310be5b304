// SPDX-License-Identifier: MIT
// chart_main: the page of trends, groups or classes: what is chosen, the table of its numbers, the flame graph of a window, keys, and the address.
'use strict';

let chart, flame = null;
let under = 0;			// the group whose call paths are shown: a node below the root; 0: all

// --- numbers of a window ---

const windowShown = () => chart.window ?? [0, SEEN];

// Sums of an area are in seconds where its unit is a number of threads.
function sumOf(panel, line, [from, to]) {
	let sum = 0;

	for (let c = from; c < to; c++)
		sum += line.at[c] ?? 0;
	return isCounted(panel) ? sum : sum * COLUMN_MS / 1000;
}

// For tests and the console: columns from, to - 1; what was seen without them.
function query({ from = 0, to = SEEN } = {}) {
	return panels.map(panel => ({ name: panel.name, unit: panel.unit,
		lines: panel.lines.map(line => ({ name: line.name, role: line.role, mean: meanOf(line.at, from, to), sum: sumOf(panel, line, [from, to]) })),
		rows: panel.rows.map(({ name, frames, depth, total, own, now }) => ({ name, frames, depth, total, own, now })),
		marks: panel.marks.map(({ what, say: text }) => ({ what, say: text })) }));
}

function valueLines(panel, window) {
	if (!isStacked(panel))
		return panel.lines.map(line => [`${line.name} of ${panel.name}`, numberText(meanOf(line.at, ...window), panel.unit),
			numberText(meanOf(line.at, 0, SEEN), panel.unit), '']);
	const sums = panel.lines.map(line => sumOf(panel, line, window)), whole = sums.reduce((a, b) => a + b, 0);

	return panel.lines.map((line, i) => [panel.part ? `${line.name} on ${panel.name}` : line.name, numberText(meanOf(line.at, ...window), panel.unit),
		numberText(meanOf(line.at, 0, SEEN), panel.unit), `${+sums[i].toPrecision(6)}${isCounted(panel) ? '' : '\u2009s'}, ${percent(sums[i], whole)}`]);
}

function fillValues() {
	const head = make('tr', ''), window = windowShown();

	if (element('values').hidden)
		return;
	head.append(make('th', 'what', { scope: 'col' }));
	for (const text of [`mean, ${chart.window === null ? 'all' : 'window'}`, 'mean, all', 'sum, window'])
		head.append(make('th', text, { scope: 'col', class: 'number' }));
	element('valueheads').replaceChildren(head);
	element('valuerows').replaceChildren(...panels.flatMap(panel => valueLines(panel, window)).map(([name, ...numbers]) => {
		const line = make('tr', ''), first = make('th', '', { scope: 'row' });

		first.append(make('bdi', shortened(visible(name), 90)));
		line.append(first, ...numbers.map(text => make('td', text, { class: 'number' })));
		return line;
	}));
}

// --- words ---

function tellWindow() {
	const panel = panels[chart.first];

	if (panel === undefined) {
		element('window').textContent = 'Nothing to draw.';
		return;
	}
	if (chart.window !== null) {
		element('window').textContent = `Window: ${windowOf(chart.window)}${chart.anchor === null ? '' : '; Enter ends it'}`;
		return;
	}
	element('window').textContent = chart.lines(panel, chart.at).slice(0, 8).join(' \u00B7 ');
}

// What lines and colours are.
function fillKey() {
	const items = [];

	if (facts.kind === 'trend')
		for (const [role, text] of [['measured', 'measured'], ['expected', 'expected, and what comes'], ['band', 'its interval'], ['level', 'level, season taken off'],
			['found', 'finding'], ['limit', 'limit'], ['coming', 'to come']]) {
			const item = make('span', '', { class: 'key' }), svg = draw('svg', { viewBox: '0 0 26 12', 'aria-hidden': 'true' });

			svg.append(draw('path', { class: role, d: role === 'found' ? 'M8 1h10l-5 9z' : role === 'band' || role === 'coming' ? 'M0 0h26v12h-26z' : 'M0 6h26' }));
			item.append(svg, text);
			items.push(item);
		}
	if (panels.length > 0 && isStacked(panels[0]))
		panels.filter(panel => !panel.part).forEach(panel => panel.lines.forEach(line => items.push(groupItem(line))));
	element('fills').replaceChildren(...items);
	element('fills').hidden = items.length === 0;
}

function groupItem(line) {
	const item = make('span', '', { class: 'group' }), label = make('label', ''), box = make('input', '', { type: 'checkbox' });
	const swatch = draw('svg', { width: 13, height: 13, 'aria-hidden': 'true' });

	box.checked = !chart.hidden.has(line.name);
	box.setAttribute('aria-label', `show ${shortened(visible(line.name), 60)}`);
	box.addEventListener('change', () => {
		chart.hidden[box.checked ? 'delete' : 'add'](line.name);
		chart.refresh();
		remember();
	});
	swatch.append(draw('rect', { width: 13, height: 13, fill: fillOf(line.colour), stroke: '#767676' }));
	if (isHatched(line.colour))
		swatch.append(draw('rect', { width: 13, height: 13, fill: `url(#hatch${(line.colour - HATCHED) % 3})` }));
	label.append(box);
	item.append(label, swatch, flame === null ? make('bdi', shortened(visible(line.name), 40))
		: nameButton(line.name, 40, () => chooseGroup(line.name)), make('span', line.say, { class: 'faint' }));
	return item;
}

function fillNotes() {
	const lists = panels.filter(panel => panel.marks.length > 0).map(panel => {
		const details = make('details', ''), list = make('ul', '');

		details.append(make('summary', `${withSpaces(panel.marks.length)} ${panel.marks[0].what === 'split' ? 'split' : 'finding'}${panel.marks.length === 1 ? '' : 's'} of ${
			shortened(visible(panel.name), 60)}`), list);
		list.append(...panel.marks.map(mark => make('li', `${shortMoment(AXIS_T0 + mark.from)}: ${visible(mark.say)}`)));
		return details;
	});

	element('notes').replaceChildren(...lists, ...facts.notes.map(note => make('p', visible(note), { class: 'faint' })));
}

function tellZone() {
	element('zone').textContent = facts.monotonic ? 'seconds' : zones[zone];
}

// --- the flame graph of a group in a window ---

const groupName = node => names[tree.frame[node]];

function chooseGroup(name) {
	under = tree.parent.findIndex((parent, node) => node !== 0 && parent === 0 && groupName(node) === name);
	if (under < 0) {
		under = 0;
		say('No sample of this group is in the recording.');
	}
	flame.zoomed = flame.chosen = under;
	showPaths();
	remember();
	element('pathtitle').scrollIntoView({ block: 'nearest' });
}

// Cells of call paths are longer or shorter than columns: those that the window touches.
function cellsOfWindow() {
	if (chart.window === null || facts.cell === 0)
		return EVERY;
	const [from, to] = chart.window.map(column => cellOf(columnMs(column)));

	return [Math.max(0, Math.floor(from + 1e-6)), Math.min(facts.cells, Math.ceil(to - 1e-6))];
}

function showPaths() {
	if (flame === null)
		return;
	const cells = cellsOfWindow(), values = rollUp(cells), timed = chart.window !== null && facts.cell > 0;

	flame.show(values, null, [1, 1]);
	const whole = flame.zoomed === 0 ? values.total[0] : values.total[flame.zoomed];
	element('pathtitle').textContent = `Call paths ${flame.zoomed === 0 ? 'of all groups' : `of ${shortened(visible(names[tree.frame[flame.zoomed]]), 60)}`}, ${
		timed ? windowText(...cells) : 'all of the time'}: ${withSpaces(whole)} ${facts.unit}`;
	const flat = flatProfile(values).filter(row => !isGroupFrame(row.frame)), shown = flat.slice(0, 40);
	fillRows({ heads: ['self', 'self %', 'total', 'total %'], nameHead: 'function', left: flat.length - shown.length,
		lines: shown.map(row => ({ name: row.name, numbers: [withSpaces(row.self), percent(row.self, values.total[0]), withSpaces(row.total),
			percent(row.total, values.total[0])], chosen: () => goTo(row.frame) })) });
}

const groupFrames = new Set();
const isGroupFrame = frame => groupFrames.has(frame);

// The widest frame of a function.
function goTo(frame) {
	const node = tree.order.reduce((best, at) => tree.frame[at] === frame && at !== 0 && (best === 0 || flame.width[at] > flame.width[best]) ? at : best, 0);

	if (node !== 0)
		flame.zoom(node);
}

// Groups have the colours of their areas.
class GroupedFlame extends FlameView {
	fill(node) {
		const line = tree.depth[node] === 1 ? panels[0]?.lines.find(one => one.name === groupName(node)) : undefined;

		return line === undefined ? super.fill(node) : fillOf(line.colour);
	}
}

async function startPaths() {
	const [paths, sum, least] = facts.rest;

	await readNames();
	await readCounts();
	showTree({ ...recorded, rowNode: rows.node });
	tree.parent.forEach((parent, node) => {
		if (node !== 0 && parent === 0)
			groupFrames.add(tree.frame[node]);
	});
	flame = new GroupedFlame({ canvas: element('flame'), tree: element('tree'), tip: element('tip'), detail: element('detail'), cut: element('cut'),
		changed: () => { showPaths(); remember(); } });
	element('paths').hidden = false;
	if (least > 1)
		element('cut2').textContent = `${withSpaces(paths)} call paths with fewer than ${withSpaces(least)} samples are not kept apart: ${
			percent(sum, facts.sum)} of all are in frames called (rest).`;
}

// --- the address ---

function remember() {
	writeAddress({ w: chart.window === null ? '' : chart.window.join('..'), s: chart.shown[0] === 0 && chart.shown[1] === COLUMNS ? '' : chart.shown.join('..'),
		k: chart.first === 0 ? '' : chart.first, g: [...chart.hidden].map(name => encoded(name)).join(','), z: flame === null || flame.zoomed === 0 ? '' : flame.zoomed }, false);
}

function readAddress() {
	const given = addressParts(), zoomed = Number(given.get('z'));
	const range = text => {
		const [from, to] = (text ?? '').split('..').map(Number);

		return Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from < to && to <= COLUMNS ? [from, to] : null;
	};
	const first = Number(given.get('k') ?? 0), known = new Set(panels.flatMap(panel => panel.lines.map(line => line.name)));
	let unknown = 0;

	chart.shown = range(given.get('s')) ?? [0, COLUMNS];
	chart.window = range(given.get('w'));
	chart.first = Number.isInteger(first) && first >= 0 && first < panels.length ? first : 0;
	for (const text of (given.get('g') ?? '').split(',').filter(part => part !== '')) {
		if (known.has(decoded(text)))
			chart.hidden.add(decoded(text));
		else
			unknown++;
	}
	if (flame !== null && Number.isInteger(zoomed) && zoomed > 0 && zoomed < tree.parent.length)
		flame.zoomed = flame.chosen = zoomed;
	if (unknown > 0)
		say(`This address names ${unknown === 1 ? 'one group' : `${unknown} groups`} that this file does not have.`);
}

// --- keys ---

function chose() {
	tellWindow();
	fillValues();
	showPaths();
	remember();
}

const actions = {
	'0': () => { chart.shown = [0, COLUMNS]; chart.setWindow(null); chart.refresh(); },
	f: () => {
		if (chart.window === null) {
			say('Choose a window first: drag, or Enter at its begin and at its end.');
			return;
		}
		chart.shown = chart.window;
		chart.setWindow(null);
		chart.refresh();
		remember();
	},
	n: () => { chart.first = panels.length === 0 ? 0 : (chart.first + 1) % panels.length; chart.refresh(); chose(); },
	N: () => { chart.first = panels.length === 0 ? 0 : (chart.first + panels.length - 1) % panels.length; chart.refresh(); chose(); },
	t: () => { element('values').hidden = !element('values').hidden; fillValues(); },
	z: () => {
		if (facts.monotonic) {
			say('Times count from an unknown start: they have no zone.');
			return;
		}
		zone = (zone + 1) % zones.length;
		tellZone();
		chart.refresh();
		fillNotes();
		chose();
	},
	y: () => copyCommand()
};

const KEYS = [['arrows', 'move the moment a column; Page Up, Page Down: a tenth'], ['Enter, Space', 'begin and end a window'], ['Escape', 'no window'],
	['f, 0', 'zoom to the window; to the whole'], ['n, N', 'next and previous panel becomes the large one'], ['t', 'table of the numbers'], ['z', 'next zone of times'],
	['y', 'copy the command']];

function escape() {
	element('tip').hidden = true;
	chart.setWindow(null);
	element('cursor').focus();
}

async function start() {
	useZones(facts.zone);
	if (!facts.monotonic && zones.includes(facts.zone))
		zone = zones.indexOf(facts.zone);
	tellZone();
	await readPanels();
	element('answer').textContent = visible(facts.answer);
	element('command').textContent = facts.command;
	if (facts.flame)
		await startPaths();
	chart = new ChartView({ box: element('charts'), cursor: element('cursor'), place: element('place'), moved: () => { tellWindow(); }, chose });
	readAddress();
	chart.refresh();
	fillKey();
	fillNotes();
	chose();
	addHelp(KEYS);
	listenKeys(actions, { escape, recolour: () => { if (flame !== null) flame.draw(); } });
	let wide = document.body.clientWidth;
	new ResizeObserver(() => {
		if (document.body.clientWidth === wide)
			return;
		wide = document.body.clientWidth;
		chart.refresh();
		if (flame !== null)
			flame.draw();
	}).observe(document.body);
	await arrived();
}

startPage(start, { query });
