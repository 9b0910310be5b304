// SPDX-License-Identifier: MIT
// threads_data: threads, pools and locks over time, as the page brings them (thread_page.h says how), and what they did in a stretch of time.
'use strict';

const LOOKS = facts.looks.length;
// As thread_history weighs what a part of the time shows.
const IDLE_WEIGHT = 0.2, BLOCKED_WEIGHT = 3;
const BLOCKED = facts.looks.findIndex(look => look[2] === 'blocked');
const weightOf = look => look % 2 !== 0 ? IDLE_WEIGHT : look === BLOCKED ? BLOCKED_WEIGHT : 1;
const WEIGHTS = facts.looks.map((_, look) => weightOf(look));

let strings, stacks, processes, rows, pools, locks;

function readMoments(read) {
	const made = { name: read.next(), moments: [] };
	let at = 0;

	for (let n = read.next(); n > 0; n--) {
		const from = at + read.next(), to = from + read.next(), time = from + read.next();

		made.moments.push({ from, to, time, dumps: read.next(), threads: read.next() });
		at = to;
	}
	return made;
}

// count times what `each` reads, which begins after `first`, the moments left out and one less than those it lasts.
function readRuns(read, each) {
	const made = [];
	let at = 0;

	for (let n = read.next(); n > 0; n--) {
		const first = at + read.next(), last = first + read.next();

		made.push({ first, last, ...each() });
		at = last + 1;
	}
	return made;
}

function readRow(read) {
	const row = { name: read.next(), process: read.next(), flags: read.next(), samples: new Float64Array(LOOKS) };

	for (let n = read.next(); n > 0; n--)
		row.samples[read.next()] = read.next();
	row.runs = readRuns(read, () => ({ look: read.next(), stack: read.next(), lock: read.next(), holder: read.next() }));
	return row;
}

function readPool(read) {
	const pool = { process: read.next(), name: read.next(), vm: read.next() === 1, finding: read.next(), samples: new Float64Array(LOOKS) };

	pool.rows = [...read.many(read.next())];
	pool.rows.forEach(row => rows[row].samples.forEach((count, look) => { pool.samples[look] += count; }));
	return pool;
}

function readLock(read) {
	const lock = { process: read.next(), class: read.next(), number: read.next(), wantedAt: read.next(), samples: read.next(), dumps: read.next(),
		most: read.next(), lost: read.next() / 1000, flags: read.next() };

	lock.waits = readRuns(read, () => ({ waiters: read.next(), holder: read.next(), heldAt: read.next(), ring: read.next() === 1 }));
	return lock;
}

async function readThreads() {
	const read = varints(await inflateBlock(blockBytes('n'))), list = (count, each) => Array.from({ length: count }, () => each(read));
	const [textCount, stackCount, processCount, rowCount, poolCount, lockCount] = read.many(6);

	stacks = list(stackCount, () => [...read.many(read.next())]);
	processes = list(processCount, readMoments);
	rows = list(rowCount, readRow);
	pools = list(poolCount, readPool);
	locks = list(lockCount, readLock);
	const lengths = read.many(textCount);
	strings = texts(lengths, read.rest());
}

// --- moments ---

// The place of the last that begins at or before a time; -1: none.
function momentAt(process, time) {
	const { moments } = processes[process];
	let low = 0, high = moments.length;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (moments[middle].from <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low - 1;
}

// The one that a time is in, or the nearest.
function nearestMoment(process, time) {
	const { moments } = processes[process], at = momentAt(process, time);

	if (at < 0)
		return 0;
	return at + 1 < moments.length && time >= moments[at].to && moments[at + 1].from - time < time - moments[at].to ? at + 1 : at;
}

// Of runs: the one of a moment, or undefined.
function runAt(runs, moment) {
	let low = 0, high = runs.length;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (runs[middle].last < moment)
			low = middle + 1;
		else
			high = middle;
	}
	return low < runs.length && runs[low].first <= moment ? runs[low] : undefined;
}

// --- parts of a stretch of time ---

// Calls add(part, share) for each of `count` parts from a to b that an interval touches.
function spread(from, to, a, b, count, add) {
	const part = (b - a) / count, begin = Math.max(from, a), end = Math.min(to, b);

	if (end <= begin)
		return;
	for (let i = Math.floor((begin - a) / part); i < count && a + i * part < end; i++)
		add(i, (Math.min(end, a + (i + 1) * part) - Math.max(begin, a + i * part)) / part);
}

function runsBetween(runs, process, a, b, each) {
	const { moments } = processes[process], first = Math.max(momentAt(process, a), 0);

	for (let i = Math.max(0, runs.findIndex(run => run.last >= first)); i < runs.length && moments[runs[i].first].from < b; i++)
		for (let m = Math.max(runs[i].first, first); m <= runs[i].last && moments[m].from < b; m++)
			each(runs[i], moments[m]);
}

// LOOKS numbers a part: how long these rows were so.
function partsOf(list, a, b, count) {
	const parts = new Float64Array(count * LOOKS);

	for (const row of list)
		runsBetween(rows[row].runs, rows[row].process, a, b, (run, moment) =>
			spread(moment.from, moment.to, a, b, count, (i, share) => { parts[i * LOOKS + run.look] += share; }));
	return parts;
}

// Which look a part shows; -1: nobody was seen.
function lookOf(parts, i) {
	let most = -1;

	for (let look = 0; look < LOOKS; look++) {
		const value = parts[i * LOOKS + look];

		if (value > 1e-9 && (most < 0 || value * WEIGHTS[look] > parts[i * LOOKS + most] * WEIGHTS[most]))
			most = look;
	}
	return most;
}

// The most waiters of a lock in each part.
function waitersOf(lock, a, b, count) {
	const parts = new Float64Array(count);

	runsBetween(lock.waits, lock.process, a, b, (wait, moment) =>
		spread(moment.from, moment.to, a, b, count, i => { parts[i] = Math.max(parts[i], wait.waiters); }));
	return parts;
}

// --- names ---

const poolText = pool => pool.vm ? '(virtual machine)' : strings[pool.rows.length === 1 ? rows[pool.rows[0]].name : pool.name] || '(without a name)';
const lockText = lock => `${strings[lock.class] || 'a lock'}${lock.number > 1 ? ` (${lock.number})` : ''}`;
const rowText = row => strings[rows[row].name] || '(without a name)';

// "3 running, 32 blocked", the most first.
function looksText(samples) {
	return [...samples].map((count, look) => [count, look]).filter(([count]) => count > 0).sort((a, b) => b[0] - a[0])
		.map(([count, look]) => `${withSpaces(count)} ${facts.looks[look][2]}`).join(', ');
}
