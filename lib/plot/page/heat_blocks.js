// SPDX-License-Identifier: MIT
// heat_blocks: blocks of counts as lib/plot/heat_code.c writes them. The same decisions are made here with the same chances.
'use strict';

const HEAT_COUNTED = 5;		// the coding of counts, byte 3 of a block
const LENGTHS = 31, LONG_LENGTHS = 63, COUNT_PLAIN = 3;
// where the chances of each sort of number begin; as struct heat_model
const [ROWS, ROW_LOW, RUNS, RUN_LOW, GAP, GAP_LOW, COUNT, LARGE, LARGE_LOW, LENGTH, LENGTH_LOW, CHANCES] =
	[32 * 32, 32 * 4, 32 * 32, 32 * 4, 8 * 64 * 32, 32 * 4, 4 * 3 * 4, 64 * 64, 64 * 4, 4 * 3 * 64 * 32, 32 * 4, 0]
		.reduce((at, size) => [...at, at[at.length - 1] + size], [0]);

const bitLength = value => 32 - Math.clz32(value);

const meanClass = mean => {
	const bits = bitLength(mean);

	return bits < 2 ? bits : 2 * bits - 2 + (mean >> (bits - 2) & 1);
};

const movedMean = (mean, value, parts) => mean + ((Math.min(value * 16, 2 ** 30) - mean) / parts | 0);

