// SPDX-License-Identifier: MIT
// flame_view: a flame graph on a canvas, with the frames near the chosen one as a tree for those who cannot see it.
'use strict';

const ROW = 17;			// pixels
const LEAST = 0.5;		// of a frame that is drawn
const HIGH_MOST = 32000;	// of a canvas
const SIBLINGS = 25;		// beside the chosen one, for assistive technology

class FlameView {
	// what: {canvas, tree, detail, cut, changed}
	constructor(what) {
		Object.assign(this, what);
		this.context = this.canvas.getContext('2d');
		this.zoomed = this.chosen = 0;
		this.flipped = false;
		this.match = null;
		this.matched = [];
		this.relative = false;
		this.values = this.before = null;
		this.levels = [];
		this.first = this.shown = 0;	// which of these are drawn
		this.fills = new Map();
		this.letter = 0;
		this.listen();
	}

	// values, before: {self, total} by node; before: of the baseline, scaled by nothing; seconds of both windows.
	show(values, before, seconds) {
		this.values = values;
		this.before = before;
		this.seconds = seconds;
		if (values.total[this.zoomed] === 0 && (before === null || before.total[this.zoomed] === 0))
			this.zoomed = 0;
		if (!this.isShown(this.chosen))
			this.chosen = this.zoomed;
		this.place();
		this.draw();
		this.tell();
	}

	isShown(node) {
		return this.widthOf(node) > 0;
	}

	// A frame that vanished is as wide as it was.
	widthOf(node) {
		return this.values.total[node] > 0 ? this.values.total[node]
			: this.before !== null ? this.before.total[node] * this.ghostScale() : 0;
	}

	ghostScale() {
		return this.before.total[0] > 0 ? this.values.total[0] / this.before.total[0] : 0;
	}

	place() {
		const { parent } = tree, left = new Float64Array(parent.length), next = new Float64Array(parent.length);
		let width = this.values.total;

		if (this.before !== null) {		// ghosts add to their callers
			const scale = this.ghostScale();

			width = this.values.self.map((self, i) => this.values.total[i] === 0 ? this.before.self[i] * scale : self);
			for (let i = width.length - 1; i > 0; i--)
				width[parent[i]] += width[i];
		}
		for (const node of tree.order) {
			if (node !== 0) {
				left[node] = next[parent[node]];
				next[parent[node]] += width[node];
			}
			next[node] = left[node];
		}
		this.left = left;
		this.width = width;
	}

	// Points of share, or of samples a second against the larger window; null without a baseline.
	points(node) {
		if (this.before === null)
			return null;
		const after = this.values, before = this.before;
		if (this.relative)
			return 100 * (after.total[node] / (after.total[0] || 1) - before.total[node] / (before.total[0] || 1));
		const [now, then] = this.seconds, whole = Math.max(after.total[0] / now, before.total[0] / then) || 1;
		return 100 * (after.total[node] / now - before.total[node] / then) / whole;
	}

	// Whether the difference is what chance makes in 5 of 100 pairs of windows, were samples independent.
	isChance(node) {
		const a = this.before.total[node], b = this.values.total[node], n = a + b;
		const [now, then] = this.seconds, A = this.before.total[0], B = this.values.total[0];
		const share = this.relative ? B / (A + B || 1) : now / (now + then);
		const spread = Math.sqrt(n * share * (1 - share));

		return spread > 0 && Math.abs(b - n * share) < 1.96 * spread + 0.5;
	}

	fill(node) {
		if (this.match !== null && this.match[tree.frame[node]] && node !== 0)
			return MATCH_FILL;
		if (this.before !== null)
			return this.isChance(node) ? CHANCE_FILL : pointsFill(this.points(node));
		if (node === 0)
			return SAME_FILL;
		const frame = tree.frame[node];
		if (!this.fills.has(frame))
			this.fills.set(frame, moduleFill(moduleOf(names[frame])));
		return this.fills.get(frame);
	}

	// Of a comparison, what follows the name.
	change(node) {
		return this.before === null ? '' : this.values.total[node] === 0 ? ' (gone)' : this.isChance(node) ? ' \u2248' : ` ${signed(this.points(node))}`;
	}

	label(node) {
		return (node === 0 ? 'all' : visible(names[tree.frame[node]])) + this.change(node);
	}

	// So many letters of it: the change whole, or not at all.
	fitted(node, room) {
		const whole = this.label(node), end = this.change(node);

		if (whole.length <= room || end === '')
			return shortened(whole, room);
		return room < end.length + 3 ? room < end.length - 1 ? '' : end.slice(1) : shortened(whole.slice(0, -end.length), room - end.length) + end;
	}

	isBelow(node, above) {
		while (tree.depth[node] > tree.depth[above])
			node = tree.parent[node];
		return node === above;
	}

