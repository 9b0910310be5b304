// SPDX-License-Identifier: MIT
// heat_use everything PAGE: what people do with a heat map: mouse, keys alone, search, filters, a second window, an empty one, dark, narrow; and axe-core.
'use strict';
const { execSync } = require('child_process');
const { withPage, same, holds } = require('./page.js');
const { violations, run } = require('./tab.js');

process.env.AXE = process.env.AXE || require.resolve('axe-core/axe.min.js');
const text = (page, id) => page.evaluate(name => document.getElementById(name).textContent, id);
const digits = line => Number(line.replace(/\u2009/g, '').match(/: (\d+)/)[1]);

async function isAccessible(page, what, of) {
	same(await violations(page, of), [], what);
}

async function box(page) {
	return page.evaluate(() => { const b = document.getElementById('map').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; });
}

async function drag(page, from, to) {
	const [left, top, , high] = await box(page), wide = await page.evaluate(() => document.getElementById('map').clientWidth);

	await page.mouse.move(left + from * wide, top + 30);
	await page.mouse.down();
	await page.mouse.move(left + to * wide, top + high / 2, { steps: 5 });
	await page.mouse.up();
}

const windowOf = async page => (await page.evaluate(() => location.hash)).match(/w=(\d+)\.\.(\d+)/).slice(1).map(Number);

async function withMouse(page) {
	const whole = await text(page, 'window');

	await drag(page, 0.2, 0.4);
	const chosen = await windowOf(page), wanted = await page.evaluate(([from, to]) => stk.query({ from, to }), chosen);
	holds(await text(page, 'window') !== whole, 'a window was chosen by mouse');
	same(digits(await text(page, 'window').then(line => line.slice(line.indexOf(')')))), wanted.total, 'the total on the screen is that of the window');
	const table = await page.evaluate(() => [...document.querySelectorAll('#rows tr')].slice(0, 10).map(row => [row.querySelector('th').textContent,
		Number(row.children[0].textContent.replace(/\u2009/g, '')), Number(row.children[2].textContent.replace(/\u2009/g, ''))]));
	holds(table.length > 0, 'the table has rows');
	for (const [name, self, total] of table.filter(row => !row[0].includes('\u2026'))) {
		const found = wanted.functions.find(row => row.name === name);

		same([self, total], [found?.self, found?.total], `the table's digits of ${name}`);
	}
	const frames = await page.evaluate(() => stk.frames());
	holds(frames.length > 1 && frames[0][3] === 'all', 'a flame graph was drawn');
	const [x, y, w, name] = frames[frames.length > 2 ? 2 : 1];
	const at = await page.evaluate(() => { const b = document.getElementById('flame').getBoundingClientRect(); return [b.left, b.top]; });
	await page.mouse.move(at[0] + x + w / 2, at[1] + y + 8);
	await page.waitForTimeout(50);
	holds((await text(page, 'tip')).startsWith(name), 'the tooltip names the frame under the pointer');
	await page.keyboard.down('Shift');
	await drag(page, 0.6, 0.8);
	await page.keyboard.up('Shift');
	holds((await text(page, 'baseline')).startsWith('against'), 'a second window was chosen with Shift');
	holds((await text(page, 'heads')).includes('/\u2212'), 'the table shows the difference');
	await isAccessible(page, 'axe, with a difference');
}

