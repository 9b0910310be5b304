// SPDX-License-Identifier: MIT
// Keeps ten parts of node and V8 at work for the seconds of the first argument.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, gunzipSync } from 'node:zlib';

const orders = () => Array.from({ length: 300 }, (_, i) => ({ customer: `customer${i * 7919 % 300}`, lines: ['one', 'two', 'three'], total: i * 1.5 }));

function primes(below) {
	let found = 0;
	for (let n = 2; n < below; n++) {
		let prime = true;
		for (let d = 2; d * d <= n && prime; d++) prime = n % d !== 0;
		if (prime) found++;
	}
	return found;
}

function countWords(text) {
	const words = new Map();
	for (const word of text.split(/[^a-z0-9]+/)) words.set(word, (words.get(word) ?? 0) + 1);
	return words.size;
}

function fail(i) {
	try { throw new Error(`order ${i}`); } catch (error) { return error.stack.length; }
}

const ask = port => new Promise((resolve, reject) => get({ port, host: '127.0.0.1' }, answer => {
	let length = 0;
	answer.on('data', piece => { length += piece.length; }).on('end', () => resolve(length));
}).on('error', reject));

async function work(folder, port) {
	const made = orders(), text = JSON.stringify(made), read = JSON.parse(text);
	read.sort((a, b) => a.customer < b.customer ? -1 : 1);
	createHash('sha256').update(text).digest('hex');
	gunzipSync(gzipSync(text));
	writeFileSync(join(folder, 'orders'), text);
	readFileSync(join(folder, 'orders'), 'utf8').match(/customer[0-9]*[13579]"/g);
	countWords(text);
	primes(3000);
	for (let i = 0; i < 20; i++) fail(i);
	await Promise.all(read.map(async order => order.total));
	await ask(port);
}

const folder = mkdtempSync(join(tmpdir(), 'mix'));
const server = createServer((_, answer) => answer.end(JSON.stringify(orders()))).listen(0, '127.0.0.1', async () => {
	const end = performance.now() + 1000 * Number(process.argv[2]);
	while (performance.now() < end) await work(folder, server.address().port);
	rmSync(folder, { recursive: true });
	server.close();
});
