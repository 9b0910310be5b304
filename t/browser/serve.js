// SPDX-License-Identifier: MIT
// serve SOCKET: one Chromium with one tab for all checks of a test, until the test ends: starting these takes longer than most checks. Prints where the
// browser listens, for scripts that bring tabs of their own; on SOCKET it runs the checks that ask.js sends, one after the other.
'use strict';
const net = require('net');
const { chromium } = require('playwright-core');
const { launch, perform } = require('./tab.js');

const parent = process.ppid;

// Runs what a line of JSON asks for, and answers with its status and with what it printed.
async function answer(line) {
	const { script, words: [check, ...words], folder } = JSON.parse(line), log = console.log;
	let printed = '', status = 1;

	process.chdir(folder);
	console.log = (...parts) => { printed += `${parts.map(part => typeof part === 'string' ? part : JSON.stringify(part)).join(' ')}\n`; };
	try {
		status = await perform(require(script)[check], words);
	} catch (error) {
		printed += `${error.stack}\n`;
	}
	console.log = log;
	return JSON.stringify({ status, printed });
}

(async () => {
	const server = await chromium.launchServer(launch);

	process.env.BROWSER = server.wsEndpoint();
	const asked = net.createServer(asker => {
		let line = '', answered = false;

		asker.setEncoding('utf8');
		asker.on('data', async part => {
			line += part;
			if (line.endsWith('\n')) {
				const text = await answer(line);

				answered = true;
				asker.end(text);
			}
		});
		asker.on('close', () => { if (!answered) process.exit(1); });		// it had no patience: what it asked for still runs here
		asker.on('error', () => {});
	});
	asked.listen(process.argv[2], () => console.log(process.env.BROWSER));
	const watch = setInterval(async () => {		// the shell that started it is gone
		if (process.ppid === parent)
			return;
		clearInterval(watch);
		await server.close();
		process.exit();
	}, 300);
})();