async function withKeys(page) {
	const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };

	await press('Escape');
	same(await page.evaluate(() => document.activeElement.id), 'heat', 'Escape goes to the map');
	await press('B', '0');
	const whole = await windowOf(page);
	await press('ArrowRight', 'Enter', 'ArrowRight', 'ArrowDown', 'ArrowDown', 'Enter');
	const chosen = await windowOf(page);
	holds(chosen[0] !== whole[0] || chosen[1] !== whole[1], 'a window was chosen by keys');
	await press('+', '-', 'PageDown', 'PageUp', 'z', 'v', 'i', 'i', 't', 't');
	holds(await page.evaluate(() => document.activeElement !== document.body), 'the focus is somewhere');
	await press('b', '0');
	holds((await text(page, 'baseline')).length > 0, 'b makes a baseline');
	await press('B');
	await page.focus('#tree');
	await press('ArrowDown', 'ArrowDown', 'Enter');
	const detail = await text(page, 'detail');
	holds(/z=\d+/.test(await page.evaluate(() => location.hash)), 'Enter zooms');
	holds(await page.evaluate(line => document.querySelector('[role=treeitem][aria-selected=true]').textContent.startsWith(line.split(' \u00B7 ')[0]), detail),
		'the tree for assistive technology says what is chosen');
	await press('Home');
	holds(!/z=\d+/.test(await page.evaluate(() => location.hash)), 'Home zooms out');
	await press('/');
	same(await page.evaluate(() => document.activeElement.id), 'search', '/ searches');
	const name = (await page.evaluate(window => stk.query({ from: window[0], to: window[1] }).functions.find(row => row.name !== '(no frames)').name,
		await windowOf(page)));
	await page.keyboard.type(name.slice(0, 60));
	holds(/^\d+ function/.test((await text(page, 'found')).replace(/\u2009/g, '')), 'the search says what it found');
	await press('Enter', 'Escape');
	same(await text(page, 'found'), '', 'Escape clears the search');
	await press('?');
	holds(await page.evaluate(() => document.getElementById('help').open), '? shows the keys');
	await isAccessible(page, 'axe, with the keys shown', { part: 'dialog[open]' });
	await press('Escape');
	await press('D');
	await isAccessible(page, 'axe, the other colours', { colours: true });
	await press('D');
}

async function withFilters(page) {
	const window = await windowOf(page), all = await page.evaluate(w => stk.query({ from: w[0], to: w[1] }).total, window);

	for (const id of ['process', 'pool', 'state']) {
		const values = await page.evaluate(name => [...document.getElementById(name).options].map(option => option.value), id);
		let sum = 0;

		if (values.length < 3)
			continue;
		for (const value of values.slice(1)) {
			await page.selectOption(`#${id}`, value);
			sum += await page.evaluate(w => stk.query({ from: w[0], to: w[1] }).total, window);
		}
		same(sum, all, `the parts by ${id} are the whole`);
		await page.selectOption(`#${id}`, '');
	}
}

const press = async (page, ...keys) => { for (const key of keys) await page.keyboard.press(key); };

async function withSteps(page) {
	const inWindow = async () => page.evaluate(w => stk.query({ from: w[0], to: w[1] }), await windowOf(page));
	const chosen = () => page.evaluate(() => document.querySelector('[aria-selected=true]').textContent.split(',')[0]);
	const steps = () => page.evaluate(() => /x=([^&]*)/.exec(location.hash)?.[1] ?? '');

	await press(page, 'Escape', 'B', '0', 'ArrowRight', 'Enter', 'ArrowRight', 'ArrowRight', 'Enter');
	const all = await inWindow();
	const begin = async () => {
		await page.focus('#tree');
		await press(page, 'Home', 'ArrowDown', 'ArrowDown', 'ArrowDown');
		return (await inWindow()).functions.find(row => row.name === name);
	};
	await page.focus('#tree');
	await press(page, 'Home', 'ArrowDown', 'ArrowDown', 'ArrowDown');
	const name = await chosen(), own = all.functions.find(row => row.name === name);
	holds(own !== undefined, `${name} is in the table`);
	await press(page, 'f');
	same([(await inWindow()).total, (await steps()).slice(0, 2)], [own.total, 'f:'], 'f leaves what the function calls');
	await press(page, 'u');
	same(await inWindow(), all, 'u takes it back');
	await begin();
	await press(page, 'd');
	same((await inWindow()).total, all.total - own.total, 'd drops the samples of the function');
	await press(page, 'u');
	await begin();
	await press(page, 'm');
	const merged = await inWindow();
	same([merged.total, merged.functions.some(row => row.name === name)], [all.total, false], 'm leaves the function out');
	await press(page, 'r', '%');
	await page.fill('#percent', '5');
	await page.keyboard.press('Enter');
	await page.waitForFunction(() => /%25:5/.test(location.hash));
	const stepped = await inWindow(), folded = await page.evaluate(() => stk.folded());
	same(stepped.total, all.total, 'r and % keep all samples');
	same(folded.trimEnd().split('\n').reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0), all.total, 'the export has all that is shown');
	await page.reload();
	await page.waitForFunction(() => document.body.className === 'ready');
	same(await inWindow(), stepped, 'the address keeps the steps');
	await page.focus('#heat');
	await press(page, 'U');
	same([await inWindow(), await steps()], [all, ''], 'U takes back all');
	await begin();
	await press(page, 's');
	holds((await text(page, 'above')).startsWith('Callers of'), 's shows the callers');
	await page.goBack();
	same([await inWindow(), await steps()], [all, ''], 'Back takes the step back');
	await page.waitForFunction(() => document.querySelector('#rows .when span') !== null);
	holds(/^most /.test(await page.getAttribute('#rows .when span', 'aria-label')), 'the table says when');
}

