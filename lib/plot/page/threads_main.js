// SPDX-License-Identifier: MIT
// threads_main: the page of threads over time: what is shown, the moment that is chosen, keys, and the address.
'use strict';

const FINDINGS_SHOWN = 6, ROWS_LISTED = 200, OPENED_MOST = 16, THREADS_OPENED = 500, NODES_LISTED = 400, ZOOM = 2;
const state = { locks: facts.locks, opened: new Set(), filter: null, search: '', finding: -1, again: 0 };
const wrong = facts.findings.filter(finding => finding.severity !== 'info');
let picture;

// --- lines ---

const isShown = text => state.filter === null || state.filter(text);

function poolItems(pool, number) {
	const found = pool.rows.filter(row => isShown(rowText(row))), named = isShown(poolText(pool));

	if (!named && found.length === 0)
		return [];
	const count = pool.rows.length, open = count > 1 && (state.opened.has(number) || (state.filter !== null && !named));
	const items = [{ kind: 'pool', pool: number, rows: pool.rows, text: `${count > 1 ? open ? '\u25BE ' : '\u25B8 ' : ''}${poolText(pool)}${count > 1 ? ` (${withSpaces(count)})` : ''}` }];

	if (open)
		(named ? pool.rows : found).slice(0, THREADS_OPENED).forEach(row => items.push({ kind: 'thread', indented: true, rows: [row], text: rowText(row) }));
	if (open && (named ? pool.rows : found).length > THREADS_OPENED)
		items.push({ kind: 'more', rows: [], text: `${withSpaces(pool.rows.length - THREADS_OPENED)} more` });
	return items;
}

function threadItems() {
	const done = new Set(), items = [];

	for (const { process } of pools) {
		if (done.has(process))
			continue;
		done.add(process);
		const own = pools.flatMap((pool, number) => pool.process === process ? poolItems(pool, number) : []);

		if (processes.length > 1 && own.length > 0)
			items.push({ kind: 'process', rows: [], text: strings[processes[process].name] || 'a process' });
		items.push(...own);
	}
	return items;
}

// Locks that threads waited for in the end, what cost most first.
const rootLocks = () => locks.map((lock, number) => [lock, number]).filter(([lock]) => lock.samples > 0 && lock.flags % 2 === 1)
	.sort(([a, i], [b, k]) => b.lost - a.lost || b.samples - a.samples || i - k);

const lockItems = () => rootLocks().filter(([lock]) => isShown(lockText(lock)))
	.map(([lock, number]) => ({ kind: 'lock', lock, number, rows: [], text: `${lockText(lock)}: ${lostText(lock)}` }));

const lostText = lock => `${lock.lost >= 10 ? withSpaces(lock.lost) : lock.lost.toFixed(1)}\u2009s lost`;

function refresh() {
	const chosen = picture.items[picture.item];

	picture.show(state.locks ? lockItems() : threadItems());
	const same = chosen === undefined ? -1 : picture.items.findIndex(item => item.kind === chosen.kind && item.pool === chosen.pool && item.number === chosen.number && item.rows[0] === chosen.rows[0]);
	picture.item = same >= 0 ? same : Math.max(picture.items.findIndex(item => item.kind !== 'process'), 0);
	element('kind').textContent = state.locks ? 'Threads' : 'Locks';
	element('found').textContent = state.search === '' ? '' : `${withSpaces(picture.items.filter(item => item.kind !== 'process').length)} lines`;
	element('chart').hidden = picture.items.length === 0;
	if (picture.items.length === 0)
		say(state.locks ? 'No thread waited for a lock.' : state.search === '' ? 'No thread dumps.' : 'No thread is called so.');
	tellWindow();
	fillSums();
	choose(picture.item, picture.time);
}

// Without the date where it is that of the earlier one.
const laterText = (from, to) => civil(from).date === civil(to).date ? clockText(to) : momentText(to);

function tellWindow() {
	element('window').textContent = facts.dumps === 0 ? 'No thread dumps.' : `${withSpaces(facts.dumps)} dump${facts.dumps === 1 ? '' : 's'}, ${
		momentText(Math.round(T0_MS + picture.from))} to ${laterText(Math.round(T0_MS + picture.from), Math.round(T0_MS + picture.to))}${
		picture.to - picture.from < facts.length ? ` (${durationText(Math.round(picture.to - picture.from))} of ${durationText(facts.length)})` : ''}`;
	element('zone').textContent = zones[zone];
}

