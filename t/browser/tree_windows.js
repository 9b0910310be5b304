// SPDX-License-Identifier: MIT
// tree_windows FOLDER NAME...: pages NAME.html that read NAME.tree beside them, from a web server: windows have the numbers of stktree.
'use strict';
const { spawn } = require('child_process');
const { serve } = require('./static_server.js');
const { same, run } = require('./page.js');

const [folder, ...wanted] = process.argv.slice(2);

run(async () => {
	const { address } = await serve(folder);

	for (const name of wanted) {
		const child = spawn('node', [`${__dirname}/heat_windows.js`, `${address}/${name}.html`, `${folder}/${name}.tree`, '1'], { stdio: 'inherit' });

		same(await new Promise(done => { child.on('close', done); }), 0, `windows of ${name}.tree`);
	}
});
