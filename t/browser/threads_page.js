// SPDX-License-Identifier: MIT
// threads_page.js CHECK FILE [MORE]: opens a page of threads over time in Chromium and looks at it. Status 1: what was found is not so.
'use strict';
const assert = require('assert');
const fs = require('fs');
const tab = require('./tab.js');

const { text, press, quiet, violations } = tab;
let page;

const open = async (file, options = {}) => { page = await tab.open(file, { width: 1300, ...options }); };
const tsv = name => {
	const [head, ...rest] = fs.readFileSync(name, 'utf8').trimEnd().split('\n').map(line => line.split('\t'));

	return rest.map(line => Object.fromEntries(head.map((key, i) => [key, line[i]])));
};

const checks = {
	// FILE SAMPLES: samples by thread and state are those of stkcat, and the table shows them
	async numbers(file, more) {
		const want = {};

		await open(file);
		for (const { thread, state } of tsv(more)) {
			want[thread] ??= {};
			want[thread][state] = (want[thread][state] ?? 0) + 1;
		}
		const got = {};
		for (const { name, states } of (await page.evaluate(() => stk.query())).threads) {
			got[name] ??= {};
			for (const [state, count] of Object.entries(states))
				got[name][state] = (got[name][state] ?? 0) + count;
		}
		assert.deepEqual(got, want);
		const shown = await page.evaluate(() => [...document.querySelectorAll('#rows tr')].map(line => Number(line.children[0].textContent.replace(/\u2009/g, ''))));
		assert.equal(shown.reduce((a, b) => a + b, 0), tsv(more).length);
		await quiet();
	},

	// FILE FINDINGS: locks lost as much as stkdiag says of findings about them
	async lost(file, more) {
		await open(file);
		const { locks } = await page.evaluate(() => stk.query());

		for (const finding of tsv(more).filter(({ rule }) => rule === 'blocked' || rule === 'convoy'))
			assert.ok(locks.some(lock => lock.class === finding.subject && lock.lost === Number(finding.lost) && lock.samples === Number(finding.samples) &&
				lock.most === Number(finding.threads)), `${finding.subject}: ${JSON.stringify(locks)}`);
		const words = await page.evaluate(() => [...document.querySelectorAll('#findings button bdi')].map(line => line.textContent));
		assert.deepEqual(words, tsv(more).filter(({ severity }) => severity !== 'info').map(({ summary }) => summary));
		await quiet();
	},

	// the sample: keys alone
	async keys(file) {
		await open(file);
		assert.match(await text('#where'), /01:54:00|00:54:00/);
		await page.evaluate(() => document.getElementById('chart').focus());
		assert.ok((await page.evaluate(() => stk.items())).includes('http-worker-3'));
		await press('n');
		assert.match(await text('#where'), /blocked since .*wants OrderService\$Stock, which stock-recount holds|stock-recount/);
		await press('/');
		await page.keyboard.type('http-worker-3');
		assert.deepEqual((await page.evaluate(() => stk.items())).length, 2);
		await press('Tab', 'Escape');
		await page.evaluate(() => document.getElementById('chart').focus());
		for (let i = 0; i < 40 && !(await text('#where')).startsWith('http-worker-3'); i++)
			await press('ArrowDown');
		for (let i = 0; i < 40 && !(await text('#where')).startsWith('http-worker-3'); i++)
			await press('ArrowUp');
		assert.match(await text('#where'), /^http-worker-3, .*: blocked since .*, wants OrderService\$Stock, which stock-recount holds\.$/);
		assert.match(await text('#stack'), /^OrderService\$Stock\.reserve/);
		assert.match(await text('#waits'), /stock-recount: timed-waiting in java\.lang\.Thread\.sleep/);
		assert.match(await text('#command'), /^stkcat -f dumps --from 2026-11-20T23:54:\d\dZ --to 2026-11-20T23:54:\d\dZ orders\.stk$/);
		const here = await text('#where'), address = await page.evaluate(() => location.hash);
		await press('ArrowRight');
		assert.notEqual(await text('#where'), here);
		await press('+', '-', '0', 'z', 'D', 'l');
		assert.deepEqual(await page.evaluate(() => stk.items()), ['OrderService$Stock: 64\u2009s lost']);
		await press('l', '?', 'Escape');
		await open(file, { hash: address });
		assert.equal(await text('#where'), here);
		await open(file, { hash: '#v=1&t=x&w=9..1&r=99999&p=z&q=%E0' });
		await quiet();
	},

	// the sample: locks first, who holds and who waits
	async locks(file) {
		await open(file);
		assert.deepEqual(await page.evaluate(() => stk.items()), ['OrderService$Stock: 64\u2009s lost']);
		assert.match(await text('#where'), /^OrderService\$Stock, .*: 8 threads wait for stock-recount, which locked it in OrderService\$Stock\.recount\.$/);
		assert.match(await text('#waits'), /stock-recount: timed-waiting in java\.lang\.Thread\.sleep.*http-worker-1: blocked in OrderService\$Stock\.reserve, wants OrderService\$Stock/);
		assert.match(await text('#waits'), /Who held it over time.*00: stock-recount; 8 wait.*09 to .*11: stock-recount; up to 8 wait.*20: stock-recount; 8 wait$/);
		await page.locator('#waits button', { hasText: /:09 to / }).click();
		assert.match(await text('#where'), /:09: 8 threads wait for stock-recount/);
		assert.match(await text('#rows'), /64\.0\u2009s32480*8?OrderService\$Stock/);
		await quiet();
	},

	// three times of one finding, from the worst on, and round
	async repeats(file) {
		await open(file);
		assert.match(await text('#findings'), /^warning, stuck: 2026-03-01 11:00:00 to 11:02:30: job-1 stands in app\.Db\.read.*; 3 in all, 2026-03-01 11:00:00 to 11:12:30$/);
		for (const time of ['11:05:00', '11:10:00', '11:00:00']) {
			await press('.');
			assert.match(await text('#where'), new RegExp(`^job-1, ${time}: `));
			assert.match(await text('#stack'), /^app\.Db\.read/);
		}
		await page.focus('#findings button');
		await press('Enter');
		assert.match(await text('#where'), /^job-1, 11:05:00: /);
		assert.match(await text('#say'), /^2 of 3: 2026-03-01 11:05:00 to 11:07:30$/);
		await quiet();
	},

	async pointer(file) {
		await open(file);
		const box = await page.locator('#lines').boundingBox();

		await page.mouse.click(box.x + 500, box.y + 60);
		assert.match(await text('#where'), /^http-worker/);
		await page.mouse.move(box.x + 400, box.y + 60);
		assert.equal(await page.evaluate(() => document.getElementById('tip').hidden), false);
		await page.mouse.down();
		await page.mouse.move(box.x + 700, box.y + 60);
		await page.mouse.up();
		assert.match(await text('#window'), / of 2[0-9.]+\u2009s\)$/);
		await quiet();
	},

	// FILE NAMES.json: all names are shown, none is run
	async hostile(file, more) {
		await open(file);
		const names = JSON.parse(fs.readFileSync(more, 'utf8')), got = (await page.evaluate(() => stk.query())).threads.map(({ name }) => name);

		for (const name of names)
			assert.ok(got.includes(name), JSON.stringify(name));
		for (let i = 0; i < names.length; i++)
			await press('ArrowDown');
		await press('l', 'l');
		assert.equal(await page.evaluate(() => window.pwned), undefined);
		await quiet();
	},

	async nothing(file) {
		await open(file);
		assert.match(await text('body'), /No thread dumps/);
		await press('n', 'l', '+', '0');
		await quiet();
	},

	async print(file) {
		await open(file);
		await page.emulateMedia({ media: 'print' });
		assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('.tools')).display), 'none');
		assert.ok((await page.pdf({ landscape: true, format: 'A4' })).length > 5000);
		await quiet();
	},

	// on a narrow screen, of threads and of locks, and in an open dialog; light and dark: see axe_pages.js
	async axe(file) {
		await open(file, { width: 400, height: 800 });
		assert.deepEqual(await violations(page), []);
		await press('l');
		assert.deepEqual(await violations(page), []);
		await press('?');
		assert.deepEqual(await violations(page, { part: 'dialog[open]' }), []);
		await quiet();
	}
};

tab.run(module, checks);
