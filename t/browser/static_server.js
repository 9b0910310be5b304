// SPDX-License-Identifier: MIT
// static_server FOLDER [no-ranges]: a web server of files, with ranges as nginx and Apache have them or without; prints its address, ends with its parent.
// Its log on /asked: how many requests, how many bytes.
'use strict';
const fs = require('fs');
const http = require('http');
const path = require('path');

const TYPES = { '.html': 'text/html' };
let requests = 0, bytes = 0;

function answer(request, to, folder, ranges) {
	const name = path.join(folder, path.basename(decodeURIComponent(new URL(request.url, 'http://x').pathname)));

	if (request.url === '/asked') {
		to.end(JSON.stringify({ requests, bytes }));
		return;
	}
	if (!fs.existsSync(name)) {
		to.writeHead(404).end('no such file');
		return;
	}
	const whole = fs.readFileSync(name), asked = ranges ? /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') : null;
	const sent = asked === null ? whole : whole.subarray(Number(asked[1]), Number(asked[2]) + 1);

	requests++;
	bytes += sent.length;
	to.setHeader('Content-Type', TYPES[path.extname(name)] ?? 'application/octet-stream');
	if (asked !== null && sent.length === 0)
		to.writeHead(416, { 'Content-Range': `bytes */${whole.length}` });
	else if (asked !== null)
		to.writeHead(206, { 'Content-Range': `bytes ${asked[1]}-${Number(asked[1]) + sent.length - 1}/${whole.length}` });
	to.end(sent);
}

function serve(folder, ranges = true) {
	const server = http.createServer((request, to) => answer(request, to, folder, ranges));

	return new Promise(done => { server.listen(0, '127.0.0.1', () => done({ server, address: `http://127.0.0.1:${server.address().port}` })); });
}

module.exports = { serve };
if (require.main === module)
	serve(process.argv[2], process.argv[3] !== 'no-ranges').then(({ address }) => console.log(address));
