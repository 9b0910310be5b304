// SPDX-License-Identifier: MIT
// page: opens pages for tests. CHROMIUM names the browser; playwright-core and axe-core are found by NODE_PATH.
'use strict';
const { chromium } = require('playwright-core');
const { launch } = require('./tab.js');

// Runs `use` with a page that is ready, and the lines of its console, of which there must be none at the end.
async function withPage(address, use, options = {}) {
	const browser = process.env.BROWSER ? await chromium.connect(process.env.BROWSER) : await chromium.launch(launch);
	const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: 'reduce', colorScheme: 'light',
		timezoneId: 'Europe/Berlin', locale: 'en-GB', ...options });
	const page = await context.newPage(), lines = [];

	page.on('console', message => lines.push(message.text()));
	page.on('pageerror', error => lines.push(String(error)));
	try {
		await page.goto(address.includes('://') ? address : `file://${address}`);
		await page.waitForFunction(() => window.stk !== undefined);
		await page.evaluate(() => stk.ready);
		await use(page);
	} finally {
		await browser.close();
	}
	if (lines.length > 0)
		throw new Error(`the console says: ${lines.join('\n')}`);
}

function same(got, wanted, what) {
	if (JSON.stringify(got) !== JSON.stringify(wanted))
		throw new Error(`${what}: got ${JSON.stringify(got).slice(0, 400)}, wanted ${JSON.stringify(wanted).slice(0, 400)}`);
}

function holds(condition, what) {
	if (!condition)
		throw new Error(what);
}

const run = work => work().then(() => process.exit(0), error => {
	console.log(error.stack);
	process.exit(1);
});

module.exports = { withPage, same, holds, run };
