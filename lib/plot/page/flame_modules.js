// SPDX-License-Identifier: MIT
// flame_modules: the colours of modules in this page, and their legend.
'use strict';

let moduleList = [];		// the modules that cover most: {text, covered, isFunction}

// No two of those that cover most have the same fill, as in lib/plot/module_colours.c.
function colourModules() {
	const { parent, frame } = recorded, self = new Float64Array(parent.length), known = new Map(), taken = new Set();

	rowSums(...EVERY).forEach((sum, r) => { self[rows.node[r]] += sum; });
	totalsOf(parent, self).forEach((total, node) => {
		const name = names[frame[node]];

		if (node === 0 || name === '(rest)')
			return;
		const text = moduleText(frame[node]);
		if (!known.has(text))
			known.set(text, { text, covered: 0, isFunction: moduleNumber[frame[node]] === 0 && text === name });
		known.get(text).covered += total;
	});
	moduleList = [...known.values()].sort((a, b) => b.covered - a.covered || (a.text < b.text ? -1 : 1)).slice(0, MODULE_FILLS.length);
	for (const { text } of moduleList) {
		let fill = hashedFill(text);

		while (taken.has(fill))
			fill = (fill + 1) % MODULE_FILLS.length;
		taken.add(fill);
		ownFills.set(text, fill);
	}
}

// [fill, words] of those that are more than one function, by what they have themselves.
function moduleLegend({ self, total }) {
	const sums = new Map(moduleList.filter(module => !module.isFunction && module.covered > 0).map(({ text }) => [text, 0]));

	self.forEach((sum, node) => {
		const text = node === 0 ? '' : moduleText(tree.frame[node]);

		if (sums.has(text))
			sums.set(text, sums.get(text) + sum);
	});
	return [...sums].sort((a, b) => b[1] - a[1])
		.map(([text, sum]) => [moduleFill(text), `${shortened(visible(text.startsWith('/') ? text.slice(text.lastIndexOf('/') + 1) : text), 40)} ${percent(sum, total[0])}`]);
}
