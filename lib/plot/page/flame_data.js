// SPDX-License-Identifier: MIT
// flame_data: what lib/plot/flame_page.c wrote: call paths, and how often each was counted in each cell of time.
'use strict';

const EVERY = [0, facts.cells + 1];		// the cell after the last has what has no time

// as they were recorded
const recorded = { parent: null, frame: null, group: null, marks: null };
const rows = { node: null, state: null, at: null, cell: null, count: null };
let names = [], modules = [], moduleNumber = null, nameMarks = null;
// as they are shown: rowNode is -1 where a row is left out
const tree = { parent: null, frame: null, group: null, marks: null, depth: null, order: null, outermost: null, rowNode: null };

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

// Siblings by name, callers first.
function orderNodes() {
	const rank = new Uint32Array(names.length), { frame, depth } = tree;

	names.map((name, i) => i).sort((a, b) => names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : 0)
		.forEach((name, i) => { rank[name] = i; });
	tree.order = Uint32Array.from(frame.keys()).sort((a, b) => depth[a] - depth[b] || rank[frame[a]] - rank[frame[b]] || a - b);
}

// A node counts for its function unless a caller of it is the same.
function markOutermost() {
	const { parent, frame } = tree, outermost = new Uint8Array(parent.length);

	for (let node = 1; node < parent.length; node++) {
		let at = parent[node];

		while (at !== 0 && frame[at] !== frame[node])
			at = parent[at];
		outermost[node] = at === 0 ? 1 : 0;
	}
	tree.outermost = outermost;
}

function showTree({ parent, frame, group, rowNode, marks = null }) {
	const depth = new Uint32Array(parent.length);

	for (let i = 1; i < parent.length; i++)
		depth[i] = depth[parent[i]] + 1;
	Object.assign(tree, { parent, frame, group, depth, rowNode, marks });
	orderNodes();
	markOutermost();
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

function totalsOf(parent, self) {
	const total = self.slice();

	for (let i = total.length - 1; i > 0; i--)
		total[parent[i]] += total[i];
	return total;
}

// {self, total} by node of the tree that is shown.
function rollUp([from, to]) {
	const sums = rowSums(from, to), self = new Float64Array(tree.parent.length);

	sums.forEach((sum, r) => {
		if (tree.rowNode[r] >= 0)
			self[tree.rowNode[r]] += sum;
	});
	return { self, total: totalsOf(tree.parent, self) };
}

// By function: {self, total}.
function byFunction({ self, total }) {
	const selfOf = new Float64Array(names.length), totalOf = new Float64Array(names.length);

	for (let i = 1; i < self.length; i++) {
		selfOf[tree.frame[i]] += self[i];
		if (tree.outermost[i] === 1)
			totalOf[tree.frame[i]] += total[i];
	}
	return { self: selfOf, total: totalOf };
}

// [{name, self, total, frame}], the largest first, as stktree --report flat has them.
function flatProfile(values) {
	const { self, total } = byFunction(values), found = [];

	names.forEach((name, frame) => {
		if (total[frame] > 0)
			found.push({ name, self: self[frame], total: total[frame], frame });
	});
	if (values.self[0] > 0)
		found.push({ name: '(no frames)', self: values.self[0], total: values.self[0], frame: -1 });
	return found.sort((a, b) => b.self - a.self || b.total - a.total || (a.name < b.name ? -1 : 1));
}
