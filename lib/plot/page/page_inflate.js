// SPDX-License-Identifier: MIT
// page_inflate: RFC 1951 in one go. The browser's own DecompressionStream answers only when the parser of the page pauses, which the megabytes that
// follow a heat map's script put off for a second; this answers at once, and unpacks the script itself (page_load).
'use strict';

// The bytes that a member beginning at `at` holds; and where it ends, in inflate.end. Throws where it is damaged.
function inflate(bytes, at) {
	let hold = 0, held = 0, size = 0, out = new Uint8Array(bytes.length * 5 + 64), last = 0;

	const damaged = () => { throw new Error('a block of the page is damaged'); };
	const need = count => {
		for (; held < count; held += 8) {
			if (at > bytes.length + 3)
				damaged();
			hold |= bytes[at++] << held;
		}
	};
	const bits = count => {
		need(count);
		const value = hold & (1 << count) - 1;

		hold >>>= count;
		held -= count;
		return value;
	};
	// By so many bits as the longest code has: symbol * 16 + length of its code.
	const tableOf = lengths => {
		const most = lengths.reduce((a, b) => Math.max(a, b), 1), table = new Uint16Array(1 << most);

		for (let length = 1, code = 0; length <= most; length++, code <<= 1)
			for (let symbol = 0; symbol < lengths.length; symbol++) {
				if (lengths[symbol] !== length)
					continue;
				let turned = 0;

				for (let i = 0; i < length; i++)
					turned |= (code >> i & 1) << length - 1 - i;
				for (; turned < table.length; turned += 1 << length)
					table[turned] = symbol << 4 | length;
				code++;
			}
		return table;
	};
	const take = table => {
		need(31 - Math.clz32(table.length));
		const found = table[hold & table.length - 1], length = found & 15;

		if (length === 0)
			damaged();
		hold >>>= length;
		held -= length;
		return found >> 4;
	};
	const room = count => {
		if (size + count <= out.length)
			return;
		const larger = new Uint8Array(2 * out.length + count);

		larger.set(out);
		out = larger;
	};
	const stored = () => {
		at -= held >> 3;
		hold = held = 0;
		const count = bytes[at] | bytes[at + 1] << 8;

		room(count);
		out.set(bytes.subarray(at + 4, at + 4 + count), size);
		size += count;
		at += 4 + count;
	};
	const tables = fixed => {
		if (fixed)
			return [Array.from({ length: 288 }, (_, i) => i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8), Array(30).fill(5)].map(tableOf);
		const [literals, distances, codes] = [bits(5) + 257, bits(5) + 1, bits(4) + 4], own = Array(19).fill(0), all = [];

		[16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15].slice(0, codes).forEach(i => { own[i] = bits(3); });
		for (const table = tableOf(own); all.length < literals + distances;) {
			const symbol = take(table), [repeated, times] = symbol < 16 ? [symbol, 1] : symbol === 16 ? [all.at(-1), bits(2) + 3]
				: [0, symbol === 17 ? bits(3) + 3 : bits(7) + 11];

			all.push(...Array(times).fill(repeated));
		}
		return [tableOf(all.slice(0, literals)), tableOf(all.slice(literals))];
	};
	const coded = ([literal, distance]) => {
		for (let symbol; (symbol = take(literal)) !== 256;) {
			room(258);
			if (symbol < 256) {
				out[size++] = symbol;
				continue;
			}
			const i = symbol - 257, extra = i < 8 || i > 27 ? 0 : (i >> 2) - 1;
			const length = i === 28 ? 258 : i < 8 ? i + 3 : ((4 | i & 3) << extra) + 3 + bits(extra);
			const far = take(distance), more = far < 2 ? 0 : (far >> 1) - 1;
			const back = far < 2 ? far + 1 : ((2 | far & 1) << more) + 1 + bits(more);

			for (let end = size + length; size < end; size++)
				out[size] = out[size - back];
		}
	};
	while (last === 0) {
		last = bits(1);
		const kind = bits(2);

		if (kind === 0)
			stored();
		else
			coded(tables(kind === 1));
	}
	inflate.end = at - (held >> 3);
	return out.subarray(0, size);
}
