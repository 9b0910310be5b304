// SPDX-License-Identifier: MIT
// still_page.js FILE...: pages without scripts in Chromium: axe finds nothing, the first also dark and narrow; nothing runs, nothing is fetched, nothing is wider than
// the window; the keys reach what scrolls. Status 1: it is not so.
'use strict';
const assert = require('assert');
const path = require('path');
const { chromium } = require('playwright-core');
const { launch, violations } = require('./tab.js');

async function look(page, file, lines, asked) {
	lines.length = asked.length = 0;
	await page.goto(`file://${path.resolve(file)}`);
	assert.deepEqual(await violations(page), []);
	assert.equal(await page.evaluate(() => window.pwned), undefined);
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), 'wider than the window');
	assert.equal(await page.evaluate(() => document.querySelectorAll('script').length), 0);
	await page.keyboard.press('Tab');
	assert.ok(await page.evaluate(() => document.activeElement.matches('.scroll, summary')), 'Tab');
	assert.deepEqual(asked.length, 1);
	assert.deepEqual(lines, []);
}

(async () => {
	const browser = process.env.BROWSER ? await chromium.connect(process.env.BROWSER) : await chromium.launch(launch);
	const page = await browser.newPage(), lines = [], asked = [];

	page.on('console', line => lines.push(line.text()));
	page.on('pageerror', error => lines.push(String(error)));
	page.on('request', request => asked.push(request.url()));
	try {
		for (const [colorScheme, width] of [['light', 1280], ['dark', 1280], ['light', 400]]) {
			await page.emulateMedia({ colorScheme });
			await page.setViewportSize({ width, height: 800 });
			for (const file of colorScheme === 'light' && width > 400 ? process.argv.slice(2) : [process.argv[2]])
				await look(page, file, lines, asked).catch(error => { error.message = `${file}, ${colorScheme}, ${width}: ${error.message}`; throw error; });
		}
	} catch (error) {
		console.log(error.stack);
		process.exitCode = 1;
	}
	await browser.close();
})();
