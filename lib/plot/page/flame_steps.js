// SPDX-License-Identifier: MIT
// flame_steps: what is done to the call paths before they are drawn, one step after another; each can be taken back.
'use strict';

const STEP_WORDS = { m: 'merge', d: 'drop', f: 'focus', s: 'sandwich', r: 'collapse recursion', '%': 'fold under' };
let steps = [];			// [letter, name or percent]

// A tree of those nodes that `place` gives one: it answers with a node of the new tree, 'child' or -1.
function rebuilt(from, place) {
	const parent = [0], frame = [0], group = [0], children = new Map(), map = new Int32Array(from.parent.length);

	const child = (above, node) => {
		const key = above * names.length + from.frame[node];

		if (!children.has(key)) {
			children.set(key, parent.length);
			parent.push(above);
			frame.push(from.frame[node]);
			group.push(from.group[node]);
		}
		return children.get(key);
	};
	for (let i = 1; i < map.length; i++) {
		const above = map[from.parent[i]], to = place(i, above, frame);

		map[i] = to === 'child' ? child(Math.max(above, 0), i) : to;
	}
	return { map, parent: Uint32Array.from(parent), frame: Uint32Array.from(frame), group: Uint32Array.from(group) };
}

function totalsOfRows({ parent, rowNode }) {
	const self = new Float64Array(parent.length);

	stepSums().forEach((sum, r) => {
		if (rowNode[r] >= 0)
			self[rowNode[r]] += sum;
	});
	return totalsOf(parent, self);
}

// Which way a step goes with a node, by the node that its caller became.
function placing(from, [letter, value]) {
	const wanted = typeof value === 'string' ? names.indexOf(value) : -1, is = node => from.frame[node] === wanted;

	if (letter === 'm')
		return (node, above) => is(node) ? above : 'child';
	if (letter === 'd')
		return (node, above) => above < 0 || is(node) ? -1 : 'child';
	if (letter === 'r')
		return (node, above, frame) => above !== 0 && frame[above] === from.frame[node] ? above : 'child';
	if (letter === '%') {
		const total = totalsOfRows(from), least = total[0] * value / 100;

		return (node, above) => total[node] < least ? above : 'child';
	}
	return (node, above) => above > 0 || is(node) ? 'child' : -1;		// what the function does not call is left out
}

function useSteps() {
	let now = { ...recorded, rowNode: rows.node };

	for (const step of steps) {
		const next = rebuilt(now, placing(now, step)), focused = step[0] === 'f' || step[0] === 's';

		next.map[0] = focused ? -1 : 0;
		now = { ...next, rowNode: now.rowNode.map(node => node < 0 ? -1 : next.map[node]) };
	}
	showTree(now);
}

// The callers of the function of a sandwich, that of the last such step, in these sums: {parent, frame, depth, total}, the function is the root.
function callersOf(name, sums) {
	const last = steps.findLastIndex(step => step[0] === 's'), kept = steps;
	const frame = names.indexOf(name), parent = [0], frames = [frame], depth = [0], total = [0], children = new Map();
	let now;

	steps = steps.slice(0, last);
	useSteps();
	now = { parent: tree.parent, frame: tree.frame, outermost: tree.outermost };
	const all = rollUpRows(sums).total;
	steps = kept;
	useSteps();
	for (let i = 1; i < now.parent.length; i++) {
		if (now.frame[i] !== frame || now.outermost[i] === 0)
			continue;
		let node = 0;

		total[0] += all[i];
		for (let at = now.parent[i]; at !== 0; at = now.parent[at]) {
			const key = node * names.length + now.frame[at];

			if (!children.has(key)) {
				children.set(key, parent.length);
				parent.push(node);
				frames.push(now.frame[at]);
				depth.push(depth[node] + 1);
				total.push(0);
			}
			node = children.get(key);
			total[node] += all[i];
		}
	}
	return { parent, frame: frames, depth, total };
}

// --- in the address ---

// A long name is found again by its beginning and its hash.
function nameKey(name) {
	const bytes = new TextEncoder().encode(name);

	return bytes.length <= 200 ? encodeURIComponent(name)
		: `${encodeURIComponent(Array.from(name.slice(0, 60)).slice(0, -1).join(''))}~${hashOf(name).toString(16).padStart(8, '0')}`;
}

const stepsText = () => steps.map(([letter, value]) => letter === 'r' ? 'r' : letter === '%' ? `%25:${value}` : `${letter}:${nameKey(value)}`).join(',');

// Returns how many steps name what is not here.
function readSteps(text) {
	let unknown = 0;

	steps = [];
	for (const part of text === '' ? [] : text.split(',')) {
		const at = part.indexOf(':'), letter = at < 0 ? part : part.slice(0, at).replace('%25', '%'), value = part.slice(at + 1);
		const name = 'mdfs'.includes(letter) && letter.length === 1 ? names.find(one => nameKey(one) === value) : undefined;

		if (letter === 'r')
			steps.push(['r', '']);
		else if (letter === '%' && Number(value) > 0 && Number(value) <= 100)
			steps.push(['%', Number(value)]);
		else if (name !== undefined)
			steps.push([letter, name]);
		else
			unknown++;
	}
	return unknown;
}
