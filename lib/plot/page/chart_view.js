// SPDX-License-Identifier: MIT
// chart_view: panels drawn as SVG, at most one point for a pixel, with the moment and the window that are chosen.
'use strict';

const LEFT = 60, FOOT = 18, LARGE = 250, SMALL = 110, LANE = 14, HATCHED = 8;

function draw(tag, attributes = {}, text = '') {
	const made = document.createElementNS('http://www.w3.org/2000/svg', tag);

	for (const [name, value] of Object.entries(attributes))
		made.setAttribute(name, value);
	if (text !== '')
		made.textContent = text;
	return made;
}

if (facts.curves !== undefined)
	['--measured', '--expected', '--found', '--band'].forEach((name, i) => document.documentElement.style.setProperty(name, facts.curves[i] ?? facts.curves[1]));

const fillOf = colour => colour < GROUP_FILLS.length ? GROUP_FILLS[colour] : OTHER_FILL;
const isHatched = colour => colour >= HATCHED && colour < GROUP_FILLS.length;
const rounded = value => Math.round(value * 10) / 10;

// Colours beyond the first eight have lines at one of three angles, too.
function hatches() {
	const defs = draw('defs');

	[45, -45, 0].forEach((angle, i) => {
		const pattern = draw('pattern', { id: `hatch${i}`, width: 6, height: 6, patternUnits: 'userSpaceOnUse',
			patternTransform: `rotate(${angle})` });

		pattern.append(draw('path', { d: 'M0 0V6', stroke: '#000', 'stroke-opacity': 0.45 }));
		defs.append(pattern);
	});
	return defs;
}

// What is drawn of a panel: the chart's state, the size, and how columns become pixels.
class Plot {
	constructor(view, panel, wide, high) {
		// a small picture does not go on to when a limit is reached
		const [from, to] = high === SMALL && view.shown[1] === COLUMNS ? [view.shown[0], FORESEEN] : view.shown;

		Object.assign(this, { view, panel, high, from, to, wide: Math.max(wide - LEFT, 20) });
		this.each = Math.max(1, Math.ceil((to - from) / this.wide));
		this.bins = Math.ceil((to - from) / this.each);
		this.top = topOf(panel, view.hidden, [from, to]);
	}

	x(column) {
		return rounded(LEFT + Math.min(Math.max((column - this.from) / (this.to - this.from), 0), 1) * this.wide);
	}

	y(value) {
		return rounded(8 + this.high - Math.min(Math.max(value / this.top, 0), 1) * this.high);
	}

	value(at, bin) {
		const from = this.from + bin * this.each;

		return meanOf(at, from, Math.min(from + this.each, this.to));
	}

	columnOf(x) {
		return Math.min(Math.max(Math.floor(this.from + (x - LEFT) / this.wide * (this.to - this.from)), this.from), this.to - 1);
	}

	curve(at) {
		let path = '', drawn = false;

		for (let b = 0; b < this.bins; b++) {
			const value = this.value(at, b), alone = !drawn && (b + 1 === this.bins || this.value(at, b + 1) === null);

			if (value !== null)
				path += `${drawn ? 'L' : 'M'}${this.x(this.from + (alone ? b : b + 0.5) * this.each)} ${this.y(value)}${alone ? `h${Math.max(this.wide / this.bins, 1)}` : ''}`;
			drawn = value !== null;
		}
		return path;
	}

	band() {
		const { low, high } = this.panel;
		let path = '', back = '', drawn = false;

		for (let b = 0; b < this.bins; b++) {
			const a = this.value(low, b), z = this.value(high, b), x = this.x(this.from + (b + 0.5) * this.each);

			if (a === null || z === null) {
				path += drawn ? `${back}Z` : '';
				back = '';
				drawn = false;
				continue;
			}
			path += `${drawn ? 'L' : 'M'}${x} ${this.y(z)}`;
			back = `L${x} ${this.y(a)}${back}`;
			drawn = true;
		}
		return path + (drawn ? `${back}Z` : '');
	}

	// [path of each line that is not hidden], one on top of the other
	areas() {
		const below = new Float64Array(this.bins);

		return this.panel.lines.filter(line => !this.view.hidden.has(line.name)).map(line => {
			let path = '';

			for (let b = 0; b < this.bins; b++) {
				const value = this.value(line.at, b) ?? 0, x = this.x(this.from + b * this.each);

				if (value <= 0)
					continue;
				path += `M${x} ${this.y(below[b])}V${this.y(below[b] + value)}H${this.x(this.from + (b + 1) * this.each)}V${this.y(below[b])}z`;
				below[b] += value;
			}
			return [line, path];
		});
	}
}

