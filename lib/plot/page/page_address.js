// SPDX-License-Identifier: MIT
// page_address: the part of the address that holds what is shown: #v=1&KEY=TEXT&...; values may have no & of their own.
'use strict';

const encoded = text => encodeURIComponent(text.toWellFormed?.() ?? text);

// Null where a value was damaged.
function decoded(text) {
	try {
		return decodeURIComponent(text ?? '');
	} catch {
		return null;
	}
}

const addressParts = () =>
	new Map(location.hash.slice(1).split('&').map(part => [part.split('=')[0], part.slice(part.indexOf('=') + 1)]));

// parts: {KEY: encoded text}; those without text are left out. step: the browser's Back returns from it.
function writeAddress(parts, step) {
	const kept = Object.entries({ v: '1', ...parts }).filter(([, text]) => text !== '' && text !== null && text !== undefined);

	history[step ? 'pushState' : 'replaceState'](null, '', `#${kept.map(([key, text]) => `${key}=${text}`).join('&')}`);
}
