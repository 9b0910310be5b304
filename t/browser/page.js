// SPDX-License-Identifier: MIT
// page: heat maps in the tab of tab.js, for tests.
'use strict';
const path = require('path');
const { blank, written } = require('./tab.js');

// Runs `use` with a page that is ready; its console has nothing to say.
async function withPage(address, use, looks) {
	const page = await blank(looks);

	await page.goto(address.includes('://') ? address : `file://${path.resolve(address)}`);
	await page.waitForFunction(() => window.stk !== undefined);
	await page.evaluate(() => stk.ready);
	await use(page);
	same(written(), [], 'the console');
}

function same(got, wanted, what) {
	if (JSON.stringify(got) !== JSON.stringify(wanted))
		throw new Error(`${what}: got ${JSON.stringify(got).slice(0, 400)}, wanted ${JSON.stringify(wanted).slice(0, 400)}`);
}

function holds(condition, what) {
	if (!condition)
		throw new Error(what);
}

module.exports = { withPage, same, holds };