// The command under the picture has the numbers of the window, also with filters.
async function withCommand(page) {
	for (const id of ['process', 'pool', 'state']) {
		const values = await page.evaluate(name => [...document.getElementById(name).options].map(option => option.value), id);

		if (values.length < 3)
			continue;
		await page.selectOption(`#${id}`, values[1]);
		const got = await page.evaluate(w => stk.query({ from: w[0], to: w[1] }), await windowOf(page)), command = await text(page, 'command');
		const printed = got.total === 0 ? [] : execSync(`${command} -q -f tsv`, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trimEnd().split('\n').slice(1);
		const sorted = rows => rows.map(row => row.join('\t')).sort();

		same(sorted(printed.map(line => line.split('\t').slice(0, 3))), sorted(got.functions.map(row => [row.name, row.self, row.total])), command);
		await page.selectOption(`#${id}`, '');
	}
}

async function emptyWindow(page) {
	const facts = await page.evaluate(() => stk.facts);

	await page.evaluate(to => { location.hash = `#v=1&w=0..${to}`; }, Math.max(facts.first, 1));
	await page.reload();
	await page.evaluate(() => stk.ready);
	holds(facts.first === 0 || /^No samples between .* and .*; nearest at .*\.$/.test(await text(page, 'window')), `an empty window says so: ${await text(page, 'window')}`);
	await page.evaluate(() => { location.hash = '#v=1&w=x..y&b=9..1&z=99999999&q=%E0%A4%A&p=pool:77,__proto__:1'; });
	await page.waitForFunction(() => /damaged/.test(document.getElementById('say').textContent), null, { timeout: 5000 });
	await page.evaluate(() => { location.hash = '#v=1&x=m:__proto__,%25:5'; });
	await page.waitForFunction(() => /names one thing that this file does not have/.test(document.getElementById('say').textContent), null, { timeout: 5000 });
}

// The wheel moves the map across; down, it moves the page.
async function withWheel(page) {
	const taken = by => page.evaluate(turn => !document.getElementById('map').dispatchEvent(new WheelEvent('wheel', { ...turn, cancelable: true })), by);

	same([await taken({ deltaX: 40 }), await taken({ deltaX: -40 }), await taken({ deltaY: 40 })], [true, true, false], 'turns of the wheel that the map takes');
}

async function everything(path) {
	await withPage(path, async page => {
		await withWheel(page);
		await isAccessible(page, 'axe, the whole recording');
		await withMouse(page);
		await withKeys(page);
		await withFilters(page);
		await withSteps(page);
		await withCommand(page);
		await emptyWindow(page);
	});
	await withPage(path, async page => {
		await isAccessible(page, 'axe, dark and narrow');
		await page.emulateMedia({ media: 'print' });
		same(await page.evaluate(() => ['--text', '--back'].map(name => getComputedStyle(document.getElementById('map')).getPropertyValue(name))), ['#1A1A1A', '#FFFFFF'],
			'paper is light');
		holds((await page.pdf()).length > 5000, 'it prints');
	}, { width: 400, height: 800, scheme: 'dark' });
}

run(module, { everything });
