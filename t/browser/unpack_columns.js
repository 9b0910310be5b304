// SPDX-License-Identifier: MIT
// unpack_columns FOLDER TREE...: page_zstd.js of FOLDER unpacks what zstd packed, and heat_tree.js reads the columns of each block of samples in TREEs as
// stkcat writes them. Needs zstd and stkcat.
'use strict';
const fs = require('fs');
const { execFileSync } = require('child_process');

const [folder, ...trees] = process.argv.slice(2), source = name => fs.readFileSync(`${folder}/${name}`, 'utf8').replace("'use strict';", '');
const scripts = new Function('facts', 'fine', 'places', `'use strict';${source('page_zstd.js')}${source('heat_tree.js').replace(/\nreadPlaces\(\);\n$/, '')}
	return { unzstd, columnsOf, columnValues, headNumbers };`);
const { unzstd, columnsOf, columnValues, headNumbers } = scripts({ t0: '0' }, {}, []);
const run = (command, ...given) => execFileSync(command, given, { maxBuffer: 1 << 30 });
let seed = 1, frames = 0, rows = 0;

const below = limit => (seed = seed * 48271 % 2147483647) % limit;
function fail(what) {
	console.log(what);
	process.exit(1);
}

// Bytes of several sorts: of a few values, as words, of all values, copied from before.
function content(size) {
	const to = Buffer.alloc(size), kind = below(4);

	for (let i = 0; i < size; i++)
		to[i] = kind === 0 ? below(3) : kind === 1 ? 97 + below(20) * below(2) : kind === 2 ? below(256) : i > 40 && below(30) > 0 ? to[i - 1 - below(40)] : below(256);
	return to;
}

for (const level of [1, 3, 9, 19])
	for (const size of [0, 1, 2, 9, 255, 256, 257, 1000, 1023, 1024, 16384, 40000, 70000, 131072, 300000]) {
		const plain = content(size);

		fs.writeFileSync('plain.bytes', plain);
		if (!plain.equals(unzstd(new Uint8Array(run('zstd', '-q', '-c', `-${level}`, 'plain.bytes')))))
			fail(`level ${level}, ${size} bytes`);
		frames++;
	}

// The samples of a tree: thread, stack, weight; times as differences, which texts do not have.
function samples(path) {
	const bytes = new Uint8Array(fs.readFileSync(path)), view = new DataView(bytes.buffer), all = [];

	for (let at = 0; at < bytes.length;) {
		const from = headNumbers(bytes, at + 16), kind = from.next(), count = from.next(), block = bytes.subarray(at);

		if (kind === 9) {
			const columns = columnsOf(block), known = [], read = (number, first) => columnValues(block, columns, number, known, first);
			const first = 1700000000000000000n;
			const time = read(0, first), [thread, stack, weight] = [2, 3, 4].map(number => read(number, 0n));

			for (let i = 0; i < count; i++)
				all.push([BigInt(time[i]) + first, thread[i], stack[i], weight[i]]);
		}
		at += 8 + view.getUint32(at + 4, true);
		while (at < bytes.length && !(view.getUint32(at, true) === 0x184D2A53 && view.getUint32(at + 8, true) === 0x316B7473))
			at++;
	}
	return all;
}

for (const path of trees) {
	const got = samples(path), [head, ...lines] = run('stkcat', '-q', '-f', 'tsv', '--ids', '--only', 'sample', path).toString().trim().split('\n').map(line => line.split('\t'));
	const place = Object.fromEntries(head.map((name, i) => [name, i]));

	if (got.length !== lines.length)
		fail(`${path}: ${got.length} samples, wanted ${lines.length}`);
	lines.forEach((line, i) => {
		const wanted = ['thread', 'stack', 'weight'].map(name => Number(line[place[name]]));

		if (got[i].slice(1).join() !== wanted.join() || (/T/.test(line[0]) && got[i][0] / 1000000n !== BigInt(Date.parse(line[0]))))
			fail(`${path}, sample ${i}: ${got[i]}, wanted ${line[0]} ${wanted}`);
	});
	rows += got.length;
}
console.log(`${frames} frames, ${rows} samples`);
