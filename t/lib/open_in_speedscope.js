// SPDX-License-Identifier: MIT
// open_in_speedscope.js INDEX FILE...: opens files in speedscope's own page, prints for each what its bar is titled, and lets
// speedscope save what it has read as FILE.saved.
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
		await page.waitForFunction(() => /Export/.test(document.body.innerText), null, { timeout: 60000 });
		const title = (await page.innerText("body")).split("\n").find((line) => line !== "" && !/^.{0,2}(Time Order|Left Heavy|Sandwich)/.test(line));
		console.log(file + ": " + title);
		const download = page.waitForEvent("download");
		await page.keyboard.press("Control+s");
		await (await download).saveAs(file + ".saved");
		await page.close();
	}
	await browser.close();
})().catch((error) => { console.error(error); process.exit(1); });
