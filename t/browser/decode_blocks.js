// SPDX-License-Identifier: MIT
// decode_blocks SCRIPT FOLDER: blocks of counts that t/unit/heat_code.c wrote, decoded by the page's script: sums and places of runs must be the same.
'use strict';
const fs = require('fs');

const [script, folder] = process.argv.slice(2);
const decodeCounts = new Function(`${fs.readFileSync(script, 'utf8')}\nreturn decodeCounts;`)();
let tried = 0, wrong = 0;

for (const file of fs.readdirSync(folder).filter(name => name.endsWith('.block'))) {
	const [cells, ...wanted] = fs.readFileSync(`${folder}/${file.replace('.block', '.sums')}`, 'utf8').trim().split('\n');
	const counts = decodeCounts(fs.readFileSync(`${folder}/${file}`), Number(cells));
	const got = Array.from(counts.rows, (row, i) => {
		let sum = 0n, places = 0;

		for (let run = counts.at[i]; run < counts.at[i + 1]; run++) {
			const length = counts.end[run] - counts.start[run];

			sum += BigInt(counts.count[run]) * BigInt(length);
			places += counts.start[run] % 1009 * (length % 1013);
		}
		return `${row} ${sum} ${places}`;
	});
	tried++;
	if (got.join() !== wanted.join()) {
		wrong++;
		console.log(`${file}: got ${got.slice(0, 3)}, wanted ${wanted.slice(0, 3)}`);
	}
}
console.log(`${tried} blocks, ${wrong} wrong`);
process.exit(wrong === 0 && tried > 40 ? 0 : 1);
