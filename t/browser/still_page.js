// SPDX-License-Identifier: MIT
// still_page.js FILE...: pages without scripts in Chromium: axe finds nothing, the first also dark and narrow; nothing runs, nothing is fetched, nothing is wider than
// the window; the keys reach what scrolls. Status 1: it is not so.
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const { chromium } = require('playwright-core');
const { launch } = require('./tab.js');

async function look(context, file, axe) {
	const page = await context.newPage(), lines = [], asked = [];

	page.on('console', line => lines.push(line.text()));
	page.on('pageerror', error => lines.push(String(error)));
	page.on('request', request => asked.push(request.url()));
	await page.goto(`file://${path.resolve(file)}`);
	await page.evaluate(axe);
	const { violations } = await page.evaluate(() => window.axe.run());
	assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 200)}`), []);
	assert.equal(await page.evaluate(() => window.pwned), undefined);
	assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), 'wider than the window');
	assert.equal(await page.evaluate(() => document.querySelectorAll('script').length), 0);
	await page.keyboard.press('Tab');
	assert.ok(await page.evaluate(() => document.activeElement.matches('.scroll, summary')), 'Tab');
	assert.deepEqual(asked.length, 1);
	assert.deepEqual(lines, []);
	await page.close();
}

(async () => {
	const browser = process.env.BROWSER ? await chromium.connect(process.env.BROWSER) : await chromium.launch(launch);
	const axe = fs.readFileSync(process.env.AXE, 'utf8');

	try {
		for (const options of [{ colorScheme: 'light' }, { colorScheme: 'dark' }, { viewport: { width: 400, height: 800 } }]) {
			const context = await browser.newContext(options);

			for (const file of options.colorScheme === 'light' ? process.argv.slice(2) : [process.argv[2]])
				await look(context, file, axe).catch(error => { error.message = `${file}, ${JSON.stringify(options)}: ${error.message}`; throw error; });
			await context.close();
		}
	} catch (error) {
		console.log(error.stack);
		process.exitCode = 1;
	}
	await browser.close();
})();
