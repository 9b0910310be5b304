// SPDX-License-Identifier: MIT
// page_zstd: zstd frames (RFC 8878) without a dictionary. What is damaged may come out as anything, or throw: whoever calls has compared the bytes with a sum of theirs.
'use strict';

const highBit = value => 31 - Math.clz32(value);

// Reads bits backwards, from before the highest one that is set in the last byte; before the first byte there are zeros.
function bitsBackwards(bytes) {
	let at = (bytes.length - 1) * 8 + highBit(bytes[bytes.length - 1]);
	const look = count => {
		const from = at - count, i = from >> 3;

		return (bytes[i] | bytes[i + 1] << 8 | bytes[i + 2] << 16 | bytes[i + 3] << 24) >>> (from & 7) & (1 << count) - 1;
	};
	const skip = count => { at -= count; };
	const take = count => {
		if (count > 24)
			return take(count - 16) * 65536 + take(16);
		const value = look(count);
		at -= count;
		return value;
	};

	return { look, skip, take, left: () => at };
}

// A table of finite states from how often each symbol is expected: below 0 is once, without a place of its own.
function statesOf(expected, log) {
	const size = 1 << log, symbols = new Uint8Array(size), bits = new Uint8Array(size), base = new Uint16Array(size), next = expected.map(Math.abs);
	let place = 0, high = size;

	expected.forEach((times, symbol) => {
		if (times < 0)
			symbols[--high] = symbol;
	});
	expected.forEach((times, symbol) => {
		for (let i = 0; i < times; i++) {
			symbols[place] = symbol;
			do
				place = place + (size >> 1) + (size >> 3) + 3 & size - 1;
			while (place >= high);
		}
	});
	for (let state = 0; state < size; state++) {
		const seen = next[symbols[state]]++;

		bits[state] = log - highBit(seen);
		base[state] = (seen << bits[state]) - size;
	}
	return { log, symbols, bits, base };
}

// A table as it is written, and where it ends.
function readStates(bytes, from) {
	const expected = [], log = (bytes[from] & 15) + 5;
	let at = from * 8 + 4, left = 1 << log;
	const take = count => {
		const i = at >> 3, value = (bytes[i] | bytes[i + 1] << 8 | bytes[i + 2] << 16) >> (at & 7) & (1 << count) - 1;

		at += count;
		return value;
	};

	while (left > 0) {
		const count = highBit(left + 1) + 1, low = (1 << count - 1) - 1, rest = (1 << count) - 2 - left;
		let value = take(count);

		if ((value & low) < rest) {
			at--;
			value &= low;
		} else if (value > low) {
			value -= rest;
		}
		expected.push(value - 1);
		left -= Math.abs(value - 1);
		if (value === 1)
			for (let more = 3; more === 3;) {
				more = take(2);
				expected.push(...Array(more).fill(0));
			}
	}
	return [statesOf(expected, log), at + 7 >> 3];
}

// How long the codes of literals are, by half of a byte each or by states; and where that ends.
function readWeights(bytes, from) {
	const size = bytes[from], weights = [];

	if (size > 127) {
		for (let i = 0; i < size - 127; i++)
			weights.push(i & 1 ? bytes[from + 1 + (i >> 1)] & 15 : bytes[from + 1 + (i >> 1)] >> 4);
		return [weights, from + 1 + (size - 126 >> 1)];
	}
	const [table, begin] = readStates(bytes, from + 1), end = from + 1 + size, bits = bitsBackwards(bytes.subarray(begin, end)), states = [bits.take(table.log), bits.take(table.log)];
	for (let turn = 0; ; turn ^= 1) {
		const state = states[turn];

		weights.push(table.symbols[state]);
		states[turn] = table.base[state] + bits.take(table.bits[state]);
		if (bits.left() < 0) {
			weights.push(table.symbols[states[turn ^ 1]]);
			return [weights, end];
		}
	}
}

// What the next bits mean: a literal times 16 and its bits.
function literalTable(weights) {
	const sum = weights.reduce((all, weight) => all + (1 << weight >> 1), 0), log = highBit(sum) + 1, table = new Uint16Array(1 << log);
	let at = 0;

	weights.push(highBit((1 << log) - sum) + 1);
	for (let weight = 1; weight <= log; weight++)
		weights.forEach((own, literal) => {
			if (own === weight)
				table.fill(literal << 4 | log + 1 - weight, at, at += 1 << weight - 1);
		});
	return { log, table };
}

function readLiterals({ log, table }, bytes, to) {
	const bits = bitsBackwards(bytes);

	for (let i = 0; i < to.length; i++) {
		const found = table[bits.look(log)];

		to[i] = found >> 4;
		bits.skip(found & 15);
	}
}

// Lengths and offsets: what a code is at least, and how many bits say how much more.
function codesFrom(plain, first, extras) {
	const base = Array.from({ length: plain }, (_, i) => i + first), extra = Array(plain).fill(0);
	let next = plain + first;

	for (const bits of extras) {
		base.push(next);
		extra.push(bits);
		next += 2 ** bits;
	}
	return { base, extra };
}

