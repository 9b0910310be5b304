// SPDX-License-Identifier: MIT
// threads_view: draws pools, threads and locks over time. Only the lines that can be seen are drawn.
'use strict';

const HEIGHTS = { process: 22, pool: 28, thread: 16, lock: 36, more: 18 }, FINDING_PIXELS = 15, TIMES_PIXELS = 20;
const FINDINGS_DRAWN = 9, LABEL_PIXELS = 230, LETTER_PIXELS = 14;
const STEPS_MS = [1, 10, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 3e4, 6e4, 12e4, 3e5, 6e5, 12e5, 18e5, 36e5, 72e5, 108e5, 216e5, 432e5, 864e5, 1728e5,
	6048e5, 2592e6, 31536e6];
const [WARNING_FILL, CRITICAL_FILL] = facts.alarms, WAIT_FILL = facts.looks[BLOCKED][1], DARK_IDLE_FILL = '#2C313A';

document.documentElement.style.setProperty('--critical', CRITICAL_FILL);
document.documentElement.style.setProperty('--warning', WARNING_FILL);

class ThreadsPicture {
	constructor({ times, lines, chart, room }) {
		Object.assign(this, { times, lines, chart, room, items: [], tops: [], from: 0, to: Math.max(facts.length, 1), item: 0, time: 0 });
		chart.addEventListener('scroll', () => this.later());
	}

	later() {
		this.pending ??= requestAnimationFrame(() => { this.pending = undefined; this.draw(); });
	}

	show(items) {
		this.items = items;
		this.tops = [];
		let top = 0;

		for (const item of items) {
			this.tops.push(top);
			top += HEIGHTS[item.kind === 'pool' && item.rows.length === 1 ? 'thread' : item.kind];
		}
		this.height = top;
		this.item = Math.min(this.item, Math.max(items.length - 1, 0));
		this.draw();
	}

	// --- places ---

	get label() { return Math.min(LABEL_PIXELS, this.width * 0.3); }
	x(ms) { return this.label + (ms - this.from) / (this.to - this.from) * (this.width - this.label); }
	timeAt(x) { return this.from + (x - this.label) / (this.width - this.label) * (this.to - this.from); }
	bottom(i) { return i + 1 < this.tops.length ? this.tops[i + 1] : this.height; }

	itemAt(y) {
		const at = y + this.chart.scrollTop;
		const found = this.tops.findLastIndex(top => top <= at);

		return found >= 0 && at < this.height ? found : -1;
	}

	scrollTo(i) {
		if (this.tops[i] < this.chart.scrollTop)
			this.chart.scrollTop = this.tops[i];
		else if (this.bottom(i) > this.chart.scrollTop + this.chart.clientHeight)
			this.chart.scrollTop = this.bottom(i) - this.chart.clientHeight;
	}

	// --- drawing ---

	size(canvas, width, height) {
		const scale = devicePixelRatio || 1, context = canvas.getContext('2d');

		canvas.width = Math.round(width * scale);
		canvas.height = Math.round(height * scale);
		canvas.style.width = `${width}px`;
		canvas.style.height = `${height}px`;
		context.scale(scale, scale);
		context.clearRect(0, 0, width, height);
		context.textBaseline = 'middle';
		context.font = '12px system-ui, sans-serif';
		this.letter ??= context.measureText('abcdefghijklmnopqrstuvwxyz.ABC:<>()_0189').width / 40;
		return context;
	}

	draw() {
		const style = getComputedStyle(document.documentElement), printed = matchMedia('print').matches;

		this.colours = { text: printed ? '#000' : style.getPropertyValue('--text'), line: style.getPropertyValue('--line'),
			second: style.getPropertyValue('--second'), back: style.getPropertyValue('--back') };
		this.width = this.chart.clientWidth;
		this.chart.style.maxHeight = this.whole ? 'none' : `${Math.max(this.height + 2, 60)}px`;
		const seen = this.whole ? Math.min(this.height, 8000) : Math.min(this.chart.clientHeight, this.height);
		this.room.style.height = `${Math.max(this.height - seen, 0)}px`;
		this.drawTimes();
		const context = this.size(this.lines, this.width, Math.max(seen, 1)), top = this.whole ? 0 : this.chart.scrollTop;

		for (let i = 0; i < this.items.length; i++)
			if (this.bottom(i) > top && this.tops[i] < top + seen)
				this.drawItem(context, i, this.tops[i] - top, this.bottom(i) - this.tops[i]);
		this.drawCursor(context, top, seen);
	}

	text(context, text, x, y, room, colour) {
		const most = Math.floor(room / this.letter);

		if (most < 2)
			return;
		context.fillStyle = colour;
		context.fillText(shortened(visible(text), most), x, y, room);
	}

	drawTimes() {
		const drawn = facts.findings.filter(finding => finding.severity !== 'info').slice(0, FINDINGS_DRAWN);
		const context = this.size(this.times, this.width, TIMES_PIXELS + drawn.length * FINDING_PIXELS);
		const step = STEPS_MS.find(ms => (this.to - this.from) / ms * 110 < this.width - this.label) ?? STEPS_MS.at(-1);

		for (let ms = Math.ceil((T0_MS + this.from) / step) * step - T0_MS; ms < this.to; ms += step) {
			context.fillStyle = this.colours.line;
			context.fillRect(this.x(ms), 4, 1, TIMES_PIXELS - 4);
			const text = step >= 864e5 ? civil(T0_MS + ms).date : clockText(T0_MS + ms);

			if (this.x(ms) + 4 + context.measureText(text).width <= this.width)
				this.text(context, text, this.x(ms) + 4, 11, this.width, this.colours.second);
		}
		drawn.forEach((finding, i) => this.drawFinding(context, finding, i, TIMES_PIXELS + i * FINDING_PIXELS));
	}

