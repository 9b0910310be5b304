// SPDX-License-Identifier: MIT
// open_in_speedscope.js INDEX FILE...: opens files in speedscope's own page, and prints for each what its bar is titled.
"use strict";
const { chromium } = require("playwright-core");

(async () => {
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		args: ["--no-sandbox", "--use-gl=swiftshader", "--enable-webgl", "--ignore-gpu-blocklist"],
	});
	for (const file of process.argv.slice(3)) {
		const page = await browser.newPage();
		await page.goto("file://" + process.argv[2]);
		await page.setInputFiles("input[type=file]", file);
		await page.waitForFunction(() => /\(\d+\/\d+\)/.test(document.body.innerText), null, { timeout: 60000 });
		const title = (await page.innerText("body")).split("\n").find((line) => /\(\d+\/\d+\)/.test(line));
		console.log(file + ": " + title);
		await page.close();
	}
	await browser.close();
})().catch((error) => { console.error(error); process.exit(1); });