// --- the moment ---

const process = item => item.kind === 'lock' ? item.lock.process : item.rows.length > 0 ? rows[item.rows[0]].process : 0;

function choose(i, time, quiet = false) {
	if (picture.items.length === 0) {
		element('where').textContent = '';
		return;
	}
	picture.item = Math.min(Math.max(i, 0), picture.items.length - 1);
	picture.time = Math.min(Math.max(time, 0), facts.length);
	picture.scrollTo(picture.item);
	picture.draw();
	tellMoment();
	if (!quiet)
		remember(false);
}

function tellMoment() {
	const item = picture.items[picture.item], of = process(item), at = nearestMoment(of, picture.time), moment = processes[of].moments[at];

	element('stack').replaceChildren();
	element('waits').replaceChildren();
	if (moment === undefined || (item.rows.length === 0 && item.kind !== 'lock')) {
		element('where').textContent = visible(item.text);
		return;
	}
	tellCommand(moment);
	if (item.kind === 'lock')
		tellLock(item.lock, item.number, at, moment);
	else if (item.rows.length > 1)
		tellPool(item, at, moment);
	else
		tellThread(item.rows[0], at, moment);
}

const shownTime = moment => clockText(Math.round(T0_MS + moment.time));

function tellCommand(moment) {
	const second = ms => new Date(Math.floor((T0_MS + ms) / 1000) * 1000).toISOString().replace('.000Z', 'Z');

	element('command').textContent = facts.shown.replace(/^stkcat -f dumps/, `stkcat -f dumps --from ${second(moment.time)} --to ${second(moment.time + 1000)}`);
}

function fillStack(number) {
	const functions = number === 0 ? [] : stacks[number - 1];

	element('stack').replaceChildren(...functions.slice(0, NODES_LISTED).map(text => {
		const line = make('li', '');

		line.append(make('bdi', shortened(visible(strings[text]), 300)));
		return line;
	}));
	if (functions.length > NODES_LISTED)
		element('stack').append(make('li', `${withSpaces(functions.length - NODES_LISTED)} more`));
	if (functions.length === 0)
		element('stack').append(make('li', 'no stack'));
}

// "blocked since 23:54:08": as long as it did not move.
function sinceText(row, run) {
	const { moments } = processes[rows[row].process], { look } = run, { runs } = rows[row];
	let i = runs.indexOf(run);

	while (i > 0 && runs[i - 1].last + 1 === runs[i].first && runs[i - 1].look === look)
		i--;
	return `${facts.looks[look][2]} since ${shownTime(moments[runs[i].first])}`;
}

function tellThread(row, at, moment) {
	const run = runAt(rows[row].runs, at);

	if (run === undefined) {
		element('where').textContent = `${visible(rowText(row))}, ${shownTime(moment)}: not in this dump.`;
		return;
	}
	const lock = run.lock === 0 ? undefined : locks[run.lock - 1];
	element('where').textContent = `${visible(rowText(row))}, ${shownTime(moment)}: ${sinceText(row, run)}${lock === undefined ? ''
		: `, wants ${visible(lockText(lock))}${run.holder === 0 ? '' : `, which ${visible(rowText(run.holder - 1))} holds`}`}.`;
	fillStack(run.stack);
	const waits = [], below = waitersFor(row, at);
	if (run.holder !== 0)
		waits.push(make('p', 'It waits for'), treeList([run.holder - 1], at, -1));
	if (below.length > 0)
		waits.push(make('p', `${withSpaces(below.length)} thread${below.length === 1 ? ' waits' : 's wait'} for it`), treeList(below, at, 0));
	element('waits').replaceChildren(...waits);
}