	drawFinding(context, finding, i, y) {
		this.text(context, `${i + 1} ${finding.count > 1 ? `x${finding.count} ` : ''}${finding.rule}: ${finding.subject}`, 2, y + 7, this.label - 6, this.colours.text);
		[finding, ...finding.more].forEach(({ span }, k) => this.drawSpan(context, finding, span, y, k === 0));
	}

	drawSpan(context, finding, span, y, worst) {
		const from = Math.max(this.x(span[0] - T0_MS), this.label), to = Math.min(this.x(span[1] - T0_MS), this.width);

		if (to < this.label || from > this.width)
			return;
		context.fillStyle = finding.severity === 'critical' ? CRITICAL_FILL : WARNING_FILL;
		context.fillRect(from, y + 1, Math.max(to - from, 3), FINDING_PIXELS - 3);
		if (worst && to - from > 90) {
			const text = visible(finding.summary), most = Math.floor((to - from - 8) / this.letter);

			context.fillStyle = '#000';
			context.fillText(text.length <= most ? text : `${text.slice(0, most - 1)}\u2026`, from + 4, y + 7, to - from - 8);
		}
	}

	drawItem(context, i, y, high) {
		const item = this.items[i], indent = item.kind === 'thread' && item.indented ? 18 : 4;
		const colour = item.kind === 'process' || item.kind === 'more' ? this.colours.second : this.colours.text;

		this.text(context, item.text, indent, y + high / 2, (item.kind === 'process' || item.kind === 'more' ? this.width : this.label) - indent - 4, colour);
		if (item.kind === 'pool' && item.rows.length > 1)
			this.drawPool(context, item, y + 1, high - 3);
		else if (item.kind === 'pool' || item.kind === 'thread')
			this.drawThread(context, item.rows, y + 1, high - 3);
		else if (item.kind === 'lock')
			this.drawLock(context, item.lock, y + 1, high - 3);
	}

	// What waits for work keeps in the background, also of a dark page.
	fill(look) { return look % 2 !== 0 && isDark() && !matchMedia('print').matches ? DARK_IDLE_FILL : facts.looks[look][1]; }

	count() { return Math.max(Math.floor(this.width - this.label), 1); }

	drawThread(context, list, y, high) {
		const count = this.count(), parts = partsOf(list, this.from, this.to, count);

		for (let i = 0; i < count;) {
			const look = lookOf(parts, i), first = i;

			while (i < count && lookOf(parts, i) === look)
				i++;
			if (look < 0)
				continue;
			context.fillStyle = this.fill(look);
			context.fillRect(this.label + first, y, i - first, high);
			if (look % 2 === 0 && i - first >= LETTER_PIXELS) {
				context.fillStyle = '#000';
				context.fillText(facts.looks[look][0], this.label + first + 3, y + high / 2 + 0.5);
			}
		}
	}

	drawPool(context, item, y, high) {
		const count = this.count(), parts = partsOf(item.rows, this.from, this.to, count);
		const fills = new Map();

		for (let i = 0; i < count; i++) {
			let all = 0, used = 0, below = 0;

			for (let look = 0; look < LOOKS; look++)
				all += parts[i * LOOKS + look];
			if (all < 1e-9)
				continue;
			for (const look of facts.urgent) {
				below += parts[i * LOOKS + look];
				const until = Math.round(below / all * high);

				if (until > used) {
					if (!fills.has(look))
						fills.set(look, new Path2D());
					fills.get(look).rect(this.label + i, y + high - until, 1.02, until - used);
				}
				used = until;
			}
		}
		for (const [look, path] of fills) {
			context.fillStyle = this.fill(look);
			context.fill(path);
		}
	}

	drawLock(context, lock, y, high) {
		const count = this.count(), waiters = waitersOf(lock, this.from, this.to, count);
		const ring = lock.waits.some(wait => wait.ring);

		const height = waiting => Math.max(Math.round(waiting / lock.most * high), 2);

		context.fillStyle = ring ? CRITICAL_FILL : WAIT_FILL;
		for (let i = 0; i < count; i++)
			if (waiters[i] > 0)
				context.fillRect(this.label + i, y + high - height(waiters[i]), 1.02, height(waiters[i]));
		for (let i = 0; i < count;) {
			const first = i;

			while (i < count && waiters[i] === waiters[first])
				i++;
			if (waiters[first] === 0 || i - first < 8 * String(waiters[first]).length + 4)
				continue;
			const inside = height(waiters[first]) >= 16;	// else above the bar, where the page is dark or light

			context.fillStyle = inside ? '#000' : this.colours.text;
			context.fillText(String(waiters[first]), this.label + first + 3, y + high - (inside ? 8 : height(waiters[first]) + 7));
		}
	}

	drawCursor(context, top, seen) {
		const i = this.item, x = this.x(this.time);

		if (this.items.length === 0)
			return;
		context.strokeStyle = this.colours.text;
		context.lineWidth = 2;
		context.strokeRect(1, this.tops[i] - top, this.width - 2, this.bottom(i) - this.tops[i] - 1);
		if (x < this.label || x > this.width)
			return;
		context.fillStyle = this.colours.back;
		context.fillRect(x - 1.5, 0, 3, seen);
		context.fillStyle = this.colours.text;
		context.fillRect(x - 0.5, 0, 1, seen);
	}
}
