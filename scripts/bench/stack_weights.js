// SPDX-License-Identifier: MIT
// node stack_weights.js SAMPLES.tsv OUT: weights of all stacks of `stkcat -f tsv --only sample` below its pool, as `stkcat -f folded` has them, by DuckDB
// (npm install @duckdb/node-api, found by NODE_PATH). Status 2: it is not installed.
let api;
try {
	api = require("@duckdb/node-api");
} catch (missing) {
	process.exit(2);
}
const quoted = (text) => "'" + text.replaceAll("'", "''") + "'";
(async () => {
	const connection = await (await api.DuckDBInstance.create()).connect();
	const [from, to] = process.argv.slice(2).map(quoted);
	await connection.run(`copy (
		select concat_ws(';', pool, nullif(stack, '')) as frames, sum(weight) from read_csv(${from}, delim = '\t', header = true, quote = '', escape = '', columns = {
			${["time", "source", "thread", "state", "weight", "stack", "dump", "event", "processor", "condition", "cpu", "elapsed", "allocated", "classes", "locks",
			"note", "tid", "number", "pool"].map((name) => `${name}: '${name === "weight" ? "bigint" : "varchar"}'`).join(", ")}
		}) group by frames order by frames
	) to ${to} (header false, quote '', escape '', delimiter ' ')`);
})();
