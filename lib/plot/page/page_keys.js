// SPDX-License-Identifier: MIT
// page_keys: keys, the dialog that shows them, buttons that stand for keys, dark and light.
'use strict';

function isDark() {
	const theme = document.documentElement.dataset.theme;

	return !matchMedia('print').matches && (theme === undefined ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark');
}

function changeTheme() {
	document.documentElement.dataset.theme = isDark() ? 'light' : 'dark';
}

// keys: [[keys, what they do]]; notes: sentences below.
function addHelp(keys, notes = []) {
	const dialog = make('dialog', '', { id: 'help', 'aria-labelledby': 'helptitle' }), list = make('dl', '');
	const form = make('form', '', { method: 'dialog' });

	for (const [key, does] of [...keys, ['D', 'dark or light'], ['?', 'these keys']]) {
		const line = make('div', '');

		line.append(make('dt', key), make('dd', does));
		list.append(line);
	}
	form.append(make('button', 'Close'));
	dialog.append(make('h2', 'Keys', { id: 'helptitle' }), list, ...notes.map(note => make('p', note)), form);
	document.body.append(dialog);
}

// actions: by key. escape(typing): what Escape does outside of a dialog. own(event): true where a part of the page took the key itself.
// recolour: after a change of dark and light. A button with data-key does what its key does.
function listenKeys(actions, { escape, own = () => false, recolour }) {
	const all = { '?': () => element('help').showModal(), D: () => { changeTheme(); recolour(); },
		'/': () => element('search')?.focus(), ...actions };

	document.addEventListener('keydown', event => {
		const typing = event.target.matches('input, select, textarea, dialog *');

		if (event.key === 'f' && event.ctrlKey && element('search') !== null) {
			event.preventDefault();
			element('search').focus();
		}
		if (event.ctrlKey || event.altKey || event.metaKey || (typing && event.key !== 'Escape'))
			return;
		if (event.key === 'Escape') {
			if (!event.target.matches('dialog *'))
				escape(typing);
			return;
		}
		if (own(event)) {
			event.preventDefault();
			return;
		}
		const action = all[event.key === '=' ? '+' : event.key === 'Home' ? '0' : event.key];
		if (action !== undefined) {
			event.preventDefault();
			action();
		}
	});
	for (const button of document.querySelectorAll('button[data-key]'))
		button.addEventListener('click', () => all[button.dataset.key]());
	['(prefers-color-scheme: dark)', 'print'].forEach(query => matchMedia(query).addEventListener('change', recolour));
}
