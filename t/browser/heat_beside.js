// SPDX-License-Identifier: MIT
// heat_beside ranges FOLDER FILE WINDOWS [NAME]: the heat map FOLDER/days.html with its counts in NAME (days.heat), which may be a time tree, from a web server: in so many windows the numbers of stktree, by
// parts of the file; what is wrong with a server or the file is said, and whole cells of the level are there all the same.
'use strict';
const fs = require('fs');
const { serve } = require('./static_server.js');
const { withPage, same, holds } = require('./page.js');
const { run } = require('./tab.js');
const heat = require('./heat_windows.js');

const text = (page, id) => page.evaluate(name => document.getElementById(name).textContent, id);
const asked = async address => JSON.parse(await (await fetch(`${address}/asked`)).text());

// The page asks for what is shown, and for no more.
async function byUse(address, folder, name) {
	const size = fs.statSync(`${folder}/${name}`).size;

	await withPage(`${address}/days.html`, async page => {
		const begun = await asked(address), [from, to] = await page.evaluate(() => [stk.facts.first + 70001, stk.facts.first + 70101]);

		const first = await page.evaluate(() => performance.getEntriesByType('resource').filter(({ startTime }) =>
			startTime < performance.getEntriesByName('flame')[0].startTime).length);
		holds(first <= 2, `${first} requests for the first picture`);		// the table asks for more, in its own time
		await page.evaluate(([a, b]) => { location.hash = `#v=1&w=${a}..${b}`; }, [from, to]);
		await page.waitForFunction(() => /^Window \d/.test(document.getElementById('window').textContent));
		const total = (await page.evaluate(window => stk.query(window), { from, to })).total;
		holds((await text(page, 'window')).replace(/\u2009/g, '').includes(` ${total} `), `${await text(page, 'window')}: ${total}`);
		const used = await asked(address);
		holds(used.bytes - begun.bytes < size / 4, `${used.bytes - begun.bytes} of ${size} bytes for a window`);
		await page.focus('#heat');
		for (let i = 0; i < 12; i++)
			await page.keyboard.press('+');
		await page.waitForFunction(() => !/Reading/.test(document.getElementById('scale').textContent));
		await page.selectOption('#pool', { index: 1 });
		await page.waitForFunction(() => !/Reading/.test(document.getElementById('scale').textContent));
		await page.waitForFunction(() => document.querySelector('#rows .when span') !== null);
		await page.keyboard.press('b');
		await page.evaluate(([a, b]) => { location.hash = `#v=1&w=${a}..${b}&b=${a - 5000}..${a - 77}`; }, [from, to]);
		await page.waitForFunction(() => /^against \d/.test(document.getElementById('baseline').textContent));
	});
}

// A page where the file cannot be used: what it says, and that whole cells are right.
async function broken(address, expected, allowed) {
	let lines = '';

	await withPage(address, async page => {
		const times = await page.evaluate(() => stk.facts.level[0]), from = (await page.evaluate(() => stk.facts.first)) + 70001;

		await page.evaluate(([a, b]) => { location.hash = `#v=1&w=${a}..${b}`; }, [from, from + 100]);
		await page.waitForFunction(() => /rounded/.test(document.getElementById('window').textContent));
		if (expected !== null)
			await page.waitForFunction(source => new RegExp(source).test(document.getElementById('say').textContent), expected);
		const first = Math.floor(from / times) * times, whole = await page.evaluate(window => stk.query(window), { from: first, to: first + times });
		holds((await text(page, 'window')).replace(/\u2009/g, '').includes(` ${whole.total} `), `${await text(page, 'window')}: ${whole.total} in the whole cell`);
		lines = await text(page, 'cut2');
	}).catch(error => { if (!allowed?.test(error.message)) throw error; });
	return lines;
}

async function wrong(folder, name) {
	const { server, address } = await serve(folder, false), copy = `${folder}/other`;

	await broken(`${address}/days.html`, `${name}: this server sends whole files alone, not ranges of them`);
	server.closeAllConnections();
	server.close();
	holds(/which can be read only from a web server/.test(await broken(`file://${folder}/days.html`, null)), 'the page says what it needs');
	fs.rmSync(copy, { recursive: true, force: true });
	fs.mkdirSync(copy);
	fs.copyFileSync(`${folder}/days.html`, `${copy}/days.html`);
	const other = await serve(copy);
	await broken(`${other.address}/days.html`, 'the server answers 404', /404/);
	const bytes = fs.readFileSync(`${folder}/${name}`);
	fs.writeFileSync(`${copy}/${name}`, bytes.map((byte, i) => i % 1000 === 999 ? byte ^ 1 : byte));
	await broken(`${other.address}/days.html`, 'damaged or belongs to another page');
	fs.writeFileSync(`${copy}/${name}`, bytes.subarray(0, name.endsWith('.tree') ? bytes.length >> 1 : bytes.length - 1));
	await broken(`${other.address}/days.html`, 'damaged or belongs to another page');
	fs.writeFileSync(`${copy}/${name}`, '');
	await broken(`${other.address}/days.html`, 'the server answers 416', /416/);
	other.server.closeAllConnections();
	other.server.close();
}

async function ranges(folder, file, wanted, name = 'days.heat') {
	const { server, address } = await serve(folder);

	await heat.windows(`${address}/days.html`, file, wanted);
	await byUse(address, folder, name);
	await wrong(folder, name);
	server.closeAllConnections();
	server.close();
}

run(module, { ranges });
