// SPDX-License-Identifier: MIT
// page_bytes: what is in a page: its facts, and what its blocks hold (page_load has their bytes).
'use strict';

const facts = JSON.parse(document.getElementById('d').textContent);
function adlerOf(bytes) {
	let a = 1, b = 0;

	for (let i = 0; i < bytes.length;) {
		for (const end = Math.min(i + 3800, bytes.length); i < end; i++) {
			a += bytes[i];
			b += a;
		}
		a %= 65521;
		b %= 65521;
	}
	return b * 65536 + a;
}

// What is in a block that is not counts: zlib's, after 8 bytes of head.
function inflateBlock(bytes) {
	if (bytes === null)
		throw new Error('a block of the page is missing: it was cut');
	const plain = inflate(bytes, 10), end = inflate.end;

	if (end + 4 > bytes.length || new DataView(bytes.buffer, bytes.byteOffset).getUint32(end) !== adlerOf(plain))
		throw new Error('a block of the page is damaged');
	return plain;
}

// Reads varints one after another.
function varints(bytes) {
	let at = 0;
	const next = () => {
		let byte = bytes[at++], value = byte & 127;

		for (let factor = 128; byte > 127; factor *= 128) {
			byte = bytes[at++];
			value += (byte & 127) * factor;
		}
		return value;
	};

	const many = count => {
		const all = new Float64Array(count);

		for (let i = 0; i < count; i++)
			all[i] = bytes[at] < 128 ? bytes[at++] : next();
		return all;
	};

	return { next, many, rest: () => bytes.subarray(at) };
}

// UTF-8 of these lengths, one after another.
function texts(lengths, bytes) {
	const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
	let from = 0;

	return Array.from(lengths, length => decoder.decode(bytes.subarray(from, from += length)));
}
