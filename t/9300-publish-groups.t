#!/bin/sh
# SPDX-License-Identifier: MIT
# Grouped figures through a real broker, with its stock clients: what a subscriber gets is what stkgroup prints.
. "${0%/*}/lib/tap.sh"
PATH=$PATH:/usr/sbin
have mosquitto mosquitto_pub mosquitto_sub python3 || skip_all 'no mosquitto (Debian: mosquitto mosquitto-clients)'

zcat "$t/data/day-17a.txt.gz" | stkcap -q -o d.stk -
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
printf 'listener %s 127.0.0.1\nallow_anonymous true\nlog_dest stderr\nlog_type subscribe\n' "$port" >broker.conf
mosquitto -c broker.conf >broker.log 2>&1 & broker=$!
# What is published before the subscription is lost: the broker's log says when it has it.
subscribed() {
	tries=0
	until grep -q " $1\$" broker.log; do
		tries=$((tries + 1)); test $tries -lt 200 || { echo "no subscription to $1"; return 1; }
		sleep 0.05
	done
}

check 'a subscriber gets every row, in order' '
	stkgroup -q -s jvm --step 10s -f ndjson d.stk >want && test "$(wc -l <want)" -gt 5
	tries=0; until mosquitto_pub -h 127.0.0.1 -p $port -t other -m x 2>/dev/null || test $tries -eq 50; do sleep 0.1; tries=$((tries + 1)); done
	mosquitto_sub -h 127.0.0.1 -p $port -t stkpipe/groups -C "$(wc -l <want)" -W 20 >got & sub=$!
	subscribed stkpipe/groups
	"$t/../scripts/recipes/publish-groups" -s jvm -e 10s -h 127.0.0.1 -p $port d.stk
	wait $sub && same want got'
check 'the same from a pipe, until it ends' '
	mosquitto_sub -h 127.0.0.1 -p $port -t stkpipe/piped -C "$(wc -l <want)" -W 20 >got & sub=$!
	subscribed stkpipe/piped
	cat d.stk | timeout 60 "$t/../scripts/recipes/publish-groups" -s jvm -e 10s -h 127.0.0.1 -p $port -t stkpipe/piped
	wait $sub && same want got'
check 'what some queries ask, and nothing else' '
	printf "queries:\n- {query: much, having: share >= 30%%}\n- {query: GC, group: GC, by: source}\n" >q.yaml
	stkgroup -q -s jvm --queries q.yaml --step 1h d.stk >want && test "$(wc -l <want)" -gt 5
	mosquitto_sub -h 127.0.0.1 -p $port -t stkpipe/asked -C "$(wc -l <want)" -W 20 >got & sub=$!
	subscribed stkpipe/asked
	cat d.stk | timeout 60 "$t/../scripts/recipes/publish-groups" -s jvm -q q.yaml -e 1h -h 127.0.0.1 -p $port -t stkpipe/asked
	wait $sub && sort got >got1 && sort want | same - got1'
check 'the status is that of stkgroup, and that of the client when there is no broker' '
	publish() { timeout 60 "$t/../scripts/recipes/publish-groups" -h 127.0.0.1 -e 10s -t stkpipe/status "$@"; }
	status 0 publish -s jvm -p $port d.stk
	status 2 publish -s no-such-scheme -p $port d.stk 2>said; grep -q no-such-scheme said
	{ cat d.stk; echo damage; } >bad.stk
	status 1 publish -s jvm -p $port bad.stk 2>said
	kill $broker		# the client waits for one that goes away while it is connected
	until test ! -e /proc/$broker || grep -q "^State:.Z" /proc/$broker/status; do sleep .05; done
	status 1 publish -s jvm -p $port d.stk 2>said; grep -qi refused said
'
kill $broker 2>/dev/null
finish
