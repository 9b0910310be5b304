// SPDX-License-Identifier: MIT
// axe_pages FILE...: pages in Chromium: axe finds nothing in any of them, light and dark, and finds what is then added to each; nothing is written to the
// console. Prints "FILE: well" for each such page. Status 1: it is not so.
'use strict';
const assert = require('assert');
const path = require('path');
const { chromium } = require('playwright-core');
const { launch, violations } = require('./tab.js');

const PATIENCE_MS = 300000;		// for machines that are busy

async function look(page) {
	if (await page.evaluate(() => document.querySelector('script') !== null))
		await page.waitForFunction(() => window.stk !== undefined);
	await page.evaluate(() => window.stk && window.stk.ready);
	for (const colorScheme of ['light', 'dark']) {
		await page.emulateMedia({ colorScheme });
		assert.deepEqual(await violations(page), [], colorScheme);
	}
	await page.evaluate(() => {
		const bad = document.createElement('div');

		bad.id = 'wrong';
		bad.append(document.createElement('img'));
		document.querySelector('main').append(bad);
	});
	assert.match((await violations(page, '#wrong')).join(), /^image-alt: <img>/);
}

(async () => {
	const browser = process.env.BROWSER ? await chromium.connect(process.env.BROWSER) : await chromium.launch(launch);
	const page = await browser.newPage({ reducedMotion: 'reduce', viewport: { width: 1400, height: 900 } });
	let lines;

	page.setDefaultTimeout(PATIENCE_MS);
	page.on('console', line => lines.push(line.text()));
	page.on('pageerror', error => lines.push(String(error)));
	for (const file of process.argv.slice(2)) {
		lines = [];
		try {
			await page.goto(`file://${path.resolve(file)}`);
			await look(page);
			assert.deepEqual(lines, []);
			console.log(`${file}: well`);
		} catch (error) {
			console.log(`${file}: ${error.message}`);
			process.exitCode = 1;
		}
	}
	await browser.close();
})();
