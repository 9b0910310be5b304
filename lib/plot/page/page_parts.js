// SPDX-License-Identifier: MIT
// page_parts: what pages have in common besides text: the line that speaks, the tooltip, the command, search, tables, files to save.
'use strict';

const say = text => { element('say').textContent = text; };

// lines: [] hides it. It stands beside the pointer, within the window.
function showTip(event, lines) {
	const tip = element('tip');

	tip.hidden = lines.length === 0;
	if (tip.hidden)
		return;
	tip.textContent = lines.map(line => shortened(line, 300)).join('\n');
	tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
	tip.style.top = `${Math.min(event.clientY + 18, innerHeight - tip.offsetHeight - 8)}px`;
}

// Plain text, case ignored unless it has a capital; /.../ or ^ or $: a regular expression, which may throw.
function textMatcher(text) {
	const regular = /^\/.*\/$/.test(text) ? text.slice(1, -1) : /^\^|\$$/.test(text) ? text : null;
	const caseless = text === text.toLowerCase();

	if (regular !== null) {
		const expression = new RegExp(regular, caseless ? 'i' : '');

		return name => expression.test(name);
	}
	return caseless ? name => name.toLowerCase().includes(text) : name => name.includes(text);
}

// What finds a name and no other.
const searchOf = name => `^${name.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')}$`;

// A name that can be chosen.
function nameButton(name, most, chosen) {
	const button = make('button', '', { class: 'name' });

	button.append(make('bdi', shortened(visible(name), most).trim() || '\u27E8empty\u27E9'));
	if (visible(name).length > most)
		button.title = shortened(visible(name), 300);
	button.addEventListener('click', chosen);
	return button;
}

// Fills a table (ids heads, rows, more): columns of numbers, then a name that heads the row, then `after` columns without text as yet. lines: [{name,
// numbers: [text], chosen}]. Returns the rows.
function fillRows({ heads, nameHead, after = [], lines, most = 36, left = 0, leftWord = 'functions' }) {
	const head = make('tr', '');

	heads.forEach(text => head.append(make('th', text, { scope: 'col', class: 'number' })));
	[nameHead, ...after].forEach(text => head.append(make('th', text, { scope: 'col' })));
	element('heads').replaceChildren(head);
	const made = lines.map(({ name, numbers, chosen }) => {
		const row = make('tr', ''), first = make('th', '', { scope: 'row' });

		first.append(nameButton(name, most, chosen));
		row.append(...numbers.map(text => make('td', text, { class: 'number' })), first, ...after.map(text => make('td', '', { class: text })));
		return row;
	});
	element('rows').replaceChildren(...made);
	element('more').textContent = left > 0 ? `${withSpaces(left)} more ${leftWord}.` : '';
	return made;
}

// Colours with their words; [] hides it.
function fillLegend(id, items) {
	element(id).replaceChildren(...items.map(([fill, text]) => {
		const item = make('span', ''), swatch = make('span', '', { class: 'swatch', 'aria-hidden': 'true' });

		swatch.style.background = fill;
		item.append(swatch, make('bdi', text));
		return item;
	}));
	element(id).hidden = items.length === 0;
}

function saveText(text, ending) {
	const link = make('a', ''), address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));

	link.href = address;
	link.download = `${facts.title.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 100) || 'stkplot'}.${ending}`;
	link.click();
	setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// The commands under the picture.
async function copyCommand() {
	const places = [...document.querySelectorAll('pre code')], text = places.map(place => place.textContent).filter(line => line !== '').join('\n');

	try {
		await navigator.clipboard.writeText(text);
		say('The command was copied.');
	} catch {
		getSelection().selectAllChildren(places[0]);
		say('The command is selected: copy it.');
	}
}

// Once all of the page has arrived.
async function arrived() {
	if (document.readyState === 'loading')
		await new Promise(done => { document.addEventListener('DOMContentLoaded', done); });
}

// Starts a page: window.stk is what tests and the console ask; stk.ready: when it can be used. start: shows all.
function startPage(start, answers) {
	performance.mark('script');
	const begin = async () => {
		element('title').textContent = visible(facts.title);
		await start();
		document.body.classList.add('ready');
	};

	window.stk = { ...answers, facts, ready: begin().catch(error => {
		say(`${error.message}.`);
		document.body.classList.add('failed');
	}) };
}