// How many of its threads were how, and the stacks of most of them.
function tellPool(item, at, moment) {
	const samples = new Float64Array(LOOKS), by = new Map();
	let seen = 0;

	for (const row of item.rows) {
		const run = runAt(rows[row].runs, at);

		if (run === undefined)
			continue;
		seen++;
		samples[run.look]++;
		by.set(run.stack, [...by.get(run.stack) ?? [], row]);
	}
	const most = [...by].sort((a, b) => b[1].length - a[1].length || a[0] - b[0]);
	element('where').textContent = `${visible(poolText(pools[item.pool]))}, ${shownTime(moment)}: ${seen === 0 ? 'not in this dump' : `${withSpaces(seen)} thread${seen === 1 ? '' : 's'}: ${looksText(samples)}`}.`;
	if (most.length === 0)
		return;
	fillStack(most[0][0]);
	element('waits').replaceChildren(make('p', `The stack of ${withSpaces(most[0][1].length)} of them:`), threadList(most[0][1]),
		...most.length > 1 ? [make('p', `${withSpaces(most.length - 1)} other stack${most.length === 2 ? '' : 's'}:`), threadList(most.slice(1).map(([, [row]]) => row))] : []);
}

// --- who waits for whom ---

const waitersFor = (holder, at) => rows.map((row, number) => number)
	.filter(number => rows[number].process === rows[holder].process && runAt(rows[number].runs, at)?.holder === holder + 1);

function threadButton(row, after = '') {
	const button = make('button', ''), line = make('li', '');

	button.append(make('bdi', shortened(visible(rowText(row)), 60)));
	button.addEventListener('click', () => showThread(row));
	line.append(button, make('bdi', after));
	return line;
}

function threadList(list) {
	const made = make('ul', '');

	made.append(...list.slice(0, 20).map(row => threadButton(row)), ...list.length > 20 ? [make('li', `${withSpaces(list.length - 20)} more`)] : []);
	return made;
}

const where = run => run.stack === 0 || stacks[run.stack - 1].length === 0 ? '' : ` in ${shortened(visible(strings[stacks[run.stack - 1][0]]), 80)}`;

// The threads, and below each those that wait for it, unless it was above; depth -1: only up to who holds what it wants.
function treeList(list, at, depth, above = new Set()) {
	const made = make('ul', '');

	for (const row of list.slice(0, 40)) {
		const run = runAt(rows[row].runs, at);

		if (run === undefined)
			continue;
		const wants = run.lock === 0 ? '' : `, wants ${shortened(visible(lockText(locks[run.lock - 1])), 60)}`;
		const line = threadButton(row, `: ${facts.looks[run.look][2]}${where(run)}${wants}${above.has(row) ? ' (a ring)' : ''}`);

		if (!above.has(row) && depth < 0 && run.holder !== 0)
			line.append(treeList([run.holder - 1], at, -1, new Set([...above, row])));
		if (!above.has(row) && depth >= 0 && depth < 20) {
			const below = waitersFor(row, at);

			if (below.length > 0)
				line.append(treeList(below, at, depth + 1, new Set([...above, row])));
		}
		made.append(line);
	}
	if (list.length > 40)
		made.append(make('li', `${withSpaces(list.length - 40)} more`));
	return made;
}

function tellLock(lock, number, at, moment) {
	const wait = runAt(lock.waits, at), held = wait === undefined || wait.holder === 0 ? -1 : wait.holder - 1;
	const direct = rows.map((_, row) => row).filter(row => rows[row].process === lock.process && runAt(rows[row].runs, at)?.lock === number + 1);

	if (wait === undefined) {
		element('where').textContent = `${visible(lockText(lock))}, ${shownTime(moment)}: nobody waits for it.`;
		return;
	}
	element('where').textContent = `${visible(lockText(lock))}, ${shownTime(moment)}: ${withSpaces(wait.waiters)} thread${wait.waiters === 1 ? ' waits' : 's wait'}${
		wait.ring ? ' for each other, for ever' : held < 0 ? '; the dump does not show who holds it' : ` for ${visible(rowText(held))}${
			wait.heldAt === 0 ? '' : `, which locked it in ${shortened(visible(strings[wait.heldAt]), 80)}`}`}.`;
	fillStack(held < 0 ? runAt(rows[direct[0]]?.runs ?? [], at)?.stack ?? 0 : runAt(rows[held].runs, at)?.stack ?? 0);
	element('waits').replaceChildren(make('p', held < 0 ? 'Who waits' : 'Who holds it, and who waits'), treeList(held < 0 ? direct : [held], at, 0),
		make('p', 'Who held it over time'), spellList(lock));
}