const LITERALS = codesFrom(16, 0, [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
const MATCHES = codesFrom(32, 3, [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
const times = (count, value) => Array(count).fill(value);
const USUAL = [statesOf([4, 3, ...times(11, 2), 1, 1, 1, ...times(9, 2), 3, 2, ...times(5, 1), ...times(4, -1)], 6),
	statesOf([...times(6, 1), 2, 2, 2, ...times(15, 1), ...times(5, -1)], 5),
	statesOf([1, 4, 3, ...times(6, 2), ...times(37, 1), ...times(7, -1)], 6)];

// One frame, which states the size of its content.
function unzstd(bytes) {
	const bytesAt = (from, count) => {
		let value = 0;

		while (count-- > 0)
			value = value * 256 + bytes[from + count];
		return value;
	};
	const form = bytes[4], sized = form >> 6, single = form >> 5 & 1, from = 6 - single;
	const out = new Uint8Array(sized === 1 ? bytesAt(from, 2) + 256 : bytesAt(from, sized === 0 ? 1 : sized === 2 ? 4 : 6));
	const last = [1, 4, 8], tables = [...USUAL];
	let at = from + (sized === 0 ? single : 1 << sized), size = 0, huffman = null;

	function literals() {
		const kind = bytes[at] & 3, form = bytes[at] >> 2 & 3, plain = kind < 2, head = plain ? form & 1 ? form === 1 ? 2 : 3 : 1 : form < 2 ? 3 : form + 2;
		const bits = plain ? 20 : [10, 10, 14, 18][form], all = bytesAt(at, head), shift = plain && !(form & 1) ? 3 : 4;
		const to = new Uint8Array(Math.floor(all / 2 ** shift) % 2 ** bits), from = at += head;

		if (kind === 0)
			to.set(bytes.subarray(from, at += to.length));
		else if (kind === 1)
			to.fill(bytes[at++]);
		else {
			let weights;

			at += Math.floor(all / 2 ** (4 + bits));
			let begin = from;
			if (kind === 2) {
				[weights, begin] = readWeights(bytes, begin);
				huffman = literalTable(weights);
			}
			if (form === 0) {
				readLiterals(huffman, bytes.subarray(begin, at), to);
				return to;
			}
			const part = to.length + 3 >> 2;
			for (let i = 0, start = begin + 6; i < 4; i++) {
				const end = i < 3 ? start + bytesAt(begin + 2 * i, 2) : at;

				readLiterals(huffman, bytes.subarray(start, end), to.subarray(i * part, i < 3 ? (i + 1) * part : to.length));
				start = end;
			}
		}
		return to;
	}
	function copy(text, end) {
		let used = 0, count = bytes[at++];

		if (count > 127)
			count = count < 255 ? (count - 128 << 8) + bytes[at++] : bytesAt((at += 2) - 2, 2) + 32512;
		if (count > 0) {
			const forms = bytes[at++];

			for (let i = 0; i < 3; i++) {
				const form = forms >> 6 - 2 * i & 3;

				if (form === 0)
					tables[i] = USUAL[i];
				else if (form === 1)
					tables[i] = { log: 0, symbols: [bytes[at++]], bits: [0], base: [0] };
				else if (form === 2)
					[tables[i], at] = readStates(bytes, at);
			}
			const bits = bitsBackwards(bytes.subarray(at, end)), states = tables.map(table => bits.take(table.log));
			for (; count > 0; count--) {
				const [own, far, match] = tables.map((table, i) => table.symbols[states[i]]);
				let offset = 2 ** far + bits.take(far);
				const length = MATCHES.base[match] + bits.take(MATCHES.extra[match]), plain = LITERALS.base[own] + bits.take(LITERALS.extra[own]);

				if (offset > 3) {
					last.unshift(offset -= 3);
					last.pop();
				} else {
					const place = offset - (plain > 0 ? 1 : 0);

					offset = place === 3 ? last[0] - 1 : last[place];
					if (place > 0)
						last.splice(Math.min(place, 2), 1);
					if (place > 0)
						last.unshift(offset);
				}
				out.set(text.subarray(used, used += plain), size);
				size += plain;
				for (const to = size + length; size < to; size++)
					out[size] = out[size - offset];
				if (count > 1)
					for (const i of [0, 2, 1])
						states[i] = tables[i].base[states[i]] + bits.take(tables[i].bits[states[i]]);
			}
		}
		out.set(text.subarray(used), size);
		size += text.length - used;
	}
	for (let head = 0; (head & 1) === 0;) {
		head = bytesAt(at, 3);
		const length = head >> 3, kind = head >> 1 & 3, end = (at += 3) + length;

		if (kind === 0)
			out.set(bytes.subarray(at, end), size);
		else if (kind === 1)
			out.fill(bytes[at], size, size + length);
		else
			copy(literals(), end);
		size += kind < 2 ? length : 0;
		at = kind === 1 ? at + 1 : end;
	}
	return out;
}
