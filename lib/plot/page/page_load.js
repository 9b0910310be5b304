// SPDX-License-Identifier: MIT
// page_load: the blocks of a page as bytes, and its script, which is one of them. Raw bytes arrive as the characters of windows-1252, four of them escaped.
'use strict';

const ESCAPED = 61, ESCAPE_SHIFT = 64, BYTE_SHIFT = 42;
const byteOf = new Uint8Array(65536);		// by character

for (let i = 0; i < 256; i++)
	byteOf[i] = i;
new TextDecoder('windows-1252').decode(byteOf.slice(128, 160)).split('').forEach((character, i) => { byteOf[character.charCodeAt(0)] = 128 + i; });

function fromShifted(text) {
	const bytes = new Uint8Array(text.length);
	let count = 0;

	for (let i = 0; i < text.length; i++) {
		let byte = byteOf[text.charCodeAt(i)];

		if (byte === ESCAPED)
			byte = byteOf[text.charCodeAt(++i)] - ESCAPE_SHIFT;
		bytes[count++] = byte - BYTE_SHIFT;
	}
	return bytes.subarray(0, count);
}

const fromBase64 = text => Uint8Array.from(atob(text), character => character.charCodeAt(0));

let pageSource = null;		// the page's own bytes, where a server changed them on their way

function blockBytes(id) {
	const element = document.getElementById(id);

	if (element !== null && 'plain' in element.dataset)
		return fromBase64(element.textContent);
	if (pageSource === null)
		return element === null ? null : fromShifted(element.textContent);
	const begin = pageSource.indexOf(`id=${id}>`), from = begin + id.length + 4;

	return begin < 0 ? null : fromShifted(pageSource.slice(from, pageSource.indexOf('<' + '/script>', from)));
}

const isWhole = probe => probe !== null && probe.length === 256 && probe.every((byte, i) => byte === i);

// Of a page that a server changed on its way, as it was written. False where it cannot be had.
async function fetchPage() {
	if (!/^https?:$/.test(location.protocol))
		return false;
	const answer = await fetch(location.href.split('#')[0]);

	pageSource = new TextDecoder('windows-1252').decode(await answer.arrayBuffer());
	return isWhole(blockBytes('p'));
}

// At once, unless the page has to be fetched: what follows it is not yet parsed.
async function loadPage() {
	if (!isWhole(blockBytes('p')) && !await fetchPage().catch(() => false)) {
		document.getElementById('say').textContent = 'This page was changed on its way: make it again with --text.';
		document.body.classList.add('failed');
		return;
	}
	const script = document.createElement('script');

	script.textContent = new TextDecoder().decode(inflate(blockBytes('z'), 10));
	document.body.append(script);
}
