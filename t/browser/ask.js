// SPDX-License-Identifier: MIT
// ask SCRIPT CHECK WORDS...: runs a check in the tab that serve.js keeps, of which TAB names the socket; in a browser of its own when there is none.
// Prints what the check prints. Status 1: what was found is not so.
'use strict';
const { spawnSync } = require('child_process');
const net = require('net');
const path = require('path');

const [script, ...words] = process.argv.slice(2);
const alone = () => { process.exit(spawnSync(process.execPath, [script, ...words], { stdio: 'inherit' }).status ?? 1); };

if (!process.env.TAB)
	alone();
const server = net.connect(process.env.TAB);
let reached = false, answer = '';

server.setEncoding('utf8');
server.on('connect', () => {
	reached = true;
	server.write(`${JSON.stringify({ script: path.resolve(script), words, folder: process.cwd() })}\n`);
});
server.on('data', part => { answer += part; });
server.on('error', error => {
	if (!reached)
		alone();
	console.log(error.message);
});
server.on('close', () => {
	if (answer === '') {
		console.log('the browser ended before it answered');
		process.exit(1);
	}
	const { status, printed } = JSON.parse(answer);

	process.stdout.write(printed);
	process.exitCode = status;
});