// {rows, at, start, end, count, runs}: the runs of rows[i] are at[i] to at[i + 1] - 1, cells start to end - 1. One loop over the
// numbers of the block, without calls: it runs ten million times for an hour.
function decodeCounts(bytes, cells) {
	if (bytes[0] !== 83 || bytes[1] !== 1 || bytes[3] !== HEAT_COUNTED)
		throw new Error('not a block of counts');
	const runs = (bytes[4] | bytes[5] << 8 | bytes[6] << 16 | bytes[7] << 24) >>> 0, size = bytes.length;
	const chances = new Uint16Array(CHANCES).fill(32768);
	const start = new Uint32Array(runs), end = new Uint32Array(runs), count = new Float64Array(runs);
	// the first 32 bits are how many rows have runs, and nothing is known of them: eight at a time
	let from = 12, last = bytes[11], code = (bytes[8] << 23 | bytes[9] << 15 | bytes[10] << 7 | last >> 1) & 0x7FFFFFFF;
	let range = 0x7FFFFFFF, present = 0;

	for (let i = 0; i < 4; i++) {
		range >>= 8;
		const part = Math.min(code / range | 0, 255);
		code -= part * range;
		present = present * 256 + part;
		for (; range < 0x800000; range <<= 8) {
			const next = from < size ? bytes[from] : 0;
			code = (code << 8 | (last & 1) << 7 | next >> 1) & 0x7FFFFFFF;
			last = next;
			from++;
		}
	}
	if (present > runs)
		throw new Error('a block of counts is damaged');
	const rows = new Uint32Array(present), at = new Uint32Array(present + 1);
	// what the next number is, where its chances are, what is expected and possible; low 0: it has no bits below
	const ROW = 0, RUN_COUNT = 1, GAP_OF_RUN = 2, COUNT_OF_RUN = 3, LARGE_COUNT = 4, LENGTH_OF_RUN = 5;
	let what = ROW, near = ROWS, expected = 0, most = LENGTHS, low = ROW_LOW;
	let row = 0, run = 0, to = 0, next = 0, lastGap = 0, lastRuns = 0, lastLarge = 0;
	let gapMean = 0, lengthMean = 0, lastCount = 0, kind = 0, cell = 0, gap = 0, gaps = 0, amount = 0;

	while (row < present) {
		// from what is expected upwards, where the first decision is whether it is that or more; else downwards
		let bits = expected, step = expected > 0 ? 0 : 1;

		for (let place = step === 0 ? near : near + 1; ; place = near + bits + 1) {
			const chance = chances[place], bound = (range >> 12) * (chance >> 4), one = code >= bound;

			if (one) {
				code -= bound;
				range -= bound;
				chances[place] = chance - (chance >> 5);
			} else {
				range = bound;
				chances[place] = chance + (65504 - chance >> 5);
			}
			for (; range < 0x800000; range <<= 8) {
				const byte = from < size ? bytes[from] : 0;

				code = (code << 8 | (last & 1) << 7 | byte >> 1) & 0x7FFFFFFF;
				last = byte;
				from++;
			}
			if (step === 0) {
				step = one ? 1 : -1;
				bits -= one ? 0 : 1;
			} else if (one) {
				break;
			} else {
				bits += step;
			}
			if (bits === (step > 0 ? most : 0))
				break;
		}
		let value = bits;


		if (low !== 0 && value > 1) {
			const place = low + 4 * bits;
			let node = 1;

			for (let i = bits === 2 ? 1 : 0; i < 2; i++) {
				const chance = chances[place + node], bound = (range >> 12) * (chance >> 4);

				if (code >= bound) {
					code -= bound;
					range -= bound;
					chances[place + node] = chance - (chance >> 5);
					node = node << 1 | 1;
				} else {
					range = bound;
					chances[place + node] = chance + (65504 - chance >> 5);
					node <<= 1;
				}
				for (; range < 0x800000; range <<= 8) {
					const byte = from < size ? bytes[from] : 0;

					code = (code << 8 | (last & 1) << 7 | byte >> 1) & 0x7FFFFFFF;
					last = byte;
					from++;
				}
			}
			value = node;
			for (let left = bits - 3; left > 0; left -= 8) {
				const now = left < 8 ? left : 8;

				range >>= now;
				const part = Math.min(code / range | 0, (1 << now) - 1);
				code -= part * range;
				value = value * (1 << now) + part;
				for (; range < 0x800000; range <<= 8) {
					const byte = from < size ? bytes[from] : 0;

					code = (code << 8 | (last & 1) << 7 | byte >> 1) & 0x7FFFFFFF;
					last = byte;
					from++;
				}
			}
		}
		if (what === GAP_OF_RUN) {
			gap = value;
			gaps = gap > 1 ? 2 : gap;
			what = COUNT_OF_RUN;
			near = COUNT + 4 * (3 * lastCount + gaps);
			expected = 0;
			most = COUNT_PLAIN;
			low = 0;
			continue;
		}
		if (what === COUNT_OF_RUN || what === LARGE_COUNT) {
			if (what === COUNT_OF_RUN && value === COUNT_PLAIN) {
				what = LARGE_COUNT;
				near = LARGE + 64 * lastLarge;
				expected = lastLarge;
				most = LONG_LENGTHS;
				low = LARGE_LOW;
				continue;
			}
			if (what === LARGE_COUNT)
				lastLarge = bits;
			amount = what === COUNT_OF_RUN ? value + 1 : COUNT_PLAIN + 1 + value;
			what = LENGTH_OF_RUN;
			near = LENGTH + 32 * (64 * (3 * (amount > 3 ? 3 : amount) + gaps) + meanClass(lengthMean));
			expected = lengthMean < 16 ? 0 : bitLength((lengthMean >> 4) - 1);
			most = LENGTHS;
			low = LENGTH_LOW;
			continue;
		}
		if (what === ROW) {
			lastGap = bits;
			next += value;
			rows[row] = next++;
			what = RUN_COUNT;
			near = RUNS + 32 * lastRuns;
			expected = lastRuns;
			low = RUN_LOW;
			continue;
		}
		if (what === RUN_COUNT) {
			lastRuns = bits;
			lastLarge = 0;
			to = run + value + 1;
			if (to > runs)
				break;
			gapMean = Math.min(Math.floor(cells / (value + 1)) * 16, 2 ** 30);
			lengthMean = 32;
			lastCount = 1;
			kind = 4;
			cell = 0;
		} else {
			const counted = amount > 3 ? 3 : amount, length = value + 1;

			gapMean = movedMean(gapMean, gap, 8);
			if (counted === 1 || counted === lastCount)
				lengthMean = movedMean(lengthMean, length, 4);
			kind = (counted > 1 ? 2 : 0) + (length > 1 ? 1 : 0);
			lastCount = counted;
			cell += gap;
			start[run] = cell;
			cell += length;
			end[run] = cell;
			count[run] = amount;
			run++;
			if (run === to) {
				if (cell > cells)
					break;
				row++;
				at[row] = run;
				what = ROW;
				near = ROWS + 32 * lastGap;
				expected = lastGap;
				low = ROW_LOW;
				continue;
			}
		}
		what = GAP_OF_RUN;
		near = GAP + 32 * (64 * kind + meanClass(gapMean));
		expected = bitLength(gapMean >> 4);
		low = GAP_LOW;
	}
	if (row < present || run !== runs || from > size + 4)
		throw new Error('a block of counts is damaged');
	return { rows, at, start, end, count, runs };
}

const levelCounts = () => decodeCounts(blockBytes('l'), facts.level[1]);
const blockCounts = (bytes, [, cells]) => decodeCounts(bytes, cells);
