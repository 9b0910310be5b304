// SPDX-License-Identifier: MIT
// heat_chance: which differences of two windows are more than chance, decided as lib/timetree does it for stktree --diff: 32 blocks of time say how
// much more counts vary than independent samples (block_spread), tests are those of rate_difference, and at most 5 % of what is found may be false.
'use strict';

const BLOCKS = 32, PAIRS_LEAST = 10, FALSE_MOST = 0.05;
const LANCZOS = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
	-0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7];

// --- distributions ---

function logGamma(x) {
	const sum = LANCZOS.reduce((all, part, i) => i === 0 ? part : all + part / (x - 1 + i), 0), t = x + 6.5;

	return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

// The continued fraction of the incomplete beta function.
function betaFraction(a, b, x) {
	const large = value => Math.abs(value) < 1e-300 ? 1e-300 : value;
	let c = 1, d = 1 / large(1 - (a + b) * x / (a + 1)), f = d;

	for (let m = 1; m < 10000; m++) {
		const even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		d = 1 / large(1 + even * d);
		c = large(1 + even / c);
		f *= d * c;
		d = 1 / large(1 + odd * d);
		c = large(1 + odd / c);
		f *= d * c;
		if (Math.abs(d * c - 1) < 1e-15)
			break;
	}
	return f;
}

function betaBelow(x, a, b) {
	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));

	return x < (a + 1) / (a + b + 2) ? front * betaFraction(a, b, x) / a : 1 - front * betaFraction(b, a, 1 - x) / b;
}

const binomialAtMost = (k, n, p) => k < 0 ? 0 : k >= n ? 1 : betaBelow(1 - p, n - k, k + 1);

// P(Z > z) for z >= 0; a 10 millionth of it may be wrong.
function normalAbove(z) {
	const x = z / Math.SQRT2, t = 1 / (1 + 0.5 * x);
	const series = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223, 0.17087277];

	return 0.5 * t * Math.exp(-x * x + series.reduceRight((sum, part) => sum * t + part, 0));
}

