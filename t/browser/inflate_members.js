// SPDX-License-Identifier: MIT
// inflate_members SCRIPT: what zlib makes of many texts comes back, and what is damaged is refused or different, but ends.
'use strict';
const fs = require('fs');
const zlib = require('zlib');

const inflate = new Function(`${fs.readFileSync(process.argv[2], 'utf8')}\nreturn inflate;`)();
let seed = 5, tried = 0, wrong = 0;
const random = below => { seed = (seed * 1103515245 + 12345) % 2147483648; return Math.floor(seed / 65536) % below; };
const kinds = [() => random(256), () => 65 + random(4), i => (i >> 5) & 255];

for (const level of [0, 1, 6, 9])
	for (const strategy of [zlib.constants.Z_DEFAULT_STRATEGY, zlib.constants.Z_HUFFMAN_ONLY, zlib.constants.Z_FIXED])
		for (const size of [0, 1, 2, 3, 100, 1000, 70000, 300000])
			for (const kind of kinds) {
				const text = Buffer.from(Array.from({ length: size }, (_, i) => kind(i))), member = zlib.deflateSync(text, { level, strategy });
				const got = Buffer.from(inflate(member, 2));

				tried++;
				if (!got.equals(text) || inflate.end !== member.length - 4) {
					wrong++;
					console.log(`level ${level}, strategy ${strategy}, ${size} bytes: differs`);
				}
			}
const whole = zlib.deflateSync(Buffer.from(Array.from({ length: 20000 }, () => 65 + random(30))));
let refused = 0;
for (let cut = 2; cut < whole.length - 8; cut += 97) {
	tried++;
	try {
		inflate(whole.subarray(0, cut), 2);
		wrong++;
	} catch {
		refused++;
	}
}
for (let i = 0; i < 300; i++) {
	const damaged = Buffer.from(whole);

	damaged[2 + random(damaged.length - 6)] ^= 1 << random(8);
	try {
		inflate(damaged, 2);
	} catch {
		refused++;
	}
}
console.log(`${tried} members, ${wrong} wrong, ${refused} refused`);
process.exit(wrong === 0 && tried > 300 && refused > 0 ? 0 : 1);
