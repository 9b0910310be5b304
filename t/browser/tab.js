// SPDX-License-Identifier: MIT
// tab: a page of stkplot in Chromium, for checks that use it by keys and pointer, one page after the other.
// Needs playwright-core where NODE_PATH says; CHROMIUM names another browser, AXE the source of axe-core.
'use strict';
const assert = require('assert');
const fs = require('fs');
const path = require('path');
const { chromium } = require('playwright-core');

const PATIENCE_MS = 300000;		// for machines that are busy
let browser, page, lines = [];

const launch = { executablePath: process.env.CHROMIUM || '/usr/bin/chromium',
	args: ['--no-sandbox', '--font-render-hinting=none', '--force-color-profile=srgb'] };

// The one tab of this process: a new one takes a second and more of the processor, another file in it some tenths.
async function newTab() {
	page = await browser.newPage({ reducedMotion: 'reduce', timezoneId: 'Europe/Berlin', locale: 'en-GB' });
	page.setDefaultTimeout(PATIENCE_MS);
	page.on('console', line => lines.push(line.text()));
	page.on('pageerror', error => lines.push(String(error)));
}

// The tab with nothing in it.
async function blank({ scheme = 'light', width = 1400, height = 900 } = {}) {
	if (page === undefined)
		await newTab();
	await page.goto('about:blank');		// or another hash alone would open nothing
	lines = [];
	await page.setViewportSize({ width, height });
	await page.emulateMedia({ media: 'screen', colorScheme: scheme });
	return page;
}

// Opens a page, which says that it is ready.
async function open(file, { hash = '', ...looks } = {}) {
	await blank(looks);
	await page.goto(`file://${path.resolve(file)}${hash}`);
	await page.waitForFunction(() => /ready|failed/.test(document.body.className));
	assert.equal(await page.evaluate(() => document.body.className.includes('ready')), true, await text('#say'));
	return page;
}

const text = selector => page.evaluate(s => document.querySelector(s).textContent, selector);
const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };

// A dialog takes keys until it is closed, which is a little after Escape.
async function leaveDialog() {
	await press('Escape');
	await page.waitForFunction(() => document.querySelector('dialog[open]') === null);
}

// The page has written nothing to the console.
async function quiet() {
	assert.deepEqual(lines, []);
	await page.mouse.move(0, 0);		// the next page is not to show what happens to be under the pointer
}

// What axe-core (AXE names its source) finds wrong in a page, or in a part of it; in colours alone, where they alone are other than when it looked before.
// Lists of what is well, which take it longer than looking, are left out.
async function violations(where, { part, colours = false } = {}) {
	if (await where.evaluate(() => window.axe === undefined))
		await where.evaluate(fs.readFileSync(process.env.AXE, 'utf8'));
	const found = await where.evaluate(([of, rules]) => axe.run(of ?? document, { resultTypes: ['violations'], ...rules }),
		[part, colours ? { runOnly: ['cat.color'] } : {}]);

	assert.ok(found.passes.length > 0, 'axe looked at nothing');
	return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => `${node.html.slice(0, 200)} ${node.failureSummary}`).join(' ')}`);
}

// Runs a check, in the browser of serve.js that BROWSER names, or in one of its own. 1: what was found is not so.
async function perform(check, words) {
	browser = browser ?? (process.env.BROWSER ? await chromium.connect(process.env.BROWSER) : await chromium.launch(launch));
	try {
		await check(...words);
		return 0;
	} catch (error) {
		console.log(error.stack, lines);
		await page?.context().close();
		page = undefined;
		return 1;
	}
}

// The checks of a script: the one that the command line names, or for serve.js, which performs them.
async function run(script, checks) {
	script.exports = checks;
	if (require.main !== script)
		return;
	const [check, ...words] = process.argv.slice(2);

	process.exitCode = await perform(checks[check], words);
	await browser.close();
}

module.exports = { launch, blank, written: () => lines, open, text, press, leaveDialog, quiet, violations, perform, run };
