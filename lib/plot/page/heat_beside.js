// SPDX-License-Identifier: MIT
// heat_beside: fine blocks in a file beside the page, of which a web server sends those that are asked for. What needs one that is not here throws Missing, and is
// done again when it has come. heat_places and heat_tree know where they are and what they hold.
'use strict';

const BYTES_KEPT = 64 << 20, SHOWN_MOST = 16 << 20, AT_ONCE = 6, READS_MOST = 1000;

const fine = { times: 1, blocks: [], base: 0 };
const middles = [];
let places = [];		// by number of the block: [place in the file, bytes, Adler-32]
const fetched = new Map();	// by number of the block
const coming = new Map(), refused = new Set();
let bytesHeld = 0, tooMuch = false;

class Missing extends Error {
	constructor(number) {
		super('Parts are missing');
		this.number = number;
	}
}

const isLocal = () => !/^https?:$/.test(location.protocol);

if (isLocal())
	facts.notes = [`Windows are whole cells of ${durationText(facts.level[0] * CELL_MS)}: finer ones are in ${visible(facts.beside)}, which can be read only from a web server.`];

async function fetchBlock(number) {
	const [at, size, check] = places[number], name = visible(facts.beside);

	if (isLocal())
		throw new Error(`${name} can be read only from a web server`);
	const answer = await fetch(encodeURIComponent(facts.beside), { headers: { Range: `bytes=${at}-${at + size - 1}` } })
		.catch(() => { throw new Error(`${name}: the server does not answer`); });
	if (answer.status !== 206) {
		answer.body?.cancel();
		throw new Error(`${name}: ${answer.status === 200 ? 'this server sends whole files alone, not ranges of them' : `the server answers ${answer.status}`}`);
	}
	const bytes = new Uint8Array(await answer.arrayBuffer()), whole = answer.headers.get('Content-Range')?.split('/')[1];
	if (!isWholeFile(whole) || bytes.length !== size || adlerOf(bytes) !== check)
		throw new Error(`${name} is damaged or belongs to another page${besideAdvice}`);
	bytesHeld += size;
	if (bytesHeld > BYTES_KEPT) {
		fetched.clear();
		bytesHeld = size;
	}
	fetched.set(number, bytes);
}

// Once, however often it is asked for meanwhile.
function readBlock(number) {
	if (!coming.has(number))
		coming.set(number, fetchBlock(number).finally(() => coming.delete(number)));
	return coming.get(number);
}

function partBytes(number) {
	if (!fetched.has(number))
		throw new Missing(number);
	return fetched.get(number);
}

// For the map, which shows the blocks first to last: one that is not here is asked for, unless all of them are too many, and drawn when it has come.
function isAtHand(number, first, last) {
	const [end, size] = places[last];

	if (kept.has(number) || fetched.has(number))
		return true;
	tooMuch = end + size - places[first][0] > SHOWN_MOST;
	if (tooMuch || coming.size >= AT_ONCE || coming.has(number) || refused.has(number))
		return false;
	readBlock(number).catch(error => {
		refused.add(number);
		say(`${error.message}.`);
	}).then(() => heat.refresh());
	return false;
}

async function whenRead(work) {
	for (let reads = 0; ; reads++) {
		try {
			return work();
		} catch (error) {
			if (!(error instanceof Missing) || reads === READS_MOST)
				throw error;
			await readBlock(error.number);
		}
	}
}

function orRead(error, again, rough = () => {}) {
	if (!(error instanceof Missing)) {
		say(`${error.message}.`);
		return;
	}
	rough();
	say('Reading\u2026');
	readBlock(error.number).then(() => {
		say('');
		again();
	}, failure => say(`${failure.message}.`));
}

const readingText = (known, all) => tooMuch || refused.size > 0 ? ' Some cells are an even share of longer ones.'
	: ` Reading: ${known} of ${all} parts of what is shown.`;