	// The frames that are at least half a pixel wide, by depth: {node, x, w}.
	layOut(wide) {
		const zoomed = this.zoomed, depth = tree.depth[zoomed], begin = this.left[zoomed], end = begin + this.width[zoomed];
		const scale = this.width[zoomed] > 0 ? wide / this.width[zoomed] : 0, levels = [];
		let cut = 0, lost = 0;

		for (let at = zoomed; ; at = tree.parent[at]) {
			levels[tree.depth[at]] = [{ node: at, x: 0, w: wide }];
			if (at === 0)
				break;
		}
		for (const node of tree.order) {
			const left = this.left[node], w = this.width[node] * scale;

			if (tree.depth[node] <= depth || left < begin || left >= end || w === 0)
				continue;
			if (w < LEAST) {
				cut++;
				lost += this.values.self[node];
				continue;
			}
			(levels[tree.depth[node]] ??= []).push({ node, x: (left - begin) * scale, w });
		}
		for (const row of levels)
			row.sort((a, b) => a.x - b.x);
		this.levels = levels;
		this.shown = Math.min(levels.length, Math.floor(HIGH_MOST / ROW / (devicePixelRatio || 1)));
		this.first = Math.max(0, Math.min(tree.depth[this.chosen] - (this.shown >> 1), levels.length - this.shown));
		this.cut.textContent = (cut === 0 ? ''
			: `${withSpaces(cut)} frames under half a pixel (${percent(lost, this.values.total[0])}) are not drawn. `) + (this.shown === levels.length ? ''
			: `Of ${withSpaces(levels.length)} levels, ${withSpaces(this.shown)} near the chosen frame are drawn, from level ${withSpaces(this.first + 1)} on.`);
	}

	draw() {
		const wide = this.canvas.clientWidth || 800, ratio = devicePixelRatio || 1, context = this.context;

		if (this.values === null)
			return;
		this.layOut(wide);
		const high = Math.max(this.shown, 1) * ROW + 1;
		this.canvas.style.height = `${high}px`;
		this.canvas.width = Math.round(wide * ratio);
		this.canvas.height = Math.round(high * ratio);
		context.scale(ratio, ratio);
		context.font = '12px system-ui, sans-serif';
		context.textBaseline = 'middle';
		if (this.letter === 0)
			this.letter = context.measureText('abcdefghijklmnopqrstuvwxyz.ABC:<>()_0189').width / 40;
		this.eachDrawn((frame, y) => this.drawFrame(frame, y));
		this.drawFocus();
	}

	topOf(depth) {
		return (this.flipped ? this.first + this.shown - 1 - depth : depth - this.first) * ROW;
	}

	eachDrawn(use) {
		this.levels.slice(this.first, this.first + this.shown).forEach((row, i) => row.forEach(frame => use(frame, this.topOf(this.first + i))));
	}

	drawFrame({ node, x, w }, y) {
		const context = this.context, gone = this.before !== null && this.values.total[node] === 0;

		context.fillStyle = gone ? '#FFFFFF' : this.fill(node);
		context.fillRect(x, y, Math.max(w - 0.5, LEAST), ROW - 1);
		if (gone) {
			context.strokeStyle = '#767676';
			context.setLineDash([3, 2]);
			context.strokeRect(x + 0.5, y + 0.5, Math.max(w - 1.5, 0), ROW - 2);
			context.setLineDash([]);
		}
		const room = Math.floor((w - 6) / this.letter);
		if (room < 3)
			return;
		const text = this.fitted(node, room);
		context.fillStyle = '#000000';
		if (/[^\u0000-\u024F\u2026\u2212\u2248]/.test(text)) {
			context.save();
			context.beginPath();
			context.rect(x, y, w - 2, ROW);
			context.clip();
			context.fillText(text, x + 3, y + ROW / 2);
			context.restore();
		} else {
			context.fillText(text, x + 3, y + ROW / 2, w - 6);
		}
	}

	drawFocus() {
		const frame = this.find(this.chosen);

		if (frame === undefined)
			return;
		this.context.lineWidth = 2;
		this.context.strokeStyle = getComputedStyle(this.canvas).getPropertyValue('--focus');
		this.context.strokeRect(frame.x + 1, this.topOf(tree.depth[this.chosen]) + 1, Math.max(frame.w - 2, 1), ROW - 3);
	}

	find(node) {
		return (this.levels[tree.depth[node]] ?? []).find(frame => frame.node === node);
	}

	at(x, y) {
		const row = Math.floor(y / ROW), depth = this.first + (this.flipped ? this.shown - 1 - row : row);

		return (this.levels[depth] ?? []).find(frame => x >= frame.x && x < frame.x + Math.max(frame.w, 1));
	}

	// --- words ---

	// [name, samples, share, difference]: the same words everywhere.
	words(node) {
		const { total, self } = this.values;
		const lines = [node === 0 ? 'all' : visible(names[tree.frame[node]]),
			`${withSpaces(total[node] * facts.each)} ${facts.unit}, ${percent(total[node], total[0])}` +
				(this.zoomed === 0 ? '' : `, ${percent(total[node], total[this.zoomed])} of the zoomed`),
			`self ${withSpaces(self[node] * facts.each)}, ${percent(self[node], total[0])}`];

		if (this.before !== null) {
			const points = this.points(node);

			lines.push(`before ${withSpaces(this.before.total[node] * facts.each)}, ${percent(this.before.total[node],
				this.before.total[0])}; ${this.isChance(node) ? 'no more than chance'
				: `${signed(points)} points`}`);
		}
		return lines;
	}

