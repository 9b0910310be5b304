// SPDX-License-Identifier: MIT
// heat_inside: fine blocks of a heat map that are in the page: all are at hand once it has arrived. heat_beside answers the same questions of blocks in a file.
'use strict';

// {times, blocks, base}: how many fine cells one of its cells has; [[first cell, cells, runs, sum]]; the number of the first block
const fine = { times: 1, blocks: facts.blocks, base: 0 };
const middles = [];		// layers between the level and the fine blocks

const partBytes = number => blockBytes('f' + number);
const isAtHand = () => true;
// Does what needs blocks.
const whenRead = work => work();
// What failed is done again if blocks were missing and are here by now; else it is said. rough(): what can be shown meanwhile.
const orRead = error => say(`${error.message}.`);
const readingText = (known, all) => ` Reading: ${known} of ${all} parts of what is shown.`;
