// SPDX-License-Identifier: MIT
// heat_chances chances PAGE FILE PAIRS: of so many pairs of windows the page calls chance what stktree --diff does not mark, in rates and in shares.
'use strict';
const { execFileSync } = require('child_process');
const { withPage, same, holds } = require('./page.js');
const { run } = require('./tab.js');

let seed;

function below(limit) {
	seed = (seed * 1103515245 + 12345) % 2147483648;
	return Math.floor(seed / 65536) % limit;
}

const sorted = list => list.map(row => row.join(' ')).sort();

const chances = (path, file, wanted) => withPage(path, async page => {
	const facts = await page.evaluate(() => stk.facts), at = cell => `@${Number(BigInt(facts.t0) / 1000000n) / 1000 + cell * facts.cell / 1e9}`;
	let marked = 0, rows = 0;

	seed = 12345;
	for (let pair = 0; pair < Number(wanted); pair++) {
		// whole cells to each of 32 blocks
		const sizes = [0, 1].map(() => 32 * (1 + below(Math.floor((facts.cells - facts.first) / 2 ** (1 + below(7)) / 32))));
		const windows = sizes.map(size => { const from = facts.first + below(facts.cells - facts.first - size + 1); return [from, from + size]; });
		const rate = pair % 2 === 0 ? 'second' : 'share', text = windows.map(([from, to]) => `${at(from)}..${at(to)}`);
		const got = await page.evaluate(([a, b, share]) => stk.chances(a, b, share), [...windows, rate === 'share']);
		const told = execFileSync('stktree', ['-q', '-f', 'ndjson', '--report', 'tree', '--rate', rate, file, '--diff', ...text],
			{ encoding: 'utf8', maxBuffer: 1 << 28 }).trimEnd().split('\n').filter(line => line !== '').map(line => JSON.parse(line));

		same(sorted(got), sorted(told.map(row => [row.level, row.function, !row.significant])), `${text.join(' ')} by ${rate}`);
		marked += told.filter(row => row.significant).length;
		rows += told.length;
	}
	holds(marked > 0 && marked < rows, `of ${rows} rows ${marked} are marked`);
	console.log(`${wanted} pairs, ${rows} rows, ${marked} of them marked`);
});

run(module, { chances });
