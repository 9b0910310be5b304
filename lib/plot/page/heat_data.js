// SPDX-License-Identifier: MIT
// heat_data: the recording in the page: names, rows, and how often a row was counted in any window.
'use strict';

const RUNS_KEPT = 2e6;		// of decoded blocks

const FILTERS = ['process', 'pool', 'state', 'group'];	// as tags have them
const rows = { node: null, tag: null, state: null };
const modules = [''];
let moduleNumber = null, processes = [], pools = [], tags = [], sets = [];
// set by readTotals: of cells, of rows; and by levelRuns
let totals = null, rowTotals = null, level = null;

function readNames() {
	const from = varints(inflateBlock(blockBytes('n')));
	const [functionCount, nodeCount, rowCount, tagCount, processCount, poolCount, setCount, groupCount] = from.many(8);
	const parent = new Uint32Array(nodeCount), frame = new Uint32Array(nodeCount), group = new Uint32Array(nodeCount);

	for (let i = 1; i < nodeCount; i++)
		parent[i] = i - from.next();
	for (let i = 1; i < nodeCount; i++)
		frame[i] = from.next();
	for (let i = 1; i < nodeCount && setCount > 0; i++)
		group[i] = from.next();
	Object.assign(recorded, { parent, frame, group });
	rows.node = Int32Array.from(from.many(rowCount));
	rows.tag = Uint32Array.from(from.many(rowCount));
	tags = Array.from({ length: tagCount }, () => from.many(setCount > 0 ? 4 : 3));
	sets = Array.from({ length: setCount }, () => [...from.many(from.next())]);
	const counts = [functionCount, processCount, poolCount, groupCount], lengths = from.many(counts.reduce((a, b) => a + b)), all = texts(lengths, from.rest());

	[names, processes, pools, facts.groups] = counts.map(count => all.splice(0, count));
	moduleNumber = new Uint32Array(functionCount);
	rows.state = rows.tag.map(tag => tags[tag][2]);
}

function readTotals() {
	const from = varints(inflateBlock(blockBytes('s')));

	totals = from.many(facts.totals[1]);
	rowTotals = from.many(facts.rows);
}

// Not needed for the first picture, which is of all.
function levelRuns() {
	level ??= levelCounts();
	return level;
}

// --- fine blocks ---

const kept = new Map();		// by number of the block, the last used last
let runsKept = 0;

function blockOf(layer, place) {
	const number = layer.base + place;
	let block = kept.get(number);

	if (block === undefined) {
		const bytes = partBytes(number);

		if (bytes === null)
			throw new Error(`block ${number} of the page is missing: it was cut`);
		block = blockCounts(bytes, layer.blocks[place], number);
		runsKept += block.runs;
	}
	kept.delete(number);
	kept.set(number, block);
	for (const [oldest, old] of kept) {
		if (runsKept <= RUNS_KEPT || oldest === number)
			break;
		kept.delete(oldest);
		runsKept -= old.runs;
	}
	return block;
}

function forgetBlocks() {
	kept.clear();
	runsKept = 0;
}

