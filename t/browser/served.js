// SPDX-License-Identifier: MIT
// served PAGE: a page that a server calls UTF-8 is read all the same; one that was changed on its way says so.
'use strict';
const fs = require('fs');
const http = require('http');
const { chromium } = require('playwright-core');
const { withPage, same, holds, run } = require('./page.js');

const path = process.argv[2];

async function serve(type, use) {
	const server = http.createServer((request, answer) => {
		answer.setHeader('Content-Type', type);
		answer.end(fs.readFileSync(path));
	});

	await new Promise(done => { server.listen(0, '127.0.0.1', done); });
	try {
		await use(`http://127.0.0.1:${server.address().port}/`);
	} finally {
		server.closeAllConnections();
		server.close();
	}
}

const all = page => page.evaluate(() => stk.query({ from: 0, to: stk.facts.cells }).total);

async function changed() {
	const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] });
	const page = await browser.newPage(), copy = `${path}.changed.html`;

	fs.writeFileSync(copy, fs.readFileSync(path, 'latin1').replace('charset=windows-1252', 'charset=utf-8'), 'latin1');
	await page.goto(`file://${copy}`);
	await page.waitForFunction(() => document.body.className === 'failed');
	same(await page.evaluate(() => document.getElementById('say').textContent), 'This page was changed on its way: make it again with --text.', 'it says so');
	await browser.close();
}

run(async () => {
	let total;

	await withPage(path, async page => { total = await all(page); });
	holds(total > 0, 'there are samples');
	await serve('text/html; charset=utf-8', address => withPage(address, async page => same(await all(page), total, 'called UTF-8')));
	await serve('text/html', address => withPage(address, async page => same(await all(page), total, 'called nothing')));
	await changed();
});
