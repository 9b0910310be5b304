// SPDX-License-Identifier: MIT
// heat_view: time across in columns and down within each; windows are chosen in it. Positions are cells of the page.
'use strict';

const AXIS = 20, LEAST_WIDE = 3, MOST_WIDE = 140, OVERVIEW = 34;
const FRAME_MS = 8;		// of a frame, for decoding blocks
// [a cell in ms, how many a column has]
const SCALES = [[1, 50], [2, 50], [5, 40], [10, 50], [20, 50], [40, 50], [50, 40], [100, 50], [200, 50], [500, 60], [1000, 60],
	[2000, 60], [5000, 60], [10000, 60], [15000, 60], [30000, 60], [60000, 60], [300000, 72], [900000, 48], [3600000, 24],
	[14400000, 42], [86400000, 28], [604800000, 26]];

const TICKS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 108e5,
	216e5, 432e5, 864e5, 1728e5, 6048e5, 25920e5, 77760e5, 31536e6, 15768e7];

class HeatView {
	// what: {box, canvas, overview, chosen, moved}
	constructor(what) {
		Object.assign(this, what);
		this.context = this.canvas.getContext('2d');
		this.image = document.createElement('canvas');
		this.scales = SCALES.filter(([ms]) => ms >= CELL_MS && ms % CELL_MS === 0)
			.map(([ms, high]) => ({ wide: ms / CELL_MS, high }));
		this.begin = facts.first;
		this.end = facts.cells;
		this.cursor = facts.first;
		this.anchor = null;		// where a window was begun by key
		this.windows = [null, null];	// the chosen one, the baseline: [from, to)
		this.mask = this.matched = null;
		this.dark = false;
		this.waiting = false;
		this.chooseScale(this.usualScale());
		this.listen();
	}

	get across() {
		return this.canvas.clientWidth || 800;
	}

	// Cells of a column.
	get column() {
		return this.scale.wide * this.scale.high;
	}

	// The finest with which all is on the screen, but no finer than samples are apart.
	usualScale() {
		const used = totals.reduce((count, total) => count + (total > 0 ? 1 : 0), 0), most = this.across / LEAST_WIDE;
		const apart = used > 1 ? (this.end - this.begin) / used : 1;
		const fits = this.scales.findIndex(({ wide, high }) => (this.end - this.begin) / (wide * high) + 2 <= most &&
			wide * high >= 2 * Math.min(apart, (this.end - this.begin) / 20));

		return fits < 0 ? this.scales.length - 1 : fits;
	}

	chooseScale(number, about = this.cursor) {
		const place = this.scale === undefined ? 0 : (about - this.from) / this.column / Math.max(this.columnsShown, 1);

		this.scaleNumber = Math.min(Math.max(number, 0), this.scales.length - 1);
		this.scale = this.scales[this.scaleNumber];
		const first = Math.floor(this.begin / this.column), columns = Math.floor((this.end - 1) / this.column) - first + 1;
		this.pixels = Math.min(Math.max(this.across / columns, LEAST_WIDE), MOST_WIDE);
		this.columnsShown = Math.max(Math.floor(this.across / this.pixels + 1e-6), 1);
		this.rowPixels = Math.max(Math.min(Math.floor(260 / this.scale.high), 12), 3);
		this.from = first * this.column;
		if (columns > this.columnsShown)
			this.scrollTo(about - place * this.columnsShown * this.column);
		this.remember();
	}

	// Sums for the present scale and choice of rows start anew.
	remember() {
		this.sums = new CellSums(this.scale.wide, this.mask);
		this.shares = this.matched === null ? null
			: new CellSums(this.scale.wide, this.mask === null ? this.matched : this.matched.map((m, i) => m & this.mask[i]));
		this.refresh();
	}

	scrollTo(cell) {
		const first = Math.floor(this.begin / this.column), last = Math.floor((this.end - 1) / this.column) + 1 - this.columnsShown;

		this.from = Math.max(Math.min(Math.floor(cell / this.column), last), first) * this.column;
		this.refresh();
	}

	refresh() {
		if (this.waiting)
			return;
		this.waiting = true;
		requestAnimationFrame(() => {
			this.waiting = false;
			this.draw();
		});
	}

	// --- drawing ---

	draw() {
		const wide = this.across, high = this.scale.high * this.rowPixels, ratio = devicePixelRatio || 1, { context } = this;
		const count = this.columnsShown * this.scale.high, from = this.from / this.scale.wide, until = performance.now() + FRAME_MS;
		const cells = new Float64Array(count), parts = this.shares === null ? null : new Float64Array(count);
		let complete = this.sums.fill(from, cells, until);

		if (parts !== null)
			complete = this.shares.fill(from, parts, until) && complete;
		this.canvas.style.height = `${high + AXIS}px`;
		this.canvas.width = Math.round(wide * ratio);
		this.canvas.height = Math.round((high + AXIS) * ratio);
		context.scale(ratio, ratio);
		this.paint(cells, parts);
		context.imageSmoothingEnabled = false;
		context.drawImage(this.image, 0, AXIS, this.columnsShown * this.pixels, high);
		this.drawAxis(wide);
		this.windows.forEach((window, i) => { if (window !== null) this.outline(window, i === 1); });
		if (this.anchor !== null)
			this.outline([Math.min(this.anchor, this.cursor), Math.max(this.anchor, this.cursor) + this.scale.wide], false);
		this.outlineCursor();
		this.drawOverview();
		this.moved(complete);
		if (this.sums.late || this.shares?.late)
			this.refresh();
	}

