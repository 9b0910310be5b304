// SPDX-License-Identifier: MIT
// serve: one Chromium for all checks of a test, until the test ends: starting it takes longer than most checks. Prints where it listens.
'use strict';
const { chromium } = require('playwright-core');
const { launch } = require('./tab.js');

const parent = process.ppid;

(async () => {
	const server = await chromium.launchServer(launch);

	console.log(server.wsEndpoint());
	const watch = setInterval(async () => {		// the shell that started it is gone
		if (process.ppid === parent)
			return;
		clearInterval(watch);
		await server.close();
		process.exit();
	}, 300);
})();
