// SPDX-License-Identifier: MIT
// heat_tree: the samples of a recording beside the page, such as a time tree's, in blocks of columns as FORMAT.md has them, as runs of rows.
'use strict';

const TIME = 0, DUMP = 1, THREAD = 2, STACK = 3, WEIGHT = 4, EVENT = 5, STATE = 7;	// columns of samples
const streams = [], streamOf = [];		// by number of the block
const begin = BigInt(facts.t0);
const isWholeFile = bytes => Number(bytes) >= facts.besideBytes, besideAdvice = '';	// a recording may have grown

// --- what the page knows of it ---

// Counts in the coarse cells, in varints: of how many rows; of each: rows left out before it, runs, and of each of these: cells left out, length - 1, count.
function levelCounts() {
	const from = varints(inflateBlock(blockBytes('l'))), present = from.next(), runs = from.next();
	const rows = new Uint32Array(present), at = new Uint32Array(present + 1), start = new Uint32Array(runs), end = new Uint32Array(runs), count = new Float64Array(runs);
	let row = 0, run = 0;

	for (let r = 0; r < present; r++) {
		rows[r] = row += from.next();
		row++;
		at[r + 1] = at[r] + from.next();
		for (let cell = 0; run < at[r + 1]; run++) {
			start[run] = cell + from.next();
			cell = end[run] = start[run] + from.next() + 1;
			count[run] = from.next();
		}
	}
	return { rows, at, start, end, count, runs };
}

// Numbers of ascending keys as gaps, and what each has.
function keyed(from, each) {
	const count = from.next(), keys = new Float64Array(count);
	let key = 0;

	for (let i = 0; i < count; i++)
		keys[i] = key += from.next();
	return { keys, values: from.many(count * each) };
}

// Streams: events that count, prefixes of threads outside of and in dumps, rows by stack, prefix and state. Blocks, by the first cell: the stream, cells, samples, sum,
// place, bytes, check.
function readPlaces() {
	const from = varints(inflateBlock(blockBytes('x'))), streamCount = from.next();
	let cell = 0;

	for (let i = 0; i < streamCount; i++)
		streams.push({ events: [...from.many(from.next())], groups: from.next(), threads: keyed(from, 2), rows: keyed(from, 1) });
	facts.blocks = fine.blocks = Array.from({ length: from.next() }, () => {
		const [gap, stream, cells, samples, sum, at, size, check] = from.many(8);

		cell += gap;
		streamOf.push(streams[stream]);
		places.push([at, size, check]);
		return [cell, cells, samples, sum];
	});
}