// Moments that follow one another, in which threads waited for the same holder.
function spellsOf(lock) {
	const spells = [];

	for (const { first, last, waiters, holder, ring } of lock.waits) {
		const spell = spells.at(-1);

		if (spell?.last + 1 === first && spell.holder === holder && spell.ring === ring)
			Object.assign(spell, { last, most: Math.max(spell.most, waiters) });
		else
			spells.push({ first, last, holder, ring, most: waiters });
	}
	return spells;
}

function spellList(lock) {
	const made = make('ul', ''), { moments } = processes[lock.process], spells = spellsOf(lock);

	for (const { first, last, holder, ring, most } of spells.slice(0, 40)) {
		const line = make('li', ''), begin = shownTime(moments[first]), end = shownTime(moments[last]);
		const button = make('button', begin === end ? begin : `${begin} to ${end}`);

		button.addEventListener('click', () => choose(picture.item, moments[first].time));
		line.append(button, `: ${ring ? 'each other' : holder === 0 ? 'not shown who' : shortened(visible(rowText(holder - 1)), 60)}; ${
			first === last ? '' : 'up to '}${withSpaces(most)} wait${most === 1 ? 's' : ''}`);
		made.append(line);
	}
	if (spells.length > 40)
		made.append(make('li', `${withSpaces(spells.length - 40)} more`));
	return made;
}

// --- going places ---

function showThread(row) {
	const number = pools.findIndex(pool => pool.rows.includes(row));

	if (number < 0) {
		say(`${visible(rowText(row))} is not among the threads that were selected.`);
		return;
	}
	state.locks = false;
	if (pools[number].rows.length > 1)
		state.opened.add(number);
	search('', true);
	const found = picture.items.findIndex(item => item.kind !== 'pool' || item.rows.length === 1 ? item.rows[0] === row : false);

	choose(found < 0 ? picture.items.findIndex(item => item.pool === number) : found, picture.time);
	element('chart').focus();
}

// i: a line of findings; again: which of its times, from the worst on.
function showFinding(i, again = 0) {
	const { subject, more } = wrong[i], finding = again === 0 ? wrong[i] : more[again - 1];
	const from = finding.span[0] - T0_MS, to = finding.span[1] - T0_MS, wide = Math.max(to - from, 1);
	const buttons = [...document.querySelectorAll('#findings button, #others button')];

	state.finding = i;
	state.again = again;
	buttons.forEach((button, k) => button.setAttribute('aria-current', k === i));
	if (i >= FINDINGS_SHOWN)
		element('rest').open = true;
	if (more.length > 0)
		say(`${again + 1} of ${withSpaces(wrong[i].count)}: ${rangeText(finding.times)}`);
	if (facts.length > wide * 20)
		zoom(Math.max(from - wide * 3, 0), Math.min(to + wide * 3, facts.length));
	picture.time = finding.times[0] - T0_MS;
	if (!state.locks && finding.rows.length > 0) {
		showThread(finding.rows[0]);
		return;
	}
	const found = picture.items.findIndex(item => item.kind === 'lock' && visible(lockText(item.lock)) === visible(subject));
	choose(found < 0 ? picture.item : found, picture.time);
}

function zoom(from, to) {
	const least = Math.min(100, facts.length || 1), length = Math.min(Math.max(to - from, least), Math.max(facts.length, 1));

	picture.from = Math.min(Math.max(from, 0), Math.max(facts.length - length, 0));
	picture.to = picture.from + length;
	picture.draw();
	tellWindow();
	remember(false);
}

function zoomAbout(factor) {
	const length = (picture.to - picture.from) * factor, share = (picture.time - picture.from) / (picture.to - picture.from);
	const kept = share >= 0 && share <= 1 ? share : 0.5;

	zoom(picture.time - length * kept, picture.time + length * (1 - kept));
}

// To the next or the previous dump of what is chosen.
function step(by, far) {
	const of = process(picture.items[picture.item]), { moments } = processes[of], at = nearestMoment(of, picture.time);
	const next = Math.min(Math.max(at + by * (far ? 10 : 1), 0), moments.length - 1), { time } = moments[next];

	if (time < picture.from || time > picture.to)
		zoom(time - (picture.to - picture.from) / 2, time + (picture.to - picture.from) / 2);
	choose(picture.item, time);
}