class ChartView {
	// what: {box, cursor, place, moved, chose}
	constructor(what) {
		Object.assign(this, what);
		this.shown = [0, COLUMNS];
		this.hidden = new Set();
		this.window = null;		// [from, to] of columns
		this.at = Math.max(SEEN - 1, 0);
		this.anchor = null;
		this.first = 0;			// the panel that is large
		this.plots = [];
		this.listen();
	}

	// --- drawing ---

	order() {
		return [this.first, ...panels.keys()].filter((panel, i) => i === 0 || panel !== this.first);
	}

	refresh() {
		this.plots = [];
		this.box.replaceChildren(...this.order().map((number, i) => this.section(panels[number], number, i === 0)));
		this.order().forEach((number, i) => this.fillSection(this.box.children[i], panels[number]));
		this.tell();
	}

	section(panel, number, large) {
		const isLarge = large || (isStacked(panel) && !panel.part) || panel.rows.length > 0;
		const section = make('section', '', { class: isLarge ? 'panel large' : 'panel' }), head = make('h2', '');

		if (large)
			head.append(make('bdi', shortened(visible(panel.name), 120)));
		else
			head.append(nameButton(panel.name, 60, () => { this.first = number; this.refresh(); this.moved(); this.box.querySelector('h2').scrollIntoView({ block: 'nearest' }); }));
		const words = make('p', [panel.say, panel.limitSay].filter(text => text !== '').map(visible).join('; '), { class: 'faint' });
		section.append(head, words);
		return section;
	}

	fillSection(section, panel) {
		if (panel.rows.length > 0) {
			section.append(this.treeOf(panel, section.clientWidth));
			return;
		}
		const wide = Math.max(section.clientWidth, 200), high = section.classList.contains('large') ? LARGE : SMALL;
		const whole = high + 8 + FOOT + panel.lanes.length * LANE;
		const plot = new Plot(this, panel, wide, high), svg = draw('svg', { role: 'img', viewBox: `0 0 ${wide} ${whole}`, height: whole,
			'aria-label': `${shortened(visible(panel.name), 200)}: ${panel.say}` });

		svg.append(hatches());
		this.drawAxes(svg, plot);
		if (isStacked(panel))
			this.drawAreas(svg, plot);
		else
			this.drawCurves(svg, plot);
		this.drawFound(svg, plot);
		this.drawLanes(svg, plot);
		plot.chosen = draw('rect', { class: 'chosen', y: 8, height: high, visibility: 'hidden' });
		plot.line = draw('path', { class: 'at' });
		svg.append(plot.chosen, plot.line);
		this.listenTo(svg, plot);
		section.append(svg);
		this.plots.push(plot);
	}

	drawAxes(svg, plot) {
		const { panel, high } = plot, bottom = 8 + high;

		if (SEEN < plot.to) {
			const x = plot.x(Math.max(SEEN, plot.from));

			svg.append(draw('rect', { class: 'coming', x, y: 8, width: LEFT + plot.wide - x, height: high }));
		}
		for (const part of [0, 0.5, 1]) {
			const y = plot.y(plot.top * part);

			svg.append(draw('path', { class: 'grid', d: `M${LEFT} ${y}h${plot.wide}` }),
				draw('text', { x: LEFT - 5, y: y + 4, 'text-anchor': 'end' }, numberText(plot.top * part, panel.unit)));
		}
		if (panel.unit !== '')
			svg.append(draw('text', { x: LEFT - 5, y: 26, 'text-anchor': 'end' }, panel.unit));		// no curve comes there
		for (const [column, text] of ticksOf([plot.from, plot.to], Math.max(2, Math.floor(plot.wide / 70)))) {
			const x = plot.x(column);

			svg.append(draw('path', { class: 'grid', d: `M${x} 8v${high + 4}` }));
			svg.append(draw('text', { x, y: bottom + 15, 'text-anchor': x > LEFT + plot.wide - 20 ? 'end' : 'middle' }, text));
		}
	}

	drawCurves(svg, plot) {
		const { panel } = plot;

		if (panel.low !== undefined)
			svg.append(draw('path', { class: 'band', d: plot.band() }));
		for (const line of panel.lines)
			svg.append(draw('path', { class: line.role, d: plot.curve(line.at) }));
		if (panel.limit !== null && panel.limit <= plot.top)
			svg.append(draw('path', { class: 'limit', d: `M${LEFT} ${plot.y(panel.limit)}h${plot.wide}` }));
		const [reached, earliest, latest] = panel.reached.map(ms => ms === null ? null : columnAt(ms));
		if (reached === null || reached < plot.from || reached >= plot.to)
			return;
		const x = plot.x(reached), left = plot.x(earliest ?? reached), right = plot.x(latest ?? COLUMNS), late = x > LEFT + plot.wide / 2;
		svg.append(draw('rect', { class: 'during', x: left, y: 8, width: Math.max(right - left, 1), height: plot.high }),
			draw('path', { class: 'limit', 'stroke-dasharray': '6 3', d: `M${plot.x(SEEN)} ${plot.y(panel.now)}L${x} ${plot.y(panel.limit)}` }),
			draw('path', { class: 'limit', d: `M${x} 8v${plot.high}` }),
			draw('text', { x: late ? x - 4 : x + 4, y: 20, 'text-anchor': late ? 'end' : 'start' }, shortMoment(AXIS_T0 + panel.reached[0])));
	}