	children(node) {
		const below = this.levels[tree.depth[node] + 1] ?? [];

		return below.filter(frame => tree.parent[frame.node] === node).map(frame => frame.node);
	}

	// The chosen frame, what is above it, beside it and below it, as a tree of elements.
	tell() {
		const items = [], path = [], chosen = this.chosen;

		for (let at = chosen; at !== 0; at = tree.parent[at])
			path.unshift(at);
		path.unshift(0);
		const add = (node, place, size) => {
			const below = this.children(node).length;
			const item = make('div', `${this.words(node).join(', ')}, ${below} below`, { role: 'treeitem', id: `t${node}`,
				'aria-level': tree.depth[node] + 1, 'aria-posinset': place + 1, 'aria-setsize': size,
				'aria-selected': node === chosen });

			if (below > 0)
				item.setAttribute('aria-expanded', node === chosen || path.includes(node));
			items.push(item);
		};
		path.slice(0, -1).forEach(node => add(node, 0, 1));
		const beside = chosen === 0 ? [0] : this.children(tree.parent[chosen]), own = Math.max(beside.indexOf(chosen), 0);
		const near = beside.length === 0 ? [chosen] : beside.slice(Math.max(0, own - SIBLINGS), own + SIBLINGS + 1);
		for (const node of near) {
			add(node, Math.max(beside.indexOf(node), 0), Math.max(beside.length, 1));
			if (node === chosen)
				this.children(node).slice(0, SIBLINGS).forEach((child, i, all) => add(child, i, all.length));
		}
		this.tree.replaceChildren(...items);
		this.tree.setAttribute('aria-activedescendant', `t${chosen}`);
		this.detail.textContent = this.words(chosen).join(' \u00B7 ');
	}

	// --- what people do ---

	choose(node) {
		this.chosen = node;
		this.draw();
		this.tell();
	}

	zoom(node) {
		this.zoomed = node;
		this.choose(node);
		this.changed();
	}

	search(match) {
		this.match = match;
		this.draw();
	}

	// The next or previous frame that matches becomes chosen, zoomed to where it is wide enough to see.
	nextMatch(step) {
		const found = [];

		if (this.match === null)
			return;
		for (const node of tree.order)
			if (node !== 0 && this.match[tree.frame[node]] && this.width[node] > 0)
				found.push(node);
		found.sort((a, b) => this.width[b] - this.width[a] || a - b);
		if (found.length === 0)
			return;
		const at = found.indexOf(this.chosen), node = found[((at < 0 && step < 0 ? 0 : at) + step + found.length) % found.length];
		let above = node;

		while (above !== 0 && this.width[node] / this.width[above] * this.canvas.clientWidth > 100)
			above = tree.parent[above];
		this.zoomed = this.width[node] / this.width[above] * this.canvas.clientWidth > 100 ? above : node;
		this.choose(node);
		this.changed();
	}

	step(key) {
		const up = this.flipped ? 'ArrowDown' : 'ArrowUp', down = this.flipped ? 'ArrowUp' : 'ArrowDown', at = this.chosen;

		if (key === up)
			return tree.parent[at];
		if (key === down)
			return this.children(at).sort((a, b) => this.width[b] - this.width[a])[0] ?? at;
		const row = this.levels[tree.depth[at]] ?? [], place = row.findIndex(frame => frame.node === at);
		return row[place + (key === 'ArrowLeft' ? -1 : 1)]?.node ?? at;
	}

	key(event) {
		if (event.key.startsWith('Arrow'))
			this.choose(this.step(event.key));
		else if (event.key === 'Enter' || event.key === ' ')
			this.zoom(this.chosen);
		else if (event.key === 'Backspace')
			this.zoom(tree.parent[this.zoomed]);
		else if (event.key === 'Home' || event.key === '0')
			this.zoom(0);
		else
			return;
		event.preventDefault();
		event.stopPropagation();
	}

	listen() {
		this.tree.addEventListener('keydown', event => this.key(event));
		this.canvas.addEventListener('click', event => {
			const frame = this.at(event.offsetX, event.offsetY);

			this.tree.focus({ preventScroll: true });
			if (frame !== undefined)
				this.zoom(frame.node);
		});
		this.canvas.addEventListener('mousemove', event => {
			const frame = this.at(event.offsetX, event.offsetY);

			showTip(event, frame === undefined ? [] : this.words(frame.node));
		});
		this.canvas.addEventListener('mouseleave', event => showTip(event, []));
	}

	frames() {
		const all = [];

		this.eachDrawn(({ node, x, w }, y) => all.push([x, y, w, node === 0 ? 'all' : names[tree.frame[node]]]));
		return all;
	}
}