function open() {
	const item = picture.items[picture.item];

	if (item.kind !== 'pool' || item.rows.length < 2)
		return;
	if (!state.opened.delete(item.pool))
		state.opened.add(item.pool);
	refresh();
}

// --- sums ---

function fillSums() {
	if (state.locks) {
		const all = rootLocks();

		element('sums').textContent = 'Time lost to locks';
		fillRows({ heads: ['lost', 'samples', 'dumps', 'at once'], nameHead: 'lock', left: Math.max(all.length - ROWS_LISTED, 0), leftWord: 'locks',
			lines: all.slice(0, ROWS_LISTED).map(([lock, number]) => ({ name: lockText(lock), chosen: () => choose(picture.items.findIndex(item => item.number === number), picture.time),
				numbers: [`${lock.lost.toFixed(1)}\u2009s`, withSpaces(lock.samples), withSpaces(lock.dumps), withSpaces(lock.most)] })) });
		return;
	}
	const used = facts.looks.map((_, look) => look).filter(look => look % 2 === 0 && pools.some(pool => pool.samples[look] + pool.samples[look + 1] > 0));

	element('sums').textContent = 'Samples by state';
	fillRows({ heads: ['samples', ...used.map(look => facts.looks[look][2]), 'idle'], nameHead: 'threads', left: Math.max(pools.length - ROWS_LISTED, 0), leftWord: 'pools',
		lines: pools.slice(0, ROWS_LISTED).map((pool, number) => ({ name: poolText(pool), chosen: () => choose(picture.items.findIndex(item => item.pool === number), picture.time),
			numbers: [pool.samples.reduce((a, b) => a + b, 0), ...used.map(look => pool.samples[look] + pool.samples[look + 1]),
				pool.samples.reduce((sum, count, look) => sum + (look % 2) * count, 0)].map(withSpaces) })) });
}

// What tables and lines are filled from, for tests and for the console.
function query() {
	const states = samples => Object.fromEntries(facts.looks.map((look, i) => [look[2].replace(' (idle)', ''), i]).filter(([, i]) => i % 2 === 0)
		.map(([name, i]) => [name, samples[i] + samples[i + 1]]).filter(([, count]) => count > 0));

	return { threads: rows.filter(row => row.flags % 2 === 1).map(row => ({ name: strings[row.name], states: states(row.samples) })),
		locks: rootLocks().map(([lock]) => ({ class: strings[lock.class], number: lock.number, lost: lock.lost, samples: lock.samples, dumps: lock.dumps, most: lock.most })) };
}

// --- search, address, keys ---

function search(text, typed) {
	if (typed)
		element('search').value = text;
	try {
		state.filter = text === '' ? null : textMatcher(text);
	} catch {
		element('found').textContent = 'That is not a regular expression.';
		return;
	}
	state.search = text;
	refresh();
}

function remember(step) {
	const item = picture.items[picture.item], whole = picture.from <= 0 && picture.to >= facts.length;

	writeAddress({ q: encoded(state.search), k: state.locks === facts.locks ? '' : state.locks ? 'locks' : 'threads',
		w: whole ? '' : `${Math.round(picture.from)}..${Math.round(picture.to)}`, t: Math.round(picture.time),
		r: item?.rows.length === 1 ? item.rows[0] : '', p: item?.kind === 'pool' ? item.pool : '' }, step);
}

function readAddress() {
	const given = addressParts(), [from, to] = (given.get('w') ?? '').split('..').map(Number), time = Number(given.get('t')), row = Number(given.get('r') ?? NaN);

	state.locks = given.has('k') ? given.get('k') === 'locks' : facts.locks;
	search(decoded(given.get('q')) ?? '', true);
	if (given.get('w') !== undefined && from >= 0 && to > from)
		zoom(from, to);
	if (Number.isInteger(row) && row >= 0 && row < rows.length && given.has('r') && !state.locks) {
		picture.time = time >= 0 ? time : 0;
		showThread(row);
		return true;
	}
	if (!(time >= 0) || !given.has('t'))
		return false;
	choose(Math.max(picture.items.findIndex(item => item.kind === 'pool' && String(item.pool) === given.get('p')), 0), time);
	return true;
}

