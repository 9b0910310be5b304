// SPDX-License-Identifier: MIT
// heat_page.js PAGE RUNS: opens a heat map in Chromium and prints what it costs there.
'use strict';
const path = require('path');
const fs = require('fs');
const { chromium } = require('playwright-core');

const file = path.resolve(process.argv[2]), runs = Number(process.argv[3] ?? 5);
const WINDOWS = 30, FRAMES = 200;
const least = list => Math.min(...list), ms = value => value.toFixed(value < 10 ? 1 : 0);

// Moments after the begin of loading: of the first paint, of the map, of the flame graph, of all of it.
async function opened(browser, address) {
	const context = await browser.newContext({ viewport: { width: 1600, height: 1000 } }), page = await context.newPage();

	await page.goto(address);
	await page.evaluate(() => window.stk?.ready);
	await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
	const [paint, map, flame] = await page.evaluate(() => ['first-contentful-paint', 'map', 'flame'].map(name => performance.getEntriesByName(name)[0]?.startTime));
	await context.close();
	return { paint, map, flame };
}

// Milliseconds that the page's own thread has worked so far: other work on the machine does not count.
async function processorClock(page) {
	const session = await page.context().newCDPSession(page);

	await session.send('Performance.enable', { timeDomain: 'threadTicks' });
	return async () => (await session.send('Performance.getMetrics')).metrics.find(metric => metric.name === 'TaskDuration').value * 1000;
}

// Of each of some windows the least time, and the least work, without any block that was decoded before.
async function coldWindows(page, clock) {
	const found = [];

	for (let i = 0; i < WINDOWS; i++) {
		const walls = [], works = [];

		for (let run = 0; run < runs; run++) {
			const before = await clock();

			walls.push(await page.evaluate(number => {
				const { first, cells } = stk.facts, span = cells - first, long = Math.floor([50, 3000, 180000, span / 3][number % 4]);
				const from = first + Math.floor((span - long) * ((number * 0.618) % 1));

				stk.forget();
				const begin = performance.now();
				stk.query({ from: from + 7, to: Math.min(from + long + 13, cells) });
				return performance.now() - begin;
			}, i));
			works.push(await clock() - before);
		}
		found.push({ wall: least(walls), work: least(works) });
	}
	return found;
}

// Wheel events, one for each frame: frames a second, and the slowest of them.
const scrolled = page => page.evaluate(async frames => {
	const map = document.getElementById('map'), frame = () => new Promise(done => { requestAnimationFrame(done); }), gaps = [];

	await frame();
	for (let i = 0, last = performance.now(); i < frames; i++) {
		map.dispatchEvent(new WheelEvent('wheel', { deltaX: i % 150 < 75 ? 40 : -40, cancelable: true }));
		await frame();
		const now = performance.now();

		gaps.push(now - last);
		last = now;
	}
	gaps.sort((a, b) => a - b);
	return { rate: 1000 * gaps.length / gaps.reduce((a, b) => a + b), late: gaps[Math.floor(gaps.length * 0.95)] };
}, FRAMES);

async function inPage(browser) {
	const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } }), scales = [];

	await page.goto(`file://${file}`);
	await page.evaluate(() => stk.ready);
	const clock = await processorClock(page), windows = await coldWindows(page, clock);
	await page.focus('#heat');
	for (const finer of [2, 2, 2, 2]) {
		for (let i = 0; i < finer; i++)
			await page.keyboard.press('+');
		const tries = [];

		for (let run = 0; run < runs; run++) {
			const before = await clock(), found = await scrolled(page);

			tries.push({ ...found, work: (await clock() - before) / FRAMES });
		}
		const best = tries.reduce((a, b) => a.rate > b.rate ? a : b), scale = await page.evaluate(() => document.getElementById('scale').textContent.split(';')[0]);
		scales.push([scale, best]);
	}
	return { windows, scales };
}

(async () => {
	const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox'] });
	const times = [], blank = [];

	for (let run = 0; run < runs; run++) {
		blank.push((await opened(browser, 'data:text/html,<p>nothing')).paint);
		times.push(await opened(browser, `file://${file}`));
	}
	const { windows, scales } = await inPage(browser);
	console.log(`page\t${(fs.statSync(file).size / 1e6).toFixed(1)} MB, least of ${runs} runs`);
	console.log(`first paint\t${ms(least(times.map(t => t.paint)))} ms (an empty page: ${ms(least(blank))})\tgoal 300`);
	console.log(`map\t${ms(least(times.map(t => t.map)))} ms`);
	console.log(`flame graph\t${ms(least(times.map(t => t.flame)))} ms`);
	for (const [key, name] of [['wall', 'a window, cold'], ['work', 'the same, CPU time']]) {
		const sorted = windows.map(window => window[key]).sort((a, b) => a - b);

		console.log(`${name}\tmedian ${ms(sorted[WINDOWS / 2])} ms, worst of ${WINDOWS} ${ms(sorted[WINDOWS - 1])}\tgoal 100`);
	}
	scales.forEach(([scale, best]) => console.log(`scrolling, ${scale}\t${best.rate.toFixed(1)} frames a second, 95 % within ${ms(best.late)} ms, ${
		ms(best.work)} ms CPU time a frame\tgoal 50`));
	await browser.close();
})();
