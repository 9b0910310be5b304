// SPDX-License-Identifier: MIT
// heat_windows windows PAGE FILE WINDOWS: in so many windows the page has the numbers of stktree: of all, of nothing, of edges of blocks, level and cells, of
// midnight (some of these where they are more), and random ones.
'use strict';
const { spawnSync } = require('child_process');
const { withPage, same, holds } = require('./page.js');
const { run } = require('./tab.js');

let seed;

function below(limit) {
	seed ^= seed << 13n & 0xFFFFFFFFFFFFFFFFn;
	seed ^= seed >> 7n;
	seed ^= seed << 17n & 0xFFFFFFFFFFFFFFFFn;
	return Number((seed >> 32n) % BigInt(limit));
}

function edges(facts) {
	const windows = [[facts.first, facts.cells], [0, facts.cells], [facts.first, facts.first + 1], [facts.cells - 1, facts.cells],
		[0, Math.max(facts.first, 1)]];
	const midnight = (864e5 - Number(BigInt(facts.t0) / 1000000n) % 864e5) / (facts.cell / 1e6);

	if (midnight < facts.cells)
		windows.push([midnight - 1, midnight + 1], [midnight, midnight + 5], [midnight - 50, midnight]);
	for (const [first, cells] of facts.blocks.slice(0, 20))
		windows.push([Math.max(first - 1, 0), first + 1], [first, first + cells], [first + cells - 1, first + cells + 1]);
	for (let i = 1; i < 8; i++) {
		const border = facts.level[0] * Math.min(i * 3, facts.level[1] - 1);

		windows.push([border, border + facts.level[0]], [Math.max(border - 1, 0), border + facts.level[0] + 1], [border, border + 1]);
	}
	return windows.filter(([from, to]) => from < to);
}

// What stktree prints, by function. Its status is 1 where the window is outside the recording.
function reported(file, facts, from, to) {
	const ms = cell => Number(BigInt(facts.t0) / 1000000n) + cell * facts.cell / 1e6, at = cell => `@${ms(cell) / 1000}`;
	const got = spawnSync('stktree', ['--report', 'flat', '-q', '-f', 'tsv', '--window', `${at(from)}..${at(to)}`, file],
		{ encoding: 'utf8', maxBuffer: 1 << 28 });

	holds(got.status === 0 || (got.status === 1 && /outside the recording|no samples in the window/.test(got.stderr)), `stktree: ${got.status}: ${got.stderr}`);
	return got.stdout.trim().split('\n').slice(1).map(line => line.split('\t'))
		.map(([name, self, total]) => [name, Number(self), Number(total)]);
}

const sorted = list => list.sort((a, b) => a[0] < b[0] ? -1 : 1);

// Prints how many windows there were.
const windows = (path, file, count) => withPage(path, async page => {
	const facts = await page.evaluate(() => stk.facts), all = edges(facts), place = i => Math.floor(i * count / all.length);
	const chosen = all.filter((window, i) => i < 5 || count >= all.length || place(i) > place(i - 1));
	let empty = 0;

	seed = 88172645463325252n;
	while (chosen.length < Number(count)) {
		const length = 1 + below(2 ** (1 + below(Math.floor(Math.log2(facts.cells))))), from = below(facts.cells);

		chosen.push([from, Math.min(from + length, facts.cells)]);
	}
	for (const [from, to] of chosen) {
		const got = await page.evaluate(window => stk.query(window), { from, to }), rows = reported(file, facts, from, to);

		same(sorted(got.functions.map(row => [row.name, row.self, row.total])), sorted(rows), `window ${from}..${to}`);
		same(got.total, rows.reduce((sum, row) => sum + row[1], 0), `total of ${from}..${to}`);
		empty += got.total === 0 ? 1 : 0;
	}
	holds(empty > 0 || facts.first === 0, 'one of the windows is empty');
	console.log(`${chosen.length} windows, ${empty} of them empty`);
});

run(module, { windows });