const actions = {
	'+': () => zoomAbout(1 / ZOOM),
	'-': () => zoomAbout(ZOOM),
	'0': () => zoom(0, facts.length),
	l: () => { state.locks = !state.locks; refresh(); },
	n: () => wrong.length > 0 && showFinding((state.finding + 1) % wrong.length),
	N: () => wrong.length > 0 && showFinding((Math.max(state.finding, 0) + wrong.length - 1) % wrong.length),
	'.': () => wrong.length > 0 && nextTime(Math.max(state.finding, 0)),
	z: () => { zone = (zone + 1) % zones.length; picture.draw(); tellWindow(); tellFindings(); tellMoment(); },
	y: () => copyCommand()
};
const KEYS = [['up, down', 'another thread, pool or lock'], ['left, right', 'the dump before or after; with Shift ten'], ['Enter, Space', 'open or close a pool'],
	['n, N', 'next and previous finding'], ['.', 'the next time of the same finding'], ['l', 'locks or threads'], ['+ \u2212', 'less and more time; 0, Home: all of it'], ['/', 'search for threads'], ['z', 'time zone'],
	['y', 'copy the commands'], ['Escape', 'clear the search']];

function ownKey(event) {
	if (event.target !== element('chart') || picture.items.length === 0)
		return false;
	const moves = { ArrowUp: () => choose(picture.item - 1, picture.time), ArrowDown: () => choose(picture.item + 1, picture.time),
		ArrowLeft: () => step(-1, event.shiftKey), ArrowRight: () => step(1, event.shiftKey), Enter: open, ' ': open };

	moves[event.key]?.();
	return event.key in moves;
}

function placeOf(event) {
	const box = element('lines').getBoundingClientRect();

	return { item: picture.itemAt(event.clientY - box.top), time: picture.timeAt(event.clientX - box.left), x: event.clientX - box.left };
}

function tipLines({ item, time, x }) {
	const of = picture.items[item];

	if (of === undefined || of.kind === 'process' || of.kind === 'more')
		return [];
	if (x < picture.label)
		return of.kind === 'lock' ? [visible(lockText(of.lock)), `${withSpaces(of.lock.samples)} samples that waited, at most ${withSpaces(of.lock.most)} at once`]
			: [visible(of.rows.length > 1 ? poolText(pools[of.pool]) : rowText(of.rows[0])), looksText(of.rows.length > 1 ? pools[of.pool].samples : rows[of.rows[0]].samples)];
	const at = nearestMoment(process(of), time), moment = processes[process(of)].moments[at];
	if (moment === undefined || time < moment.from || time > moment.to)
		return ['no dump'];
	if (of.kind === 'lock')
		return [`${shownTime(moment)}: ${withSpaces(runAt(of.lock.waits, at)?.waiters ?? 0)} wait for ${visible(lockText(of.lock))}`];
	if (of.rows.length === 1) {
		const run = runAt(rows[of.rows[0]].runs, at);

		return [`${shownTime(moment)} ${visible(rowText(of.rows[0]))}: ${run === undefined ? 'not in this dump' : `${facts.looks[run.look][2]}${where(run)}`}`];
	}
	const samples = new Float64Array(LOOKS);
	of.rows.forEach(row => { const run = runAt(rows[row].runs, at); if (run !== undefined) samples[run.look]++; });
	return [`${shownTime(moment)} ${visible(poolText(pools[of.pool]))}: ${looksText(samples) || 'not in this dump'}`];
}

function listenPointer() {
	const canvas = element('lines');
	let pressed = null;

	canvas.addEventListener('pointerdown', event => { pressed = placeOf(event); });
	canvas.addEventListener('pointermove', event => showTip(event, tipLines(placeOf(event))));
	canvas.addEventListener('pointerleave', () => { element('tip').hidden = true; });
	canvas.addEventListener('pointerup', event => {
		const place = placeOf(event), begun = pressed;

		pressed = null;
		if (begun === null || place.item < 0)
			return;
		if (Math.abs(place.x - begun.x) > 6 && begun.x >= picture.label) {
			zoom(Math.min(begun.time, place.time), Math.max(begun.time, place.time));
			return;
		}
		choose(place.item, place.x < picture.label ? picture.time : place.time);
		if (place.x < picture.label)
			open();
		element('chart').focus();
	});
}