// The z >= 0 with P(Z > z) = p, for p up to a half.
function normalUpper(p) {
	let low = 0, high = 40;

	for (let i = 0; i < 60; i++) {
		const middle = (low + high) / 2;

		if (normalAbove(middle) > p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

// Of a value as far from 0 as z, or farther.
const bothTails = (z, freedom) => Math.min(1, freedom < 1e6 ? betaBelow(freedom / (freedom + z * z), freedom / 2, 0.5) : 2 * normalAbove(Math.abs(z)));

// --- how counts vary from block to block ---

// What was exposed in the blocks of a window, singly and in pairs.
const exposures = () => ({ count: [0, 0], sum: 0, squares: [0, 0], pending: 0, half: false });
const varied = size => ({ sum: new Float64Array(size), squares: [new Float64Array(size), new Float64Array(size)],
	products: [new Float64Array(size), new Float64Array(size)], pending: new Float64Array(size) });

function addBlock(row, side, exposure, counts) {
	for (let i = 0; i < counts.length; i++) {
		const x = counts[i], pair = row.pending[i] + x;

		row.sum[i] += x;
		row.squares[0][i] += x * x;
		row.products[0][i] += x * exposure;
		row.pending[i] = side.half ? 0 : x;
		if (side.half) {
			row.squares[1][i] += pair * pair;
			row.products[1][i] += pair * (side.pending + exposure);
		}
	}
}

function endBlock(side, exposure) {
	const pair = side.pending + exposure;

	side.count[0]++;
	side.sum += exposure;
	side.squares[0] += exposure * exposure;
	side.pending = side.half ? 0 : exposure;
	if (side.half) {
		side.count[1]++;
		side.squares[1] += pair * pair;
	}
	side.half = !side.half;
}

// {factor, freedom} of row i of both sides, by blocks (0) or pairs of them (1); null where there are too few.
function estimated(rows, sides, size, i, share) {
	let all = 0, expected = 0, freedom = 0;

	rows.forEach((row, s) => {
		const of = sides[s], n = of.count[size], rate = of.sum > 0 ? row.sum[i] / of.sum : 0;

		if (n < 2)
			return;
		all += Math.max(0, row.squares[size][i] - 2 * rate * row.products[size][i] + rate * rate * of.squares[size]) * n / (n - 1);
		expected += row.sum[i] * (share ? 1 - rate : 1);
		freedom += n - 1;
	});
	return freedom === 0 ? null : { factor: expected > 0 ? Math.max(1, all / expected) : 1, freedom };
}

function dispersionOf(rows, sides, i, share) {
	const single = estimated(rows, sides, 0, i, share), paired = estimated(rows, sides, 1, i, share);

	if (single === null)
		return { factor: 1, freedom: Infinity };
	return paired !== null && paired.freedom >= PAIRS_LEAST && paired.factor > single.factor ? paired : single;
}

// --- tests ---

// p of counts a and b of samples, whole[0] and whole[1] of all, in so many seconds.
function chanceOf([a, b], whole, seconds, { factor, freedom }, share) {
	if (share) {
		const [m, n] = whole, pooled = (a + b) / (m + n), error = Math.sqrt(factor * pooled * (1 - pooled) * (1 / m + 1 / n));

		return m === 0 || n === 0 || !(error > 0) ? 1 : bothTails((b / n - a / m) / error, freedom);
	}
	const k = a / factor, l = b / factor, part = seconds[1] / (seconds[0] + seconds[1]);

	if (k + l <= 0)
		return 1;
	const under = binomialAtMost(l - 1, k + l, part), below = under + (binomialAtMost(l, k + l, part) - under) / 2;
	const p = Math.min(1, 2 * Math.min(below, 1 - below));

	return freedom < 1e6 ? bothTails(normalUpper(Math.max(p, 0) / 2), freedom) : p;
}

// Which of the findings to believe: null is none.
function believed(chances) {
	const order = chances.map((p, i) => i).filter(i => chances[i] !== null).sort((i, j) => chances[i] - chances[j]);
	const last = order.findLastIndex((i, rank) => chances[i] <= FALSE_MOST * (rank + 1) / order.length), found = new Uint8Array(chances.length);

	order.slice(0, last + 1).forEach(i => { found[i] = 1; });
	return found;
}

// Of call paths, functions by their own, and functions by all: what each has, by row; row 0 is what has no stack.
function measuresOf(values) {
	const of = byFunction(values), paths = values.total.slice();

	paths[0] = values.self[0];
	return [paths, [values.self[0], ...of.self], [values.self[0], ...of.total], [values.total[0]]];
}

// sides: [{seconds, values, blocks: [{seconds, values}]}], the baseline first. {nodes, names}: marks as flame_data has them.
function marksOf(sides, share) {
	const whole = sides.map(side => side.values.total[0]), seconds = sides.map(side => side.seconds), exposed = sides.map(exposures);
	const counts = sides.map(side => measuresOf(side.values)), spread = counts.map(measures => measures.map(rows => varied(rows.length)));

	sides.forEach((side, s) => side.blocks.forEach(block => {
		const exposure = share ? block.values.total[0] : block.seconds;

		if (!(exposure > 0))
			return;
		measuresOf(block.values).forEach((rows, m) => addBlock(spread[s][m], exposed[s], exposure, rows));
		endBlock(exposed[s], exposure);
	}));
	const found = counts[0].map((rows, m) => believed(Array.from(rows, (a, i) => a > 0 || counts[1][m][i] > 0 ? chanceOf([a, counts[1][m][i]], whole, seconds,
		dispersionOf([spread[0][m], spread[1][m]], exposed, i, share), share) : null)));
	const change = (m, i) => Math.abs(counts[1][m][i] / (share ? whole[1] || 1 : seconds[1]) - counts[0][m][i] / (share ? whole[0] || 1 : seconds[0]));
	const marked = new Uint8Array(found[1].length);

	for (let i = 0; i < marked.length; i++) {
		const byTotal = found[1][i] !== found[2][i] ? found[2][i] === 1 : change(2, i) > change(1, i);

		marked[i] = (byTotal ? found[2][i] : found[1][i]) | (byTotal ? 2 : 0);
	}
	found[0][0] = found[3][0];
	return { nodes: found[0].map(mark => mark | mark << 2), names: marked.map(mark => mark | mark << 2) };
}
