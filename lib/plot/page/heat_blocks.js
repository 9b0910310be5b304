// SPDX-License-Identifier: MIT
// heat_blocks: blocks of counts as lib/plot/heat_code.c writes them. The same decisions are made here with the same chances.
'use strict';

const HEAT_COUNTED = 4;		// the coding of counts, byte 3 of a block
const COUNT_PLAIN = 15;
// where the chances of each sort of number begin; as struct heat_model
const [ROWS, ROW_LOW, RUNS, RUN_LOW, GAP, GAP_LOW, COUNT, LARGE, LARGE_LOW, LENGTH, LENGTH_LOW, CHANCES] =
	[32 * 32, 32 * 4, 32 * 32, 32 * 4, 8 * 64 * 32, 32 * 4, 4 * 3 * 16, 64, 64 * 4, 4 * 3 * 64 * 32, 32 * 4, 0]
		.reduce((at, size) => [...at, at[at.length - 1] + size], [0]);

const bitLength = value => 32 - Math.clz32(value);

const meanClass = mean => {
	const bits = bitLength(mean);

	return bits < 2 ? bits : 2 * bits - 2 + (mean >> (bits - 2) & 1);
};

const movedMean = (mean, value, parts) => mean + ((Math.min(value * 16, 2 ** 30) - mean) / parts | 0);

// {rows, at, start, end, count, sparse}: the runs of rows[i] are at[i] to at[i + 1] - 1, cells start to end - 1.
function decodeCounts(bytes, cells) {
	if (bytes[0] !== 83 || bytes[1] !== 1 || bytes[3] !== HEAT_COUNTED)
		throw new Error('not a block of counts');
	const runs = (bytes[4] | bytes[5] << 8 | bytes[6] << 16 | bytes[7] << 24) >>> 0;
	const chances = new Uint16Array(CHANCES).fill(32768);
	const start = new Uint32Array(runs), end = new Uint32Array(runs), count = new Float64Array(runs);
	let from = 8, code = 0, range = 0, last = 0;

	const byte = () => {
		const next = from < bytes.length ? bytes[from] : 0;

		from++;
		code = (code << 8 | (last & 1) << 7 | next >> 1) & 0x7FFFFFFF;
		range = range << 8;
		last = next;
	};
	const bit = at => {
		const chance = chances[at], bound = Math.imul(range >> 12, chance >> 4);

		if (code >= bound) {
			code -= bound;
			range -= bound;
			chances[at] = chance - (chance >> 5);
			if (range < 0x800000)
				byte();
			while (range < 0x800000)
				byte();
			return 1;
		}
		range = bound;
		chances[at] = chance + (65504 - chance >> 5);
		while (range < 0x800000)
			byte();
		return 0;
	};
	const plain = bits => {
		let value = 0;

		while (bits > 0) {
			const now = Math.min(bits, 8);
			let part;

			bits -= now;
			range >>= now;
			part = Math.min(code / range | 0, (1 << now) - 1);
			code -= part * range;
			value = value * (1 << now) + part;
			while (range < 0x800000)
				byte();
		}
		return value;
	};
	const number = (tree, low, levels) => {
		let node = 1;

		for (let i = 0; i < levels; i++)
			node = node << 1 | bit(tree + node);
		const bits = node - (1 << levels);
		if (bits < 2)
			return bits;
		const at = low + 4 * bits, top = bit(at + 1);
		if (bits === 2)
			return 2 | top;
		const value = 4 | top << 1 | bit(at + (2 | top));
		return bits > 3 ? value * 2 ** (bits - 3) + plain(bits - 3) : value;
	};

	for (let i = 0; i < 4; i++)
		byte();
	range = 0x7FFFFFFF;
	const present = plain(32);
	if (present > runs)
		throw new Error('a block of counts is damaged');
	const rows = new Uint32Array(present), at = new Uint32Array(present + 1);
	let lastGap = 0, lastRuns = 0, next = 0, run = 0;

	for (let i = 0; i < present; i++) {
		const left = number(ROWS + 32 * lastGap, ROW_LOW, 5);
		lastGap = bitLength(left);
		const more = number(RUNS + 32 * lastRuns, RUN_LOW, 5);
		lastRuns = bitLength(more);
		const to = run + more + 1;
		let gapMean = Math.min(Math.floor(cells / (more + 1)) * 16, 2 ** 30), lengthMean = 32;
		let lastCount = 1, kind = 4, cell = 0;

		if (to > runs)
			throw new Error('a block of counts is damaged');
		rows[i] = next += left;
		next++;
		for (; run < to; run++) {
			const gap = number(GAP + 32 * (64 * kind + meanClass(gapMean)), GAP_LOW, 5);
			const gaps = gap > 1 ? 2 : gap, counts = COUNT + 16 * (3 * lastCount + gaps);
			let node = 1;

			for (let b = 0; b < 4; b++)
				node = node << 1 | bit(counts + node);
			let amount = node - 15;
			if (amount === COUNT_PLAIN + 1)
				amount += number(LARGE, LARGE_LOW, 6);
			const counted = amount > 3 ? 3 : amount;
			const length = number(LENGTH + 32 * (64 * (3 * counted + gaps) + meanClass(lengthMean)), LENGTH_LOW, 5) + 1;
			gapMean = movedMean(gapMean, gap, 8);
			if (counted === 1 || counted === lastCount)
				lengthMean = movedMean(lengthMean, length, 4);
			kind = (counted > 1 ? 2 : 0) + (length > 1 ? 1 : 0);
			lastCount = counted;
			cell += gap;
			start[run] = cell;
			end[run] = cell += length;
			count[run] = amount;
		}
		at[i + 1] = run;
		if (cell > cells)
			throw new Error('a block of counts is damaged');
	}
	if (run !== runs || from > bytes.length + 4)
		throw new Error('a block of counts is damaged');
	return { rows, at, start, end, count, runs };
}
