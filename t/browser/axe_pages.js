// SPDX-License-Identifier: MIT
// axe_pages FILE...: pages in Chromium: axe finds nothing in any of them, light and dark, and finds what is then added to each; nothing is written to the
// console. Prints "FILE: well" for each such page. Status 1: it is not so.
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const { chromium } = require('playwright-core');
const { launch } = require('./tab.js');

const PATIENCE_MS = 300000;		// for machines that are busy

async function look(page, axe) {
	const found = async where => {
		const { violations, passes } = await page.evaluate(part => window.axe.run(part ?? document), where);

		return [passes.length > 0, violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`)];
	};

	if (await page.evaluate(() => document.querySelector('script') !== null))
		await page.waitForFunction(() => window.stk !== undefined);
	await page.evaluate(() => window.stk && window.stk.ready);
	await page.evaluate(axe);
	for (const colorScheme of ['light', 'dark']) {
		await page.emulateMedia({ colorScheme });
		assert.deepEqual(await found(), [true, []], colorScheme);
	}
	await page.evaluate(() => {
		const bad = document.createElement('div');

		bad.id = 'wrong';
		bad.append(document.createElement('img'));
		document.querySelector('main').append(bad);
	});
	assert.match((await found('#wrong'))[1].join(), /^image-alt: <img>/);
}

(async () => {
	const browser = process.env.BROWSER ? await chromium.connect(process.env.BROWSER) : await chromium.launch(launch);
	const axe = fs.readFileSync(process.env.AXE, 'utf8');

	for (const file of process.argv.slice(2)) {
		const page = await browser.newPage({ reducedMotion: 'reduce', viewport: { width: 1400, height: 900 } }), lines = [];

		page.setDefaultTimeout(PATIENCE_MS);
		page.on('console', line => lines.push(line.text()));
		page.on('pageerror', error => lines.push(String(error)));
		try {
			await page.goto(`file://${path.resolve(file)}`);
			await look(page, axe);
			assert.deepEqual(lines, []);
			console.log(`${file}: well`);
		} catch (error) {
			console.log(`${file}: ${error.message}`);
			process.exitCode = 1;
		}
		await page.close();
	}
	await browser.close();
})();
