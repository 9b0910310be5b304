// SPDX-License-Identifier: MIT
// A shop: the till sells.
"use strict";
let sold = 0;
const kept = [];
function pay(order) { for (let i = 0; i < 300000; i++) sold += order ^ i; }
function ship(order) { kept.push(new Array(5000).fill(order)); pay(order); }
function sell(orders) { for (let order = 0; order < orders; order++) ship(order); }
sell(300);
