// SPDX-License-Identifier: MIT
// heat_places: where the blocks are in the .heat file that was written with the page.
'use strict';

// Blocks are one after another in the file.
function readPlaces() {
	const from = varints(inflateBlock(blockBytes('x'))), times = from.next();
	let at = facts.besideFrom;

	const list = () => {
		let cell = 0;

		return Array.from({ length: from.next() }, () => {
			const [gap, cells, runs, sum, size, check] = from.many(6), first = cell + gap;

			cell = first + cells;
			places.push([at, size, check]);
			at += size;
			return [first, cells, runs, sum];
		});
	};
	facts.blocks = fine.blocks = list();
	const base = places.length, blocks = list();
	if (blocks.length > 0)
		middles.push({ times, blocks, base });
}

const isWholeFile = bytes => bytes === String(facts.besideBytes), besideAdvice = ': both are written together';

readPlaces();