	// One pixel a cell; from the first to the ninety-ninth percentile, so that a steady day is not one colour.
	paint(cells, parts) {
		const { high } = this.scale, wide = this.columnsShown, used = cells.filter(cell => cell > 0).sort();
		const low = used[Math.floor(used.length * 0.01)] ?? 0, top = used[Math.ceil(used.length * 0.99) - 1] ?? 1;
		const words = new Uint32Array(wide * high), ramp = Array.from({ length: 256 }, (_, i) => heatWord(i / 255, this.dark));

		for (let i = 0; i < cells.length; i++) {
			if (cells[i] <= 0)
				continue;
			const share = parts !== null ? parts[i] / cells[i] : top > low ? (cells[i] - low) / (top - low) : 0.5;
			words[i % high * wide + Math.floor(i / high)] = parts !== null && parts[i] <= 0 ? (this.dark ? 0xFF4A4A4A : 0xFFE6E6E6)
				: ramp[Math.round(Math.min(Math.max(share, 0), 1) * 255)];
		}
		this.scaleText = parts !== null ? 'colour: share of samples that match, 0 to 100\u2009%'
			: `colour: ${withSpaces(low * facts.each)} to ${withSpaces(top * facts.each)} ${facts.unit} a cell`;
		this.image.width = wide;
		this.image.height = high;
		this.image.getContext('2d').putImageData(new ImageData(new Uint8ClampedArray(words.buffer), wide, high), 0, 0);
	}

	drawAxis(wide) {
		const columnMs = this.column * CELL_MS, least = 92 / this.pixels * columnMs, { context } = this;
		const step = TICKS_MS.find(ms => ms >= least) ?? TICKS_MS[TICKS_MS.length - 1], style = getComputedStyle(this.canvas);
		const begin = msOf(this.from);
		let day = '';

		context.fillStyle = style.getPropertyValue('--text');
		context.font = '12px system-ui, sans-serif';
		context.textBaseline = 'middle';
		for (let ms = Math.ceil(begin / step) * step; ; ms += step) {
			const x = (ms - begin) / columnMs * this.pixels;

			if (x > wide - 60 || ms > msOf(this.end) + columnMs)
				break;
			const date = facts.monotonic ? '' : civil(ms).date;
			const text = step >= 864e5 && date !== '' ? date : date !== day && day !== '' ? date.slice(5) : clockText(ms).replace(/(:\d\d):00$/, '$1');
			context.fillRect(Math.floor(x), AXIS - 4, 1, 4);
			context.fillText(text, x + 3, AXIS / 2);
			day = date;
		}
	}

	place(cell) {
		return [Math.floor((cell - this.from) / this.column) * this.pixels,
			AXIS + Math.floor(((cell - this.from) % this.column + this.column) % this.column / this.scale.wide) * this.rowPixels];
	}

	// Around the cells from..to - 1: columns are whole but for the first and the last.
	outline([from, to], dashed) {
		const [x, y] = this.place(from), [lastX, lastY] = this.place(to - 1), { context, pixels } = this;
		const top = AXIS, bottom = AXIS + this.scale.high * this.rowPixels, under = lastY + this.rowPixels;
		const style = getComputedStyle(this.canvas);
		const corners = lastX <= x ? [[x, y], [x + pixels, y], [x + pixels, under], [x, under]]
			: [[x, y], [x + pixels, y], [x + pixels, top], [lastX + pixels, top], [lastX + pixels, under], [lastX, under],
				[lastX, bottom], [x, bottom]];

		context.beginPath();
		corners.forEach(([cx, cy]) => context.lineTo(cx, cy));
		context.closePath();
		context.lineJoin = 'round';
		context.lineWidth = 4;
		context.strokeStyle = style.getPropertyValue('--back');
		context.stroke();
		context.lineWidth = 2;
		context.setLineDash(dashed ? [5, 4] : []);
		context.strokeStyle = style.getPropertyValue('--text');
		context.stroke();
		context.setLineDash([]);
	}

	outlineCursor() {
		const [x, y] = this.place(this.cursor);

		if (document.activeElement !== this.box)
			return;
		this.context.lineWidth = 2;
		this.context.strokeStyle = getComputedStyle(this.canvas).getPropertyValue('--focus');
		this.context.strokeRect(x - 1, y - 1, this.pixels + 2, this.rowPixels + 2);
	}