function listen() {
	addHelp(KEYS, ['Click on a line to see the stack at that moment; drag to see less time.']);
	listenKeys(actions, { escape: () => { search('', true); element('tip').hidden = true; element('chart').focus(); }, own: ownKey, recolour: () => picture.draw() });
	element('search').addEventListener('input', event => search(event.target.value, false));
	listenPointer();
	window.addEventListener('popstate', () => readAddress());
	const whole = on => { picture.whole = on; picture.draw(); };
	window.addEventListener('beforeprint', () => whole(true));
	window.addEventListener('afterprint', () => whole(false));
	new ResizeObserver(() => picture.draw()).observe(document.body);
}

const rangeText = ([from, to]) => `${momentText(from)}${from === to ? '' : ` to ${laterText(from, to)}`}`;

const nextTime = i => showFinding(i, i === state.finding ? (state.again + 1) % (wrong[i].more.length + 1) : 0);

function tellFindings() {
	const lines = wrong.map((finding, i) => {
		const line = make('li', '', { class: finding.severity }), button = make('button', '', { 'aria-current': i === state.finding });

		button.append(`${finding.severity}, ${finding.rule}: ${rangeText(finding.times)}: `, make('bdi', shortened(visible(finding.summary), 600)),
			finding.count > 1 ? `; ${withSpaces(finding.count)} in all, ${rangeText(finding.all)}` : '');
		button.addEventListener('click', () => nextTime(i));
		line.append(button);
		return line;
	});
	const few = lines.length <= FINDINGS_SHOWN + 1 ? lines.length : FINDINGS_SHOWN;

	element('findings').replaceChildren(...lines.slice(0, few));
	element('others').replaceChildren(...lines.slice(few));
	element('others').setAttribute('start', few + 1);
	element('rest').hidden = few === lines.length;
	element('rest').querySelector('summary').textContent = `${lines.length - few} more findings`;
	element('health').hidden = wrong.length > 0;
	element('health').textContent = wrong.length > 0 ? '' : visible(facts.findings.find(finding => finding.rule === 'healthy')?.summary ?? (facts.dumps === 0 ? 'No thread dumps were found: nothing was looked at.' : 'Nothing above info was found.'));
}

function tellLegend() {
	const used = facts.urgent.filter(look => look % 2 === 0 && pools.some(pool => pool.samples[look] + pool.samples[look + 1] > 0));

	fillLegend('legend', used.map(look => [facts.looks[look][1], facts.looks[look][2]]));
	element('legend').querySelectorAll('.swatch').forEach((swatch, i) => { swatch.textContent = facts.looks[used[i]][0]; });
	element('cut').textContent = ['Pale: waits for work. A pool\u2019s height is shared out between the states of its threads. Where a pixel has several dumps, it shows what a thread did in most of them, blocked counted thrice and waiting for work a fifth.',
		facts.together > 1 ? `To keep the page small, ${facts.together} dumps became one moment: a thread is as in most of them; sums are of all.` : '',
		facts.unsaid > 0 ? `${withSpaces(facts.unsaid)} more findings are not here: stkdiag -f text has all.` : '',
		facts.untimed > 0 ? `${withSpaces(facts.untimed)} dumps without a time are left out.` : '',
		facts.left > 0 ? `${withSpaces(facts.left)} samples of further threads are left out.` : ''].filter(text => text !== '').join(' ');
}

async function start() {
	useZones(facts.zone);
	await readThreads();
	element('command2').textContent = facts.command;
	pools.forEach((pool, number) => {
		if (pool.finding > 0 && pool.rows.length <= OPENED_MOST)
			state.opened.add(number);
	});
	picture = new ThreadsPicture({ times: element('times'), lines: element('lines'), chart: element('chart'), room: element('room') });
	tellFindings();
	tellLegend();
	listen();
	if (!readAddress() && wrong.length > 0)
		showFinding(0);
}

startPage(start, { query, items: () => picture.items.map(item => visible(item.text)) });
