// SPDX-License-Identifier: MIT
// page_tree: call paths as they were recorded, as they are shown, and sums over them.
'use strict';

let names = [], nameMarks = null;		// marks of names: that of what has no stack first
// as they were recorded
const recorded = { parent: null, frame: null, group: null, marks: null };
// as they are shown: rowNode, of what is counted, is -1 where that is left out; marks: of comparisons
const tree = { parent: null, frame: null, group: null, marks: null, depth: null, order: null, outermost: null, rowNode: null };

// Siblings by name, callers first: sorted by name, then by depth.
function orderNodes() {
	const rank = new Uint32Array(names.length), { frame, depth } = tree;
	const count = frame.length, byRank = new Uint32Array(count), order = new Uint32Array(count);
	const compare = (a, b) => names[a] < names[b] ? -1 : names[a] > names[b] ? 1 : 0;
	const deepest = depth.reduce((most, level) => Math.max(most, level), 0);
	const sort = (from, to, key, keys) => {
		const place = new Uint32Array(keys + 1);

		for (let i = 0; i < count; i++)
			place[key(from[i]) + 1]++;
		for (let k = 0; k < keys; k++)
			place[k + 1] += place[k];
		for (let i = 0; i < count; i++)
			to[place[key(from[i])]++] = from[i];
	};

	names.map((name, i) => i).sort(compare).forEach((name, i) => { rank[name] = i; });
	sort(Uint32Array.from(frame.keys()), byRank, node => rank[frame[node]], names.length + 1);
	sort(byRank, order, node => depth[node], deepest + 1);
	tree.order = order;
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

function totalsOf(parent, self) {
	const total = self.slice();

	for (let i = total.length - 1; i > 0; i--)
		total[parent[i]] += total[i];
	return total;
}

// sums: of what is counted. {self, total} by node of the tree that is shown.
function rollUpRows(sums) {
	const self = new Float64Array(tree.parent.length);

	for (let r = 0; r < sums.length; r++)
		if (tree.rowNode[r] >= 0)
			self[tree.rowNode[r]] += sums[r];
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

// For tests and the console.
const answerOf = values => ({ total: values.total[0] * facts.each,
	functions: flatProfile(values).map(({ name, self, total }) => ({ name, self: self * facts.each, total: total * facts.each })) });