	drawAreas(svg, plot) {
		for (const [line, path] of plot.areas()) {
			svg.append(draw('path', { fill: fillOf(line.colour), d: path }));
			if (isHatched(line.colour))
				svg.append(draw('path', { fill: `url(#hatch${(line.colour - HATCHED) % 3})`, d: path }));
		}
	}

	drawFound(svg, plot) {
		for (const mark of plot.panel.marks) {
			const from = columnAt(mark.from), until = columnAt(mark.until), x = plot.x(from);

			if (until < plot.from || from >= plot.to)
				continue;
			svg.append(draw('rect', { class: 'during', x, y: 8, width: Math.max(plot.x(until) - x, 1), height: plot.high }),
				draw('path', { class: 'found', d: `M${x - 5} 2h10l-5 8z` }));
		}
	}

	drawLanes(svg, plot) {
		const top = 8 + plot.high + FOOT;

		plot.panel.lanes.forEach((name, lane) => svg.append(draw('text', { x: LEFT - 5, y: top + lane * LANE + 10, 'text-anchor': 'end' },
			shortened(visible(name), 8))));
		for (const span of plot.panel.spans) {
			const from = columnAt(span.from), to = columnAt(span.to), x = plot.x(from);

			if (to >= plot.from && from < plot.to)
				svg.append(draw('rect', { class: 'bar', x, y: top + span.lane * LANE + 2, width: Math.max(plot.x(to) - x, 1), height: LANE - 4 }));
		}
	}

	// --- a tree of rows ---

	treeOf(panel, wide) {
		const table = make('table', '', { class: 'tree' }), head = make('tr', ''), strip = Math.max(wide * 0.45, 120), body = make('tbody', '');
		const plot = new Plot(this, panel, strip + LEFT, 16);

		for (const text of ['all', 'own', 'last dump'])
			head.append(make('th', text, { scope: 'col', class: 'number' }));
		const axis = make('th', '', { scope: 'col', class: 'strip' }), times = draw('svg', { viewBox: `0 0 ${strip} 18`, 'aria-hidden': 'true' });

		ticksOf(this.shown, Math.max(2, Math.floor(strip / 80))).forEach(([column, text]) => {
			const x = plot.x(column) - LEFT;

			times.append(draw('path', { class: 'grid', d: `M${x} 13v5` }), draw('text', { x, y: 11, 'text-anchor': x < 20 ? 'start' : x > strip - 20 ? 'end' : 'middle' }, text));
		});
		axis.append(make('span', 'threads per dump over time', { class: 'unseen' }), times);
		head.append(make('th', 'frames, root first', { scope: 'col' }), axis);
		panel.rows.forEach(row => body.append(this.treeRow(row, plot, strip)));
		const thead = make('thead', '');
		thead.append(head);
		table.append(thead, body);
		return table;
	}

	treeRow(row, plot, strip) {
		const line = make('tr', ''), name = make('th', '', { scope: 'row' }), cell = make('td', '', { class: 'strip' });
		const most = row.at.reduce((a, b) => Math.max(a, b ?? 0), 0), svg = draw('svg', { role: 'img', viewBox: `0 0 ${strip} 18`, preserveAspectRatio: 'none',
			'aria-label': `at most ${numberText(most, '')}, on average ${numberText(meanOf(row.at, 0, COLUMNS), '')}` });
		let path = '';

		for (let b = 0; b < plot.bins; b++) {
			const value = plot.value(row.at, b) ?? 0, x = plot.x(plot.from + b * plot.each) - LEFT;

			if (value > 0)
				path += `M${rounded(x)} 17v${-rounded(Math.max(15 * value / most, 1))}h${rounded(plot.wide / plot.bins)}V17z`;
		}
		svg.append(draw('path', { class: 'bar', d: path }));
		if (row.since !== null)
			svg.append(draw('path', { class: 'found', d: `M${plot.x(columnAt(row.since)) - LEFT} 0h2v18h-2z` }));
		cell.append(svg);
		[row.total, row.own, row.now].forEach(count => line.append(make('td', withSpaces(count), { class: 'number' })));
		name.style.paddingLeft = `${6 + Math.min(row.depth, 40) * 10}px`;
		name.append(make('bdi', shortened(visible(row.name), 90) || '\u27E8empty\u27E9'));
		name.title = `${shortened(visible(row.frames), 1000)}${row.since === null ? '' : `\nsplit off at ${shortMoment(AXIS_T0 + row.since)}`}`;
		line.append(name, cell);
		return line;
	}

