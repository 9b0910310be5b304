// SPDX-License-Identifier: MIT
// tree_windows windows FOLDER NAME...: pages NAME.html that read NAME.tree beside them, from a web server: windows have the numbers of stktree.
'use strict';
const { serve } = require('./static_server.js');
const { run } = require('./tab.js');
const heat = require('./heat_windows.js');

async function windows(folder, ...wanted) {
	const { server, address } = await serve(folder);

	for (const name of wanted)
		await heat.windows(`${address}/${name}.html`, `${folder}/${name}.tree`, '12');
	server.closeAllConnections();
	server.close();
}

run(module, { windows });