// The first block that ends after a cell of the layer.
function blockAfter({ blocks }, cell) {
	let low = 0, high = blocks.length;

	while (low < high) {
		const middle = low + high >> 1;

		if (blocks[middle][0] + blocks[middle][1] > cell)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

// --- windows ---

// Adds what each row has in the cells from..to - 1 of some runs.
function addRuns(runs, from, to, sums) {
	const { at, start, end, count } = runs;

	for (let r = 0; r < runs.rows.length; r++) {
		let low = at[r], last = at[r + 1], sum = 0;

		if (last - low > 32) {
			let high = last;

			while (low < high) {
				const middle = low + high >> 1;

				if (end[middle] <= from)
					low = middle + 1;
				else
					high = middle;
			}
		}
		for (; low < last && start[low] < to; low++)
			if (end[low] > from)
				sum += (Math.min(end[low], to) - Math.max(start[low], from)) * count[low];
		if (sum > 0)
			sums[runs.rows[r]] += sum;
	}
}

function addBlocks(layer, from, to, sums) {
	for (let b = blockAfter(layer, from); b < layer.blocks.length && layer.blocks[b][0] < to; b++) {
		const [first, cells] = layer.blocks[b];

		addRuns(blockOf(layer, b), Math.max(from - first, 0), Math.min(to - first, cells), sums);
	}
}

// Whole cells of the coarsest layer, the level where it is null, and at most two ends of the finer ones.
function addLayers([layer, ...finer], from, to, sums) {
	const times = layer === null ? facts.level[0] : layer.times;
	const first = Math[from <= facts.first ? 'floor' : 'ceil'](from / times), last = to >= facts.cells ? Math.ceil(to / times) : Math.floor(to / times);

	if (first >= last) {
		addLayers(finer, from, to, sums);
		return;
	}
	if (layer === null)
		addRuns(levelRuns(), first, last, sums);
	else
		addBlocks(layer, first, last, sums);
	if (from < first * times)
		addLayers(finer, from, first * times, sums);
	if (to > last * times)
		addLayers(finer, last * times, to, sums);
}

// How often each row was counted in the cells from..to - 1.
function windowSums(from, to) {
	const sums = new Float64Array(facts.rows);

	if (from <= facts.first && to >= facts.cells)
		return rowTotals.slice();
	if (from < to)
		addLayers([null, ...middles, fine], from, to, sums);
	return sums;
}

// The window in whole cells of the level, which it is while it is dragged.
function roughWindow([from, to]) {
	const times = facts.level[0], first = Math.floor(from / times);

	return clampWindow(first * times, Math.max(Math.ceil(to / times), first + 1) * times);
}

// What steps go by: the whole recording.
const stepSums = () => rowTotals;

// --- choosing rows ---

// What a tag has of a sort of filter, FILTERS[place]: one number, or those of groups.
const tagged = (tag, place) => place < 3 ? [tag[place]] : sets[tag[3]] ?? [];

// chosen: numbers of processes and so on, or null. Null when all rows are chosen.
function rowMask(chosen) {
	const keys = FILTERS.map(name => chosen[name]);

	if (keys.every(key => key === null))
		return null;
	const fits = tags.map(tag => keys.every((key, i) => key === null || tagged(tag, i).includes(key)));
	return Uint8Array.from(rows.tag, tag => fits[tag] ? 1 : 0);
}

// Rows with a function that matches, by its number; by node, too.
function matchRows(matches) {
	const functions = names.map((name, frame) => matches(frame)), nodes = new Uint8Array(tree.parent.length);

	for (let i = 1; i < nodes.length; i++)
		nodes[i] = nodes[tree.parent[i]] !== 0 || functions[tree.frame[i]] ? 1 : 0;
	return { functions, nodes, rows: Uint8Array.from(tree.rowNode, node => node < 0 ? 0 : nodes[node]) };
}

// --- sums of cells, for the map ---

// Adds runs to `to`, which has cells of `wide` each from cell `begin` on; a cell of the runs is `unit` cells, from `first`.
function addCells(runs, unit, first, wide, begin, mask, to) {
	const whole = new Float64Array(to.length + 1);		// changes of what all cells that follow have

	for (let r = 0; r < runs.rows.length; r++) {
		if (mask !== null && mask[runs.rows[r]] === 0)
			continue;
		for (let i = runs.at[r]; i < runs.at[r + 1]; i++) {
			const from = runs.start[i] * unit + first - begin * wide, end = runs.end[i] * unit + first - begin * wide;
			const low = Math.floor(from / wide), high = Math.floor((end - 1) / wide), count = runs.count[i] / unit;

			if (low === high) {
				to[low] += count * (end - from);
				continue;
			}
			to[low] += count * ((low + 1) * wide - from);
			to[high] += count * (end - high * wide);
			whole[low + 1] += count * wide;
			whole[high] -= count * wide;
		}
	}
	for (let i = 0, sum = 0; i < to.length; i++)
		to[i] += sum += whole[i];
}

// What cells of `wide` have, for rows of a mask: exact where all is known, a guess from the coarser where not yet.
class CellSums {
	constructor(wide, mask) {
		this.wide = wide;
		this.mask = mask;
		this.count = Math.ceil(facts.cells / wide);
		this.layer = [...middles, fine].find(layer => wide % layer.times === 0);
		this.blocks = new Map();
		this.all = null;
		this.rough = null;
		if (mask === null && wide % facts.totals[0] === 0)
			this.all = this.ofTotals();
		else if (wide % facts.level[0] === 0)
			this.all = this.ofLevel();
		if (this.all === null && mask !== null) {
			this.rough = new Float64Array(facts.level[1]);
			addCells(levelRuns(), facts.level[0], 0, facts.level[0], 0, mask, this.rough);
		}
	}

	ofTotals() {
		const all = new Float64Array(this.count), times = this.wide / facts.totals[0];

		totals.forEach((total, i) => { all[Math.floor(i / times)] += total; });
		return all;
	}

	ofLevel() {
		const all = new Float64Array(Math.max(this.count, Math.ceil(facts.level[0] * facts.level[1] / this.wide)));

		addCells(levelRuns(), facts.level[0], 0, this.wide, 0, this.mask, all);
		return all;
	}

	ofBlock(number) {
		let cells = this.blocks.get(number);

		if (cells === undefined) {
			const { times, blocks } = this.layer, first = blocks[number][0] * times, count = blocks[number][1] * times;
			const begin = Math.floor(first / this.wide);

			cells = new Float64Array(Math.floor((first + count - 1) / this.wide) - begin + 1);
			addCells(blockOf(this.layer, number), times, first, this.wide, begin, this.mask, cells);
			this.blocks.set(number, cells);
		}
		return cells;
	}

	// Fills `to` with the cells from `from` on. Blocks are decoded until a moment; false: not all were.
	fill(from, to, until) {
		let complete = true;

		to.fill(0);
		if (this.all !== null) {
			for (let i = 0; i < to.length; i++)
				to[i] = this.all[from + i] ?? 0;
			return true;
		}
		const { times, blocks, base } = this.layer, end = (from + to.length) * this.wide, first = blockAfter(this.layer, from * this.wide / times);
		let last = first;

		while (last < blocks.length && blocks[last][0] * times < end)
			last++;
		this.late = false;		// there is more to decode
		this.progress = [0, last - first];
		for (let b = first; b < last; b++) {
			const begin = Math.floor(blocks[b][0] * times / this.wide) - from, ready = this.blocks.has(b) || isAtHand(base + b, base + first, base + last - 1);

			if (!this.blocks.has(b) && (!ready || performance.now() > until)) {
				this.late ||= ready;
				complete = false;
				this.guess(b, from, to);
				continue;
			}
			const cells = this.ofBlock(b);
			this.progress[0]++;
			for (let i = Math.max(0, -begin); i < cells.length && begin + i < to.length; i++)
				to[begin + i] += cells[i];
		}
		return complete;
	}

	// What a block has, spread evenly; of some rows, what the level has of them.
	guess(number, from, to) {
		const { times, blocks } = this.layer, [first, cells, , sum] = blocks[number];
		const begin = Math.floor(first * times / this.wide) - from, end = Math.ceil((first + cells) * times / this.wide) - from;

		for (let i = Math.max(0, begin); i < end && i < to.length; i++)
			to[i] += this.rough === null ? sum / (end - begin)
				: this.rough[Math.min(Math.floor((from + i) * this.wide / facts.level[0]), facts.level[1] - 1)] *
					this.wide / facts.level[0];
	}
}

// The cell with samples that is nearest to a window without any; null where there is none.
function nearestCell(from, to, mask) {
	const within = (number, low, high) => {
		const [first, cells] = facts.blocks[number], near = [null, null];

		if (first + cells <= low || first >= high)
			return near;
		const block = blockOf(fine, number);
		for (let r = 0; r < block.rows.length; r++) {
			if (mask !== null && mask[block.rows[r]] === 0)
				continue;
			for (let i = block.at[r]; i < block.at[r + 1]; i++) {
				const begin = block.start[i] + first, end = block.end[i] + first - 1;

				if (end < high)
					near[0] = Math.max(near[0] ?? end, end);
				if (begin >= low)
					near[1] = Math.min(near[1] ?? begin, begin);
			}
		}
		return near;
	};
	let before = null, after = null;

	for (let b = blockAfter(fine, from); b >= 0 && before === null; b--)
		if (b < facts.blocks.length)
			before = within(b, -1, from)[0];
	for (let b = blockAfter(fine, to - 1); b < facts.blocks.length && after === null; b++)
		after = within(b, to, Infinity)[1];
	if (before === null || after === null)
		return before ?? after;
	return from - before <= after - to ? before : after;
}
