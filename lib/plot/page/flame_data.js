// SPDX-License-Identifier: MIT
// flame_data: what lib/plot/flame_page.c wrote: call paths, and how often each was counted in each cell of time.
'use strict';

const EVERY = [0, facts.cells + 1];		// the cell after the last has what has no time

const rows = { node: null, state: null, at: null, cell: null, count: null };
let modules = [], moduleNumber = null;

function readNames() {
	const from = varints(inflateBlock(blockBytes('n')));
	const [nameCount, nodeCount, rowCount, moduleCount, grouped] = from.many(5);
	const parent = new Uint32Array(nodeCount), frame = new Uint32Array(nodeCount), group = new Uint32Array(nodeCount);

	for (let i = 1; i < nodeCount; i++)
		parent[i] = i - from.next();
	for (let i = 1; i < nodeCount; i++)
		frame[i] = from.next();
	for (let i = 1; i < nodeCount && grouped === 1; i++)
		group[i] = from.next();
	Object.assign(recorded, { parent, frame, group });
	rows.node = Int32Array.from(from.many(rowCount));
	rows.state = Uint32Array.from(from.many(rowCount));
	moduleNumber = from.many(nameCount);
	const lengths = from.many(nameCount + moduleCount), all = texts(lengths, from.rest());

	names = all.slice(0, nameCount);
	modules = ['', ...all.slice(nameCount)];
}

function readCounts() {
	const from = varints(inflateBlock(blockBytes('l'))), cells = [], counts = [], at = [0];

	for (let r = 0; r < rows.node.length; r++) {
		let cell = 0;

		for (let left = from.next(); left > 0; left--) {
			cell += from.next();
			cells.push(cell++);
			counts.push(from.next());
		}
		at.push(cells.length);
	}
	Object.assign(rows, { at, cell: cells, count: counts });
}

// What stktree --diff marks: of nodes, and of names, that of what has no stack first.
function readMarks() {
	if (facts.sides === undefined)
		return;
	const plain = inflateBlock(blockBytes('c'));
	recorded.marks = plain.subarray(0, recorded.parent.length);
	nameMarks = plain.subarray(recorded.parent.length);
}

// --- sums ---

// Of each row the counts in the cells from..to - 1.
function rowSums(from, to) {
	return Float64Array.from(rows.node, (node, r) => {
		let sum = 0;

		for (let i = rows.at[r]; i < rows.at[r + 1]; i++)
			if (rows.cell[i] >= from && rows.cell[i] < to)
				sum += rows.count[i];
		return sum;
	});
}

const rollUp = ([from, to]) => rollUpRows(rowSums(from, to));

// What steps go by.
const stepSums = () => rowSums(...EVERY);