	// --- the moment, and the window ---

	tell() {
		const [from, to] = this.window ?? [this.at, this.at + 1];

		for (const plot of this.plots) {
			plot.chosen.setAttribute('visibility', this.window === null ? 'hidden' : 'visible');
			plot.chosen.setAttribute('x', plot.x(from));
			plot.chosen.setAttribute('width', Math.max(plot.x(to) - plot.x(from), 1));
			plot.line.setAttribute('d', `M${plot.x(this.at + 0.5)} 8v${plot.high}`);
		}
		this.place.style.left = `min(${100 * from / COLUMNS}%, calc(100% - 3px))`;
		this.place.style.width = `${100 * (to - from) / COLUMNS}%`;
		this.cursor.setAttribute('aria-valuemax', COLUMNS - 1);
		this.cursor.setAttribute('aria-valuenow', this.at);
		this.cursor.setAttribute('aria-valuetext', shortMoment(columnMs(this.at)));
	}

	moveTo(column) {
		this.at = Math.min(Math.max(column, 0), COLUMNS - 1);
		if (this.anchor !== null)
			this.window = [Math.min(this.anchor, this.at), Math.max(this.anchor, this.at) + 1];
		this.tell();
		this.moved();
	}

	setWindow(window) {
		this.window = window;
		this.anchor = null;
		this.tell();
		this.chose();
	}

	key(event) {
		const page = Math.max(1, Math.round((this.shown[1] - this.shown[0]) / 10));
		const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -page, PageUp: page };

		if (event.key in steps) {
			this.moveTo(this.at + steps[event.key]);
		} else if (event.key === 'Home' || event.key === 'End') {
			this.moveTo(event.key === 'Home' ? 0 : COLUMNS - 1);
		} else if (event.key === 'Enter' || event.key === ' ') {
			if (this.anchor === null) {
				this.anchor = this.at;
				this.moveTo(this.at);
			} else {
				this.setWindow(this.window);
			}
		} else {
			return false;
		}
		return true;
	}

	listenTo(svg, plot) {
		let begin = null;
		const columnOf = event => plot.columnOf(event.offsetX * (plot.wide + LEFT) / Math.max(svg.clientWidth, 1));

		svg.addEventListener('pointerdown', event => {
			begin = columnOf(event);
			svg.setPointerCapture(event.pointerId);
			this.cursor.focus({ preventScroll: true });
		});
		svg.addEventListener('pointermove', event => {
			const at = columnOf(event);

			if (begin !== null && at !== begin)
				this.window = [Math.min(begin, at), Math.max(begin, at) + 1];
			this.anchor = null;
			this.moveTo(at);
			showTip(event, this.lines(plot.panel, at));
		});
		svg.addEventListener('pointerup', event => {
			this.setWindow(begin === columnOf(event) ? null : this.window);
			begin = null;
		});
		svg.addEventListener('pointercancel', () => { begin = null; });
		svg.addEventListener('pointerleave', event => showTip(event, []));
	}

	// What there is of a panel in a column.
	lines(panel, column) {
		const moment = columnMs(column), lines = [shortMoment(moment)];
		const order = isStacked(panel) ? panel.lines.toSorted((a, b) => b.at[column] - a.at[column]) : panel.lines.toReversed();

		for (const line of order) {
			const value = line.at[column];

			if (value === null || (line.role === 'area' && (value <= 0 || this.hidden.has(line.name))))
				continue;
			lines.push(`${shortened(visible(line.name), 60)} ${numberText(value, panel.unit)}${line.role !== 'expected' || panel.low === undefined ? ''
				: ` (${numberText(panel.low[column], panel.unit)} to ${numberText(panel.high[column], panel.unit)})`}`);
		}
		for (const mark of panel.marks)
			if (Math.floor(columnAt(mark.from)) <= column && Math.floor(columnAt(mark.until)) >= column)
				lines.push(visible(mark.say));
		for (const span of panel.spans)
			if (Math.floor(columnAt(span.from)) <= column && Math.floor(columnAt(span.to)) >= column)
				lines.push(visible(span.say));
		return lines.slice(0, 30);
	}

	listen() {
		this.cursor.addEventListener('keydown', event => {
			if (event.ctrlKey || event.altKey || event.metaKey || !this.key(event))
				return;
			event.preventDefault();
			event.stopPropagation();
		});
		this.cursor.addEventListener('pointerdown', event => {
			this.moveTo(Math.floor(event.offsetX / this.cursor.clientWidth * COLUMNS));
		});
	}
}
