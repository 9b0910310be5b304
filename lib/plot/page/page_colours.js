// SPDX-License-Identifier: MIT
// page_colours: fills that carry black text. The same module, group or state has the same colour on every page.
'use strict';

// of modules, of what there is more, less, the same and by chance, of heat, dark to light, and of groups; those of another palette are in the page
const SAFE = 'F0E442 5B73CD EE2918 68C8F4 EF9687 AFFDED 9D7782 7D98F5 C2C310 BB8DB6 B2D8C3 EF7926|FDE3CF FBC79F F6A56B E98138 E0670A|\
D6E6F4 AFCFEA 7FB3DC 4A94CB 2F82BF|E6E6E6 BDBDBD|00224E 123570 3B496C 575D6D 707173 8A8678 A69D75 C3B469 E1CC55 FEE838|8E6FFB FCC17C 74814A D0EDB5 8FBCB2 24E9F2 D532AD 7FA358 BDBDBD';
const [MODULE_FILLS, MORE_FILLS, LESS_FILLS, [SAME_FILL, CHANCE_FILL], HEAT_FILLS, OTHER_GROUPS] = (facts.palette ?? SAFE).split('|')
	.map(fills => fills.split(' ').map(fill => `#${fill}`));
// groups by weight; beyond these all are OTHER_FILL
const GROUP_FILLS = facts.palette === undefined ? [...MODULE_FILLS, ...OTHER_GROUPS] : OTHER_GROUPS;
const OTHER_FILL = GROUP_FILLS.pop();
const STATE_FILLS = { running: '#44BB99', runnable: '#99DDFF', blocked: '#EE6677', waiting: '#CCBB44', 'timed-waiting': '#EEDD88',
	sleeping: '#BBBBBB', unknown: '#FFFFFF' };
const STATE_LETTERS = { running: 'R', runnable: 'U', blocked: 'B', waiting: 'W', 'timed-waiting': 'T', sleeping: 'S', unknown: '?' };
const MATCH_FILL = '#FF7BFF';
const POINT_STEPS = [0.1, 0.5, 2, 5, 10];

// What comes before class and method, or before the last of a C++ name; else the name.
function moduleOf(name) {
	const plain = name.split(/[(<]/)[0], dots = plain.split('.');

	return dots.length > 2 ? dots.slice(0, -2).join('.') : plain.includes('::') ? plain.slice(0, plain.lastIndexOf('::')) : plain;
}

function hashOf(text) {
	let hash = 0x811C9DC5;

	for (const byte of new TextEncoder().encode(text))
		hash = Math.imul(hash ^ byte, 0x01000193);
	return hash >>> 0;
}

// modules whose fill is not that of their hash, as another of this page has it
const ownFills = new Map();
const hashedFill = module => hashOf(module) % MODULE_FILLS.length;
const moduleFill = module => MODULE_FILLS[ownFills.get(module) ?? hashedFill(module)];

function pointsFill(points) {
	const step = POINT_STEPS.filter(limit => Math.abs(points) >= limit).length;

	return step === 0 ? SAME_FILL : (points > 0 ? MORE_FILLS : LESS_FILLS)[step - 1];
}

// share 0 to 1, of dark pages from dark to light, else from light to dark; as a word of image data.
function heatWord(share, dark) {
	const at = Math.min(Math.max(dark ? 0.15 + 0.85 * share : 1 - share, 0), 1) * (HEAT_FILLS.length - 1), low = Math.min(Math.floor(at), 8);
	const byte = (fill, i) => parseInt(fill.slice(1 + 2 * i, 3 + 2 * i), 16);
	const mixed = [0, 1, 2].map(i => Math.round(byte(HEAT_FILLS[low], i) + (byte(HEAT_FILLS[low + 1], i) - byte(HEAT_FILLS[low], i)) * (at - low)));

	return (255 << 24 | mixed[2] << 16 | mixed[1] << 8 | mixed[0]) >>> 0;
}
