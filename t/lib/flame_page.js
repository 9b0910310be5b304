// SPDX-License-Identifier: MIT
// flame_page.js CHECK FILE...: opens the page of a flame graph in Chromium and looks at it. Status 1: what was found is not so.
'use strict';
const assert = require('assert');
const { execFileSync } = require('child_process');
const fs = require('fs');
const tab = require('../browser/tab.js');

const { text, press, leaveDialog, quiet, violations } = tab;
let page;

const open = async (...words) => { page = await tab.open(...words); };
const functionsOf = rows => new Map(rows.map(row => [row.name, `${row.self} ${row.total}`]));

// What stktree prints, by function.
function flat(...words) {
	const printed = execFileSync('stktree', ['-q', '--report', 'flat', '-f', 'tsv', ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

	return new Map(printed.trimEnd().split('\n').slice(1).map(line => line.split('\t')).map(([name, self, total]) => [name, `${self} ${total}`]));
}

// A moment as stktree takes it.
const moment = (facts, cell) => {
	const ns = BigInt(facts.t0) + BigInt(facts.cell) * BigInt(cell), whole = ns / 1000000000n;

	return `@${whole}.${String(ns % 1000000000n).padStart(9, '0')}`;
};

const checks = {
	// FILE STREAM [WINDOWS]: numbers of the page are those of stktree, in the whole and in so many windows of cells that are drawn by lot
	async numbers(file, stream, windows = '12') {
		await open(file);
		const facts = await page.evaluate(() => stk.facts);
		let seed = 7, tried = 0;
		const random = below => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor(seed / 65536) % below; };

		assert.deepEqual(functionsOf((await page.evaluate(() => stk.query())).functions), flat(stream));
		for (let i = 0; i < Number(windows) && facts.cells > 0; i++) {
			const from = random(facts.cells), to = from + 1 + random(facts.cells - from);
			const got = await page.evaluate(q => stk.query(q), { from, to });

			if (got.total === 0)
				continue;
			assert.deepEqual(functionsOf(got.functions), flat('--from', moment(facts, from), '--to', moment(facts, to), stream));
			tried++;
		}
		assert.ok(tried >= windows / 2 || facts.cells === 0, `${tried} windows`);
		await quiet();
	},

	// FILE [STREAM SVG]: the digits of table and detail line are those of the interface; times of processors are those that stktree prints; the legend
	// of modules begins with that of the still picture
	async screen(file, stream, svg) {
		await open(file);
		const printed = stream === undefined ? [] : execFileSync('stktree', ['-q', '--report', 'flat', '-f', 'text', '--width', '300', stream], { encoding: 'utf8' })
			.split('\n').filter(line => /^ *\d/.test(line)).map(line => line.trim().split(/\s+/));
		const inTime = (await page.evaluate(() => stk.facts.unit)).startsWith('ns of ');
		assert.equal(inTime, stream !== undefined);
		const plain = string => string.replace(/[\u2009\s]/g, '');
		const { total, functions } = await page.evaluate(() => stk.query());
		const shown = await page.evaluate(() => [...document.querySelectorAll('#rows tr')].slice(0, 10).map(line => [...line.children].map(c => c.textContent)));

		assert.ok(shown.length > 0);
		shown.forEach((line, i) => {
			assert.equal(plain(line[0]), inTime ? printed[i][0] : String(functions[i].self));
			assert.equal(plain(line[2]), inTime ? printed[i][2] : String(functions[i].total));
			const share = 100 * functions[i].total / total;
			assert.equal(plain(line[3]), share > 0 && share < 0.05 ? '<0.1%' : `${share.toFixed(1)}%`);
		});
		const legend = await page.evaluate(() => [...document.querySelectorAll('#fills > span')].map(item => `${item.firstChild.style.background} ${item.textContent}`));
		const hex = fill => `rgb(${[1, 3, 5].map(i => parseInt(fill.slice(i, i + 2), 16)).join(', ')})`;
		const still = svg === undefined ? [] : [...fs.readFileSync(svg, 'utf8').matchAll(/<rect fill="(#\w+)"[^>]*><text[^>]*>(.*)<\/text>/g)].map(([, fill, words]) =>
			`${hex(fill)} ${words}`);
		assert.equal(new Set(legend.map(item => item.split(') ')[0])).size, legend.length, 'two modules look alike');
		assert.ok(svg === undefined || still.length > 3);
		assert.deepEqual(legend.slice(0, still.length).map(plain), still.map(plain));
		assert.match(plain(await text('#detail')), new RegExp(`^all·${total}`));
		await page.hover('#flame', { position: { x: 20, y: (await page.evaluate(() => document.getElementById('flame').clientHeight)) - 8 } });
		assert.match(plain(await text('#tip')), new RegExp(`^all${total}`));
		const wide = await page.evaluate(() => document.getElementById('flame').clientWidth), frames = await page.evaluate(() => stk.frames());
		for (const [x, , w] of frames)
			assert.ok(x >= -0.01 && x + w <= wide + 0.01);
		await quiet();
	},

	// FILE (of a;b;c 10, a;b;d 5, a;e 3, f 2): keys alone reach every function
	async keys(file) {
		await open(file);
		const query = () => page.evaluate(() => stk.query()), has = async name => (await query()).functions.find(row => row.name === name);
		const chosen = () => page.evaluate(() => document.querySelector('[aria-selected=true]').textContent.split(',')[0]);

		await page.focus('#tree');
		await press('ArrowUp');
		assert.equal(await chosen(), 'a');
		await press('ArrowRight');
		assert.equal(await chosen(), 'f');
		await press('ArrowLeft', 'ArrowUp');
		assert.equal(await chosen(), 'b');
		await press('Enter');
		assert.match(await text('#path'), /all.*a.*b/);
		await press('m');
		assert.equal(await has('b'), undefined);
		assert.equal((await has('c')).total, 10);
		assert.equal((await query()).total, 20);
		assert.equal(await text('#same'), 'The numbers without the steps:');
		await press('u');
		assert.equal((await has('b')).total, 15);
		assert.equal(await text('#same'), 'The same numbers:');
		await page.focus('#tree');
		await press('ArrowUp', 'd');
		assert.equal((await query()).total, 2);
		assert.match(await page.evaluate(() => location.hash), /x=d:a/);
		await page.reload();
		await page.evaluate(() => stk.ready);
		assert.equal((await query()).total, 2);
		await press('U');
		assert.equal((await query()).total, 20);
		await page.focus('#tree');
		await press('ArrowUp', 'ArrowUp', 'f');
		assert.equal((await query()).total, 15);
		assert.equal(await page.evaluate(() => stk.folded()), 'b;c 10\nb;d 5\n');
		await press('u');
		await page.focus('#tree');
		await press('ArrowUp', 'ArrowUp', 's');
		assert.match(await text('#above'), /Callers of b: a 100\.0/);
		await press('u', '%');
		await page.keyboard.type('');
		await page.fill('#percent', '20');
		await press('Enter');
		await page.waitForFunction(() => stk.folded().startsWith('?'));		// a dialog tells later that it closed
		assert.equal(await page.evaluate(() => stk.folded()), '? 2\na 3\na;b;c 10\na;b;d 5\n');
		await press('U', '/');
		await page.keyboard.type('^[cd]$');
		assert.match((await text('#found')).replace(/\u2009/g, ' '), /^2 functions, 15 samples, 75\.0 % of all$/);
		await press('Enter');
		assert.match(await chosen(), /^[cd]$/);
		await press('Escape');
		assert.equal(await text('#found'), '');
		await press('Shift+?');
		assert.equal(await page.evaluate(() => document.getElementById('help').open), true);
		await leaveDialog();
		await press('i', 't', 'Shift+D');
		assert.notEqual(await page.evaluate(() => document.activeElement.tagName), 'CANVAS');
		await quiet();
	},

	// 10,000 levels: what is drawn is as high as a canvas can be, and goes where the chosen frame is
	async deep(file) {
		const drawn = () => page.evaluate(() => {
			const canvas = document.querySelector('#frames canvas'), all = stk.frames(), [x, y] = all[all.length >> 1];
			const pixel = document.createElement('canvas').getContext('2d');

			pixel.drawImage(canvas, -x - 20, -y - 8);
			return { count: all.length, names: all.map(frame => frame[3]), alpha: pixel.getImageData(0, 0, 1, 1).data[3],
				inside: all.every(frame => frame[1] >= 0 && frame[1] < canvas.height) };
		});

		await open(file);
		const first = await drawn();
		assert.deepEqual([first.alpha, first.inside, first.names.includes('all')], [255, true, true]);
		assert.ok(first.count > 900 && first.count < 1930, `${first.count}`);
		assert.match(await text('#cut'), /^Of 10\u2009001 levels, \d.\d{3} near the chosen frame are drawn, from level 1 on\.$/);
		await press('/');
		await page.keyboard.type('f9999');
		await press('Enter');
		const last = await drawn();
		assert.deepEqual([last.alpha, last.inside, last.count, last.names.includes('f9999')], [255, true, first.count, true]);
		await quiet();
	},

	// FILE: a wrong address is said, and harms nothing
	async address(file) {
		for (const hash of ['#v=1&x=m:nobody,q:r,%25:0&z=99999', '#q=%E0%A4%A', '#x=r,r,f:__proto__&c=constructor&z=-1&o=x', '#&&=&==']) {
			await open(file, { hash });
			assert.equal((await page.evaluate(() => stk.query())).total, 20);
			await quiet();
		}
		await open(file, { hash: '#v=1&x=m:nobody' });
		assert.match(await text('#say'), /names one thing that this file does not have/);
		await quiet();
	},

	// FILE NAMES: a file with a JSON list of names; each is in the table as it is, nothing runs
	async hostile(file, list) {
		const wanted = JSON.parse(fs.readFileSync(list, 'utf8'));

		await open(file);
		const got = new Set((await page.evaluate(() => stk.query())).functions.map(row => row.name));
		for (const name of wanted)
			assert.ok(got.has(name), JSON.stringify(name));
		await page.focus('#tree');
		for (let i = 0; i < wanted.length + 2; i++)
			await press(i === 0 ? 'ArrowUp' : 'ArrowRight');
		for (const name of wanted.slice(0, 12)) {
			await page.fill('#search', name);
			await press('Enter');
		}
		await page.evaluate(() => { dispatchEvent(new Event('beforeprint')); });
		assert.equal(await page.evaluate(() => window.pwned), undefined);
		assert.equal(await page.evaluate(() => document.querySelectorAll('img, iframe, object, [onload]').length), 0);
		await quiet();
	},

	// FILE...: axe finds nothing on a narrow screen, and in an open dialog; light and dark: see axe_pages.js
	async axe(...all) {
		for (const file of all) {
			await open(file, { width: 400 });
			assert.deepEqual(await violations(page), []);
			await press('Shift+?');
			assert.deepEqual(await violations(page, { part: 'dialog[open]' }), []);
			await quiet();
		}
	},

	// FILE: paper has the frames as SVG, and no control
	async print(file) {
		await open(file);
		await page.evaluate(() => { dispatchEvent(new Event('beforeprint')); });
		assert.equal(await page.evaluate(() => document.querySelectorAll('#paper rect').length), await page.evaluate(() => stk.frames().length));
		await page.emulateMedia({ media: 'print' });
		assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('.tools')).display), 'none');
		assert.ok((await page.pdf({ preferCSSPageSize: true })).length > 5000);
		await quiet();
	},

	// FILE (a;b 10, a;c 5 before; a;b 400, a;d 5 after, in shares): what vanished, what is new, and how much
	async difference(file) {
		await open(file);
		const table = await page.evaluate(() => [...document.querySelectorAll('#rows tr')].map(line => [...line.children].map(c => c.textContent)));
		const row = name => table.find(line => line[5] === name);

		assert.deepEqual(row('c').slice(0, 4), ['500', '0', '\u221233.3', 'gone']);
		assert.deepEqual(row('d').slice(0, 4), ['0', '50', '+1.2', 'new']);
		assert.deepEqual(row('b').slice(0, 4), ['1\u2009000', '4\u2009000', '+32.1', '176\u2009%']);
		assert.match(await text('#tree'), /all/);
		const frames = await page.evaluate(() => stk.frames().map(frame => frame[3]).sort());
		assert.deepEqual(frames, ['a', 'all', 'b', 'c', 'd']);
		await quiet();
	},

	// FILE LEAST WORDS...: what the page marks, in rates and in shares, is what stktree marks with these words
	async marks(file, least, ...words) {
		const ask = (...more) => execFileSync('stktree', ['-q', '-f', 'ndjson', ...words, ...more], { encoding: 'utf8' }).trimEnd().split('\n').map(line => JSON.parse(line));
		let changed = 0;

		for (const [mode, rate] of [['abs', 'second'], ['rel', 'share']]) {
			await open(file, { hash: `#m=${mode}` });
			assert.match(await text('#command'), mode === 'abs' ? /--rate second$/ : /[^d]$/);
			const shown = await page.evaluate(() => [...document.querySelectorAll('#rows tr')].map(line => [...line.children].map(c => c.textContent)));
			const marked = new Map(ask('--report', 'flat', '--rate', rate).map(row => [row.function, row.significant]));

			assert.ok(shown.length > 3);
			for (const line of shown) {
				assert.equal(line[4] !== '\u2248', marked.get(line[5]) === 1 || marked.get(line[5]) === true, line.join(' '));
				changed += line[4] !== '\u2248';
			}
			const frames = await page.evaluate(() => stk.chances());
			const rows = ask('--report', 'tree', '--rate', rate).filter(row => row.function !== '(no frames)')	// of which there is no rectangle
				.map(row => [row.level, row.function, !row.significant]);
			const sorted = list => list.map(row => row.join(' ')).sort();

			assert.deepEqual(sorted(frames), sorted(rows));
			await quiet();
		}
		assert.ok(changed >= Number(least));
	}
};

tab.run(module, checks);