	// All of the recording as one line of bars, and what of it is on the screen.
	drawOverview() {
		const wide = this.overview.clientWidth || 800, ratio = devicePixelRatio || 1, context = this.overview.getContext('2d');
		const style = getComputedStyle(this.canvas), bars = new Float64Array(wide), span = this.end - this.begin;

		this.overview.width = Math.round(wide * ratio);
		this.overview.height = Math.round(OVERVIEW * ratio);
		context.scale(ratio, ratio);
		totals.forEach((total, i) => {
			const bar = Math.floor((i * facts.totals[0] - this.begin) / span * wide);

			if (total > 0 && bar >= -1 && bar < wide)
				bars[Math.max(bar, 0)] += total;
		});
		const most = bars.reduce((a, b) => Math.max(a, b), 1);
		context.fillStyle = style.getPropertyValue('--line');
		bars.forEach((bar, i) => { if (bar > 0) context.fillRect(i, OVERVIEW - 2 - bar / most * 28, 1, bar / most * 28 + 2); });
		const x = (this.from - this.begin) / span * wide, w = this.columnsShown * this.column / span * wide;
		if (w < wide - 1) {
			context.lineWidth = 2;
			context.strokeStyle = style.getPropertyValue('--focus');
			context.strokeRect(Math.max(x, 0) + 1, 1, Math.max(Math.min(w, wide) - 2, 3), OVERVIEW - 2);
		}
	}

	// --- what people do ---

	cellAt(x, y) {
		const row = Math.min(Math.max(Math.floor((y - AXIS) / this.rowPixels), 0), this.scale.high - 1);
		const column = Math.min(Math.max(Math.floor(x / this.pixels), 0), this.columnsShown - 1);

		return this.from + column * this.column + row * this.scale.wide;
	}

	setWindow(number, window) {
		this.windows[number] = window;
		this.refresh();
	}

	// From one cell of the map to another, both included.
	span(a, b) {
		const from = Math.max(Math.min(a, b), 0), to = Math.min(Math.max(a, b) + this.scale.wide, facts.cells);

		return [Math.min(from, facts.cells - 1), Math.max(to, from + 1)];
	}

	moveCursor(by) {
		this.cursor = Math.min(Math.max(this.cursor + by, this.begin - this.begin % this.scale.wide), this.end - 1);
		const column = Math.floor((this.cursor - this.from) / this.column);
		if (column < 0 || column >= this.columnsShown)
			this.scrollTo(this.cursor - (column < 0 ? 0.25 : 0.75) * this.columnsShown * this.column);
		this.refresh();
	}

	// The cursor begins a window, and ends it.
	mark(number) {
		if (this.anchor === null) {
			this.anchor = this.cursor;
			this.refresh();
			return;
		}
		const window = this.span(this.anchor, this.cursor);
		this.anchor = null;
		this.chosen(number, window, true);
	}

	key(event) {
		const { wide, high } = this.scale;
		const steps = { ArrowUp: -wide, ArrowDown: wide, ArrowLeft: -wide * high, ArrowRight: wide * high,
			PageUp: -this.columnsShown * this.column, PageDown: this.columnsShown * this.column };

		if (event.key in steps)
			this.moveCursor(steps[event.key]);
		else if (event.key === 'Enter' || event.key === ' ')
			this.mark(event.shiftKey ? 1 : 0);
		else if (event.key === 'Escape' && this.anchor !== null)
			this.anchor = null;
		else if (event.key === 'End')
			this.moveCursor(this.end);
		else
			return false;
		this.refresh();
		return true;
	}

	listen() {
		let drag = null;

		this.canvas.addEventListener('pointerdown', event => {
			const cell = this.cellAt(event.offsetX, event.offsetY);

			if (event.button !== 0)
				return;
			this.box.focus({ preventScroll: true });
			this.canvas.setPointerCapture(event.pointerId);
			drag = { cell, number: event.shiftKey ? 1 : 0 };
			this.cursor = cell;
			this.chosen(drag.number, this.span(cell, cell), false);
		});
		this.canvas.addEventListener('pointermove', event => {
			const cell = this.cellAt(event.offsetX, event.offsetY);

			if (drag === null) {
				this.canvas.title = `${windowText(...this.span(cell, cell))}`;
				return;
			}
			if (cell === this.cursor)
				return;
			this.cursor = cell;
			this.chosen(drag.number, this.span(drag.cell, cell), false);
		});
		this.canvas.addEventListener('pointerup', () => {
			if (drag !== null)
				this.chosen(drag.number, this.span(drag.cell, this.cursor), true);
			drag = null;
		});
		this.canvas.addEventListener('wheel', event => {
			const by = Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : event.shiftKey ? event.deltaY : 0;

			if (by === 0)
				return;
			event.preventDefault();
			this.rest = (this.rest ?? 0) + by / this.pixels;
			this.scrollTo(this.from + Math.trunc(this.rest) * this.column);
			this.rest -= Math.trunc(this.rest);
		}, { passive: false });
		const pan = event => {
			const at = event.offsetX / this.overview.clientWidth * (this.end - this.begin) + this.begin;

			if (event.buttons === 1)
				this.scrollTo(at - this.columnsShown * this.column / 2);
		};
		this.overview.addEventListener('pointerdown', pan);
		this.overview.addEventListener('pointermove', pan);
		this.box.addEventListener('focus', () => this.refresh());
		this.box.addEventListener('blur', () => this.refresh());
	}
}
