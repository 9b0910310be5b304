// SPDX-License-Identifier: MIT
// heat_groups groups PAGE FILE SCHEME WINDOWS: in so many windows each group that the page offers has the samples that stkgroup gives it, and the command below
// prints the functions that are shown; the address keeps the group.
'use strict';
const { execSync, spawnSync } = require('child_process');
const { withPage, same, holds } = require('./page.js');
const { run } = require('./tab.js');

const quiet = { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'] };
const rows = text => text.trimEnd().split('\n').slice(1).map(line => line.split('\t'));
const sorted = list => list.map(row => row.join('\t')).sort();
const text = (page, id) => page.evaluate(name => document.getElementById(name).textContent, id);

// What stkgroup says of a name: `group under` finds the outermost group of that name, and all others that are called so.
function attributed(file, scheme, facts, [from, to]) {
	const at = cell => `@${Number(BigInt(facts.t0) / 1000000n) / 1000 + cell * facts.cell / 1e9}`;
	const got = spawnSync('stkgroup', ['-q', '-s', scheme, '-f', 'tsv', '--window', `${at(from)}..${at(to)}`, file], quiet), all = rows(got.stdout);

	holds(got.status < 2, 'stkgroup can be asked');
	return name => all.filter(row => row[1] === name || row[1].endsWith(`/${name}`)).reduce((sum, row) => sum + Number(row[6]), 0);
}

const groups = (path, file, scheme, wanted) => withPage(path, async page => {
	const facts = await page.evaluate(() => stk.facts), offered = await page.evaluate(() => [...document.getElementById('group').options].slice(1)
		.map(option => [option.value, stk.facts.groups[Number(option.value)]]));
	let some = 0;

	holds(offered.length > 2, `groups: ${offered}`);
	for (let i = 0; i < Number(wanted); i++) {
		const from = Math.floor((facts.cells - facts.first) * i / wanted / 2) + facts.first, to = i === 0 ? facts.cells : Math.min(from + 2 ** (6 + i), facts.cells);
		const expected = attributed(file, scheme, facts, [from, to]);

		for (const [value, name] of offered) {
			await page.evaluate(hash => { location.hash = hash; }, `#v=1&w=${from}..${to}&p=group:${value}`);
			await page.waitForFunction(chosen => document.getElementById('group').value === chosen, value);
			const got = await page.evaluate(window => stk.query(window), { from, to }), command = await text(page, 'command');
			const printed = got.total === 0 ? [] : rows(execSync(`${command} -q -f tsv`, quiet));

			same(sorted(got.functions.map(row => [row.name, row.self, row.total])), sorted(printed.map(row => row.slice(0, 3))), `${name}: ${command}`);
			same(got.total, expected(name), `samples in ${name}, ${from}..${to}`);
			some += got.total > 0 ? 1 : 0;
		}
	}
	holds(some >= offered.length, 'groups have samples');
	await page.selectOption('#group', offered[1][0]);
	await page.waitForFunction(value => location.hash.includes(`p=group:${value}`), offered[1][0]);
	await page.selectOption('#group', '');
	holds((await text(page, 'fills')).includes('ungrouped'), 'frames are coloured by group, with a legend');
	same(await page.evaluate(() => window.pwned), undefined, 'nothing ran');
	console.log(`${offered.length} groups, ${wanted} windows, ${some} with samples`);
});

run(module, { groups });
