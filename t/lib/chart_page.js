// SPDX-License-Identifier: MIT
// chart_page.js CHECK FILE...: opens the page of trends, groups or classes in Chromium and looks at it. Status 1: what was found is not so.
'use strict';
const assert = require('assert');
const { execFileSync } = require('child_process');
const tab = require('../browser/tab.js');

const { text, press, leaveDialog, quiet, violations } = tab;
let page;

const open = async (...words) => { page = await tab.open(...words); };
const query = (window = {}) => page.evaluate(q => stk.query(q), window);
const hash = () => page.evaluate(() => location.hash);

// Rows of TSV that a command prints, as objects.
function table(command, ...words) {
	const [head, ...rows] = execFileSync(command, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 1 << 28 }).trimEnd().split('\n')
		.map(line => line.split('\t'));

	return rows.map(row => Object.fromEntries(head.map((name, i) => [name, row[i]])));
}

const near = (a, b, what) => assert.ok(Math.abs(a - b) <= 1e-5 * Math.max(Math.abs(a), Math.abs(b)) + 1e-9, `${what}: ${a}, expected ${b}`);

const checks = {
	// PAGE STREAM: means of windows are those of the measures in the stream
	async trend(file, stream) {
		await open(file);
		const facts = await page.evaluate(() => stk.facts), panels = await query();
		const [t0, column] = [Number(BigInt(facts.axis[0]) / 1000000n), facts.axis[1] / 1e6], seen = facts.axis[3];
		const measures = table('stkcat', '-f', 'tsv', '--only', 'measure', stream), names = table('stkcat', '-f', 'tsv', '--only', 'filter_state', stream);
		const idOf = panel => names.find(row => panel.name === `${row.name} @ ${row.part}` || panel.name === row.name)?.id;
		let tried = 0;

		for (const panel of panels.filter(one => idOf(one) !== undefined)) {
			const own = measures.filter(row => row.id === idOf(panel)).map(row => ({ at: (Date.parse(row.time) - t0) / column, value: Number(row.value),
				level: Number(row.level) }));

			for (const [from, to] of [[0, seen], [0, 1], [seen - 1, seen], [Math.floor(seen / 3), Math.floor(seen / 2)]]) {
				const shown = (await query({ from, to })).find(one => one.name === panel.name), inside = own.filter(row => row.at >= from && row.at < to);

				for (const [role, field] of [['measured', 'value'], ['level', 'level']])
					near(shown.lines.find(line => line.role === role).mean, inside.reduce((sum, row) => sum + row[field], 0) / inside.length, `${panel.name} ${from} ${to}`);
				tried++;
			}
		}
		assert.ok(tried >= 4, `${tried} windows`);
		const findings = table('stkcat', '-f', 'tsv', '--only', 'anomaly', stream).filter(row => row.series !== 'segment' && row.news === '1');
		assert.equal(panels.reduce((sum, panel) => sum + panel.marks.length, 0), findings.length);
		assert.match(await text('#answer'), /is reached on 2026-.* to .*shift from/);
		await quiet();
	},

	// PAGE STREAM STEP SCHEME: sums of each group, in the whole and in each column, are those of stkgroup
	async groups(file, stream, step, scheme) {
		await open(file);
		const facts = await page.evaluate(() => stk.facts), t0 = Number(BigInt(facts.axis[0]) / 1000000n), column = facts.axis[1] / 1e6;
		const rows = table('stkgroup', '-q', '-s', scheme, '--step', step, '-f', 'tsv', stream).filter(row => Number(row.time) > 0);

		for (let from = -1; from < facts.axis[2]; from++) {
			const [panel] = await query(from < 0 ? {} : { from, to: from + 1 });
			const wanted = new Map();

			for (const row of rows)
				if (from < 0 || Math.floor((Date.parse(row.from) - t0) / column) === from)
					wanted.set(row.group, (wanted.get(row.group) ?? 0) + Number(row.time));
			for (const line of panel.lines)
				near(line.sum, wanted.get(line.name) ?? 0, `${line.name} in ${from}`);
			assert.equal(panel.lines.filter(line => line.sum > 0).length, wanted.size);
		}
		await quiet();
	},

	// PAGE STREAM: rows of the tree are those of stkclass --tree, and on the screen
	async classes(file, stream) {
		await open(file);
		const plain = string => string.replace(/[\u2009\s]/g, ''), [panel] = await query();
		const wanted = table('stkclass', '-q', '--tree', '-f', 'tsv', stream).map(row => `${row.frames} ${row.total} ${row.own} ${row.now}`).sort();
		const shown = await page.evaluate(() => [...document.querySelectorAll('.tree tbody tr')].map(row => [...row.children].slice(0, 3).map(cell => cell.textContent)));

		assert.deepEqual(panel.rows.map(row => `${row.frames} ${row.total} ${row.own} ${row.now}`).sort(), wanted);
		assert.deepEqual(shown.map(row => row.map(plain)), panel.rows.map(row => [row.total, row.own, row.now].map(String)));
		await quiet();
	},

	// PAGE of trends: keys alone; the address keeps what is shown
	async keys(file) {
		await open(file);
		const value = () => page.evaluate(() => document.getElementById('cursor').getAttribute('aria-valuetext'));

		await page.focus('#cursor');
		const begin = await value();
		await press('ArrowLeft', 'ArrowLeft');
		assert.notEqual(await value(), begin);
		await press('Home');
		assert.match(await text('#window'), new RegExp(`^${await value()}`));
		await press('Enter', 'ArrowRight', 'ArrowRight', 'Enter');
		assert.match(await hash(), /w=0\.\.3/);
		assert.match(await text('#window'), /^Window: /);
		await press('t');
		assert.ok((await page.evaluate(() => document.querySelectorAll('#valuerows tr').length)) > 2);
		await press('f');
		assert.match(await hash(), /s=0\.\.3/);
		await press('0');
		assert.doesNotMatch(await hash(), /s=/);
		const first = await text('.panel.large h2');
		await press('n');
		assert.notEqual(await text('.panel.large h2'), first);
		assert.match(await hash(), /k=1/);
		await page.reload();
		await page.evaluate(() => stk.ready);
		assert.notEqual(await text('.panel.large h2'), first);
		await press('N');
		assert.equal(await text('.panel.large h2'), first);
		await press('Shift+?');
		assert.equal(await page.evaluate(() => document.getElementById('help').open), true);
		await leaveDialog();
		await press('z', 'Shift+D');
		assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
		await quiet();
	},

	// PAGE of groups: off and on, a window by mouse, the paths of a group
	async drill(file) {
		await open(file);
		const areas = () => page.evaluate(() => document.querySelectorAll('.panel svg path[fill^="#"]').length);
		const before = await areas();

		await page.uncheck('.group input >> nth=0');
		assert.equal(await areas(), before - 1);
		assert.match(await hash(), /g=/);
		await page.check('.group input >> nth=0');
		assert.equal(await areas(), before);
		const name = await text('.group button');
		await page.click('.group button');
		assert.match(await text('#pathtitle'), new RegExp(`^Call paths of ${name.replace('/', '.')}, all of the time: [0-9]+`));
		assert.match(await text('#detail'), new RegExp(`^${name.replace('/', '.')}`));
		const all = Number((await text('#pathtitle')).match(/: ([0-9]+)/)[1]);
		const box = await page.locator('.panel svg').boundingBox();
		await page.mouse.move(box.x + 60, box.y + 60);
		await page.mouse.down();
		await page.mouse.move(box.x + box.width * 0.5, box.y + 60, { steps: 4 });
		await page.mouse.up();
		assert.match(await hash(), /w=0\.\.[0-9]+/);
		const [, part] = (await text('#pathtitle')).match(/: ([0-9]+)/);
		assert.ok(Number(part) > 0 && Number(part) < all, `${part} of ${all}`);
		assert.doesNotMatch(await text('#pathtitle'), /all of the time/);
		await quiet();
	},

	// PAGE: wrong addresses harm nothing
	async address(file) {
		for (const part of ['#w=9..1&s=-1..5&k=99&z=7777777', '#g=%E0%A4%A,__proto__&w=a..b', '#&&=&=='])  {
			await open(file, { hash: part });
			assert.ok((await query()).length > 0);
			await quiet();
		}
		await open(file, { hash: '#g=nobody' });
		assert.match(await text('#say'), /names one group that this file does not have/);
		await quiet();
	},

	// PAGE...: names cannot leave their place
	async hostile(...all) {
		for (const file of all) {
			await open(file);
			await page.hover('.panel');
			await press('t');
			for (const button of await page.locator('button.name').all())
				if (await button.isVisible().catch(() => false))
					await button.click({ timeout: 1000 }).catch(() => {});
			assert.equal(await page.evaluate(() => window.pwned), undefined);
			assert.equal(await page.evaluate(() => document.querySelectorAll('img, iframe, object, [onload]').length), 0);
			await quiet();
		}
	},

	// PAGE...: axe finds nothing on a narrow screen with a window and the table, and in an open dialog; light and dark: see axe_pages.js
	async axe(...all) {
		for (const file of all) {
			await open(file, { width: 400, hash: '#w=0..2' });
			await press('t');
			assert.deepEqual(await violations(page), []);
			await press('Shift+?');
			assert.deepEqual(await violations(page, { part: 'dialog[open]' }), []);
			await quiet();
		}
	},

	// PAGE...: paper has the pictures, and no control
	async print(...all) {
		for (const file of all) {
			await open(file);
			await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
			assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('.tools')).display), 'none');
			assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
			assert.ok((await page.pdf({ preferCSSPageSize: true })).length > 5000);
			await quiet();
		}
	},

	// PAGE...: opens, and nothing is said on the console
	async opens(...all) {
		for (const file of all) {
			await open(file);
			await press('t', '0', 'f', 'n', 'N');
			await quiet();
		}
	}
};

tab.run(module, checks);
