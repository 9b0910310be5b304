// SPDX-License-Identifier: MIT
// axe_pages CHECK FILE...: pages in Chromium. Prints "FILE: well" for each that is.
'use strict';
const assert = require('assert');
const path = require('path');
const { blank, written, violations, run } = require('./tab.js');

const show = async (file, looks) => {
	const page = await blank(looks);

	await page.goto(`file://${path.resolve(file)}`);
	return page;
};

async function eachWell(files, look) {
	let bad = 0;

	for (const file of files)
		try {
			await look(file);
			assert.deepEqual(written(), []);
			console.log(`${file}: well`);
		} catch (error) {
			console.log(`${file}: ${error.message}`);
			bad++;
		}
	assert.equal(bad, 0, 'pages that are not well');
}

const checks = {
	// axe finds what was added to a page and nothing else, light and dark; nothing is written to the console
	axe: (...files) => eachWell(files, async file => {
		const page = await show(file);

		if (await page.evaluate(() => document.querySelector('script') !== null))
			await page.waitForFunction(() => window.stk !== undefined);
		await page.evaluate(() => window.stk && window.stk.ready);
		await page.evaluate(() => { document.querySelector('main').append(document.createElement('img')); });
		const found = await violations(page);
		assert.ok(found.length === 1 && found[0].startsWith('image-alt: <img> '), found.join('\n'));
		await page.emulateMedia({ colorScheme: 'dark' });
		assert.deepEqual(await violations(page, { colours: true }), [], 'dark');
	}),

	// pages without scripts: nothing runs, nothing is fetched, nothing is wider than the window; the keys reach what scrolls; axe finds nothing where they
	// are narrow
	still: (...files) => eachWell(files, async file => {
		for (const looks of [{}, { width: 400, height: 800 }]) {
			const asked = [], note = request => asked.push(request.url()), page = await blank(looks);

			page.on('request', note);
			await page.goto(`file://${path.resolve(file)}`);
			if (looks.width !== undefined)
				assert.deepEqual(await violations(page), []);
			assert.equal(await page.evaluate(() => window.pwned), undefined);
			assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), 'wider than the window');
			assert.equal(await page.evaluate(() => document.querySelectorAll('script').length), 0);
			await page.keyboard.press('Tab');
			assert.ok(await page.evaluate(() => document.activeElement.matches('.scroll, summary')), 'Tab');
			assert.equal(asked.length, 1, asked.join(' '));
			page.off('request', note);
		}
	})
};

run(module, checks);
