// SPDX-License-Identifier: MIT
// served everywhere PAGE: a page that a server calls UTF-8 is read all the same; one that was changed on its way says so.
'use strict';
const fs = require('fs');
const http = require('http');
const { withPage, same, holds } = require('./page.js');
const { blank, run, text } = require('./tab.js');

async function serve(path, type, use) {
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

async function changed(path) {
	const page = await blank(), copy = `${path}.changed.html`;

	fs.writeFileSync(copy, fs.readFileSync(path, 'latin1').replace('charset=windows-1252', 'charset=utf-8'), 'latin1');
	await page.goto(`file://${copy}`);
	await page.waitForFunction(() => document.body.className === 'failed');
	same(await text('#say'), 'This page was changed on its way: make it again with --text.', 'it says so');
}

async function everywhere(path) {
	let total;

	await withPage(path, async page => { total = await all(page); });
	holds(total > 0, 'there are samples');
	await serve(path, 'text/html; charset=utf-8', address => withPage(address, async page => same(await all(page), total, 'called UTF-8')));
	await serve(path, 'text/html', address => withPage(address, async page => same(await all(page), total, 'called nothing')));
	await changed(path);
}

run(module, { everywhere });