// -1: it has no such key.
function placeOf({ keys }, key) {
	let low = 0, high = keys.length;

	while (low < high) {
		const middle = low + high >> 1;

		if (keys[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return keys[low] === key ? low : -1;
}

// --- columns ---

// Numbers in a block's head, of up to 64 bits.
function headNumbers(bytes, at) {
	const word = () => {
		let value = 0n, shift = 0n, byte;

		do {
			byte = bytes[at++];
			value |= BigInt(byte & 127) << shift;
			shift += 7n;
		} while (byte > 127);
		return value;
	};

	return { word, next: () => Number(word()), signed: () => signedOf(word()), byte: () => bytes[at++], skip: count => { at += count; }, place: () => at };
}

const signedOf = word => word >> 1n ^ -(word & 1n);

// How the columns of a block are written, by number, and where.
function columnsOf(bytes) {
	const from = headNumbers(bytes, 16), all = [];

	from.next();
	const rows = from.next();
	from.next();
	if (from.byte() === 1) {
		from.word();
		from.word();
	}
	let at = 8 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
	for (let left = from.next(); left > 0; left--) {
		const column = all[from.next()] = { form: from.byte(), rows };

		if (column.form === 0) {
			column.base = from.signed();
		} else if (column.form === 1) {
			from.skip(from.next());
		} else if (column.form === 3) {
			from.next();
			at += from.next();
			from.skip(4);
		} else {
			const kind = column.kind = from.byte();

			column.keys = kind === 2 || kind === 3 || kind === 4 ? Array.from({ length: from.byte() }, from.next) : [];
			column.flags = kind === 4 ? from.byte() : 0;
			column.listed = kind === 4 ? from.next() : rows;
			column.scale = from.word();
			column.base = from.signed();
			column.entries = from.next();
			if (column.entries > 0)
				from.next();
			column.planes = [from.byte(), from.byte(), from.byte()];
			column.at = at;
			at = column.end = at + from.next();
			from.skip(4);
		}
	}
	return all;
}

// The numbers in planes, after the codes, as BigInt where they are larger than 2^53 or `large`; and whether they are.
function listedNumbers(column, content, at, large) {
	const { listed, entries, planes: [low, bits, high] } = column, less = new Float64Array(listed), more = new Float64Array(listed);
	const from = headNumbers(content, at), values = [];
	let shift = 0;

	for (let i = 0, value = 0n; i < entries; i++)
		values.push(value += from.word());
	const classes = values.map(() => from.byte()), order = [...values.keys()].sort((a, b) => classes[b] - classes[a] || a - b);
	at = from.place();
	// what bits of each number are, above those that were added before
	const add = (count, bitsOf) => {
		const to = shift < 45 ? less : more, factor = 2 ** (shift < 45 ? shift : shift - 45);

		for (let i = 0; i < listed; i++)
			to[i] += bitsOf(i) * factor;
		shift += count;
	};
	const addPlanes = count => {
		for (let p = 0; p < count; p++, at += listed)
			add(8, i => content[at + i]);
	};

	if (bits === 8) {
		for (let p = 0; p < low; p++)
			add(8, i => content[at + i * low + p]);
	} else {
		addPlanes(low);
		if (bits > 0)
			add(bits, i => content[at + (i * bits >> 3)] >> (i * bits & 7) & (1 << bits) - 1);
		at += Math.ceil(listed * bits / 8);
		addPlanes(high);
	}
	const wide = large || shift + Math.log2(Number(column.scale)) > 52 || values.some(value => value > 2n ** 52n / column.scale);
	const known = order.map(i => wide ? values[i] : Number(values[i]));
	if (!wide)
		return { wide, numbers: entries > 0 ? less.map(place => known[place]) : less };
	return { wide, numbers: Array.from(less, (value, i) => entries > 0 ? known[value] : BigInt(value) + (BigInt(more[i]) << 45n)) };
}

// What rows are keyed by; low: of the numbers that values count from.
function keysOf(rows, near) {
	const keys = new Uint16Array(rows);

	near.forEach(([values, low], place) => {
		const times = place === 0 ? 1 : 40503;

		for (let i = 0; i < rows; i++)
			keys[i] += (values[i] % 65536 + low) * times;
	});
	return keys;
}

// Which have each number, in their order: those of n are from at[n] to before at[n + 1]. Numbers below 0 have no place.
function byNumber(numbers, most) {
	const at = new Uint32Array(most + 1);

	for (let i = 0; i < numbers.length; i++)
		if (numbers[i] >= 0)
			at[numbers[i] + 1]++;
	for (let n = 0; n < most; n++)
		at[n + 1] += at[n];
	const next = at.slice(), order = new Uint32Array(at[most]);
	for (let i = 0; i < numbers.length; i++)
		if (numbers[i] >= 0)
			order[next[numbers[i]]++] = i;
	return { at, order };
}

// The values of a column, minus `from`, a BigInt. Those that columns are keyed by are in `known`.
function columnValues(bytes, columns, number, known, from) {
	if (known[number] !== undefined)
		return known[number];
	const column = columns[number], rows = column === undefined ? columns.find(other => other !== undefined).rows : column.rows, out = new Float64Array(rows);

	known[number] = out;
	if (column === undefined || column.form !== 2)
		return out.fill(Number((column?.base ?? 0n) - from));
	const { kind, keys } = column, content = unzstd(bytes.subarray(column.at, column.end)), codes = kind === 4 ? rows + 3 >> 2 : 0;
	const { wide, numbers } = listedNumbers(column, content, codes, from !== 0n && kind > 1 && kind < 5);
	const typed = value => wide ? value : Number(value), two = typed(2n), one = typed(1n), scale = typed(column.scale), base = typed(wide ? column.base : column.base - from);
	const step = u => (u % two === one ? -(u + one) / two : u / two) * scale, values = wide ? Array(rows) : out;

	if (kind === 0)
		for (let i = 0; i < rows; i++)
			values[i] = base + numbers[i] * scale;
	else if (kind === 1)
		for (let i = 0, value = base; i < rows; i++)
			values[i] = value = i > 0 ? value + step(numbers[i]) : value;
	else if (kind === 5)
		for (let i = 0, place = base; i < rows; i++, place += one)
			values[i] = place - numbers[i] * scale;
	else
		keyedValues(column, values, keysOf(rows, keys.map(other => [columnValues(bytes, columns, other, known, 0n), other === TIME ? Number(begin & 65535n) : 0])),
			{ codes: content, numbers, step, scale, base, zero: base - base });
	if (wide)
		values.forEach((value, i) => { out[i] = Number(BigInt.asIntN(64, value - from)); });
	return out;
}

// Values that follow from the last ones of the same key.
function keyedValues({ kind, flags }, values, key, { codes, numbers, step, scale, base, zero }) {
	const places = () => typeof zero === 'bigint' ? Array(65536).fill(zero) : new Float64Array(65536), last = places();
	let sum = zero, listed = base, next = 0;

	if (kind < 4) {
		for (let i = 0; i < key.length; i++) {
			sum = (kind === 3 ? sum : zero) + step(numbers[i]);
			values[i] = last[key[i]] += sum;
		}
		return;
	}
	const before = places(), order = flags & 1 ? byNumber(key, 65536).order : null;
	for (let place = 0; place < key.length; place++) {
		const i = order === null ? place : order[place], k = key[i], code = codes[place >> 2] >> 2 * (place & 3) & 3;
		let now = last[k];

		if (code === 1) {
			now = before[k];
		} else if (code > 1) {
			listed = flags & 2 ? listed + step(numbers[next]) : base + numbers[next] * scale;
			next++;
			now = listed;
		}
		if (now !== last[k]) {
			before[k] = last[k];
			last[k] = now;
		}
		values[i] = now;
	}
}

// --- samples ---

// The samples of a block as runs.
function blockCounts(bytes, [first, cells, , sum], number) {
	const { events, groups, threads, rows: known } = streamOf[number], columns = columnsOf(bytes), columnsRead = [];
	const read = column => columnValues(bytes, columns, column, columnsRead, column === TIME ? begin : 0n);
	const [time, dump, thread, stack, weight, event, state] = [TIME, DUMP, THREAD, STACK, WEIGHT, EVENT, STATE].map(read);
	const low = facts.from === undefined ? -Infinity : Number(BigInt(facts.from) - begin), high = facts.to === undefined ? Infinity : Number(BigInt(facts.to) - begin);
	const row = new Int32Array(time.length).fill(-1), cell = new Uint32Array(time.length), amounts = new Float64Array(time.length);
	let all = 0;

	for (let i = 0; i < row.length; i++) {
		const amount = facts.samples ? 1 : weight[i] / facts.each, at = Math.floor(time[i] / facts.cell) - first;

		if (amount === 0 || at < 0 || at >= cells || time[i] < low || time[i] >= high || !events.includes(event[i]))
			continue;
		const place = 2 * placeOf(threads, thread[i]) + (dump[i] !== 0 ? 1 : 0), found = placeOf(known, stack[i] * groups + threads.values[place] * 16 + (state[i] > 8 ? 0 : state[i]));
		if (found < 0)
			continue;
		row[i] = known.values[found];
		cell[i] = at;
		all += amounts[i] = amount;
	}
	if (all !== sum)
		throw new Error(`${visible(facts.beside)} has other samples than when the page was made`);
	return runsOf(row, cell, amounts);
}

function runsOf(row, cell, amounts) {
	const rows = [], at = [0], { at: from, order } = byNumber(row, facts.rows);
	const start = new Uint32Array(order.length), end = new Uint32Array(order.length), count = new Float64Array(order.length);
	let run = 0;

	for (let r = 0; r < facts.rows; r++) {
		const own = order.subarray(from[r], from[r + 1]), first = run;

		if (own.length === 0)
			continue;
		if (own.some((sample, i) => i > 0 && cell[sample] < cell[own[i - 1]]))
			own.sort((a, b) => cell[a] - cell[b]);
		for (const sample of own) {
			if (run === first || start[run - 1] !== cell[sample]) {
				start[run] = cell[sample];
				end[run] = cell[sample] + 1;
				run++;
			}
			count[run - 1] += amounts[sample];
		}
		rows.push(r);
		at.push(run);
	}
	return { rows, at, start, end, count, runs: run };
}

readPlaces();
