<?php
// SPDX-License-Identifier: MIT
// A shop: the till sells.
function pay($order) { $sold = 0; for ($i = 0; $i < 100; $i++) $sold += $order ^ $i; return $sold; }
function ship($order) { return pay($order) + strlen(str_repeat("x", $order)); }
for ($order = 0; $order < 20; $order++) ship($order);
