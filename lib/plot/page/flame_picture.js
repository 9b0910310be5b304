// SPDX-License-Identifier: MIT
// flame_picture: the flame graph of this page: colours by module, group or state; callers of a sandwich; paper.
'use strict';

const CALLER_LEVELS = 16;
const MERGED = 16;		// a mark: several call paths became one

const moduleText = frame => moduleNumber[frame] === 0 ? moduleOf(names[frame]) : modules[moduleNumber[frame]];

class FlamePicture extends FlameView {
	constructor(what) {
		super(what);
		this.colouring = this.colourings()[0];
		this.groupFill = new Map();
		this.stateOf = null;
	}

	colourings() {
		return [...facts.groups.length > 0 ? ['group'] : [], 'module', ...new Set(rows.state).size > 1 ? ['state'] : []];
	}

	show(values, before, seconds) {
		this.fills.clear();
		this.stateOf = null;
		this.rankGroups(values);
		super.show(values, before, seconds);
	}

	// Where the root is, is in sight at first.
	draw() {
		const box = this.canvas.parentElement;

		super.draw();
		if (this.shownFlipped !== this.flipped) {
			this.shownFlipped = this.flipped;
			box.scrollTop = this.flipped ? box.scrollHeight : 0;
		}
	}

	choose(node) {
		const box = this.canvas.parentElement;

		super.choose(node);
		const top = this.topOf(tree.depth[node]);
		if (top < box.scrollTop)
			box.scrollTop = top;
		else if (top + ROW > box.scrollTop + box.clientHeight)
			box.scrollTop = top + ROW - box.clientHeight;
	}

	// Groups by what they have themselves; the first twenty have a fill of their own.
	rankGroups({ self }) {
		const sums = new Map();

		self.forEach((sum, node) => { sums.set(tree.group[node], (sums.get(tree.group[node]) ?? 0) + sum); });
		const ranked = [...sums].filter(([group]) => group !== 0).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
		this.groupSums = ranked;
		this.groupFill = new Map(ranked.map(([group], i) => [group, GROUP_FILLS[i] ?? OTHER_FILL]));
	}

	// The state that most samples below a node have.
	findStates() {
		const best = new Float64Array(tree.parent.length), found = new Uint32Array(tree.parent.length), sums = this.rowSums();

		for (const state of new Set(rows.state)) {
			const self = new Float64Array(tree.parent.length);

			sums.forEach((sum, r) => { if (rows.state[r] === state && tree.rowNode[r] >= 0) self[tree.rowNode[r]] += sum; });
			totalsOf(tree.parent, self).forEach((total, node) => {
				if (total > best[node]) {
					best[node] = total;
					found[node] = state;
				}
			});
		}
		this.stateOf = found;
	}

	stateName(node) {
		if (this.stateOf === null)
			this.findStates();
		return facts.states[this.stateOf[node]] ?? 'unknown';
	}

	// As stktree --diff tells it, of what was compared there: not of frames that steps made.
	isChance(node) {
		const marks = tree.marks;

		return marks === null || (marks[node] & MERGED) !== 0 ? super.isChance(node) : (marks[node] >> (this.relative ? 2 : 0) & 1) === 0;
	}

	fill(node) {
		const matched = this.match !== null && node !== 0 && this.match[tree.frame[node]];

		if (matched || this.before !== null || node === 0)
			return super.fill(node);
		if (this.colouring === 'group')
			return this.groupFill.get(tree.group[node]) ?? '#FFFFFF';
		if (this.colouring === 'state')
			return STATE_FILLS[this.stateName(node)] ?? '#FFFFFF';
		const frame = tree.frame[node];
		if (!this.fills.has(frame))
			this.fills.set(frame, names[frame] === '(rest)' ? SAME_FILL : moduleFill(moduleText(frame)));
		return this.fills.get(frame);
	}

	label(node) {
		const plain = super.label(node);

		return this.colouring === 'state' && this.before === null && node !== 0
			? `${STATE_LETTERS[this.stateName(node)] ?? '?'} ${plain}` : plain;
	}

	words(node) {
		const lines = super.words(node);

		if (node !== 0) {
			const extra = [moduleNumber[tree.frame[node]] === 0 ? '' : modules[moduleNumber[tree.frame[node]]],
				tree.group[node] === 0 ? '' : `group ${facts.groups[tree.group[node] - 1]}`,
				this.colouring === 'state' ? `mostly ${this.stateName(node)}` : ''].filter(text => text !== '');

			if (extra.length > 0)
				lines.splice(1, 0, visible(extra.join(', ')));
		}
		return lines;
	}

	legend() {
		if (this.before !== null)
			return [];
		if (this.colouring === 'group')
			return [...this.groupSums.slice(0, 20).map(([group, sum]) => [this.groupFill.get(group),
				`${visible(facts.groups[group - 1])} ${percent(sum, this.values.total[0])}`]), ['#FFFFFF', 'ungrouped']];
		if (this.colouring === 'state')
			return [...new Set(rows.state)].map(state => facts.states[state] ?? 'unknown')
				.map(state => [STATE_FILLS[state] ?? '#FFFFFF', `${STATE_LETTERS[state] ?? '?'} ${state}`]);
		return this.moduleLegend?.(this.values) ?? [];
	}

	// --- the callers of a sandwich: from the function, below, up to its roots ---

	drawCallers(canvas, callers) {
		const wide = this.canvas.clientWidth || 800, ratio = devicePixelRatio || 1, context = canvas.getContext('2d');
		const left = new Float64Array(callers.parent.length), next = left.slice();
		const levels = Math.min(Math.max(...callers.depth), CALLER_LEVELS), scale = wide / (callers.total[0] || 1);

		canvas.style.height = `${levels * ROW}px`;
		canvas.width = Math.round(wide * ratio);
		canvas.height = Math.round(levels * ROW * ratio);
		context.scale(ratio, ratio);
		context.font = '12px system-ui, sans-serif';
		context.textBaseline = 'middle';
		for (let i = 1; i < left.length; i++) {
			const w = callers.total[i] * scale;

			left[i] = next[callers.parent[i]];
			next[callers.parent[i]] += callers.total[i];
			next[i] = left[i];
			if (w < LEAST || callers.depth[i] > levels)
				continue;
			const x = left[i] * scale, y = (levels - callers.depth[i]) * ROW;
			context.fillStyle = moduleFill(moduleText(callers.frame[i]));
			context.fillRect(x, y, Math.max(w - 0.5, LEAST), ROW - 1);
			context.fillStyle = '#000000';
			if (w > 24)
				context.fillText(shortened(visible(names[callers.frame[i]]), Math.floor((w - 6) / this.letter)), x + 3, y + ROW / 2, w - 6);
		}
	}

	// --- paper ---

	// The levels that are shown, as elements of SVG, 1,000 wide.
	paper() {
		const space = 'http://www.w3.org/2000/svg', wide = this.canvas.clientWidth || 800, scale = 1000 / wide;
		const svg = document.createElementNS(space, 'svg'), high = this.shown * ROW;
		const add = (name, values, text) => {
			const made = document.createElementNS(space, name);

			Object.entries(values).forEach(([key, value]) => made.setAttribute(key, value));
			made.textContent = text;
			svg.append(made);
		};

		svg.setAttribute('viewBox', `0 0 1000 ${high}`);
		svg.setAttribute('aria-hidden', 'true');
		this.eachDrawn(({ node, x, w }, y) => {
			const room = Math.floor((w * scale - 4) / 5);

			add('rect', { x: x * scale, y, width: Math.max(w * scale - 0.5, 0.2), height: ROW - 1,
				fill: this.fill(node) }, '');
			if (room >= 3)
				add('text', { x: x * scale + 2, y: y + 12, 'font-size': 9 }, this.fitted(node, room));
		});
		return svg;
	}
}
