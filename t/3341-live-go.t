#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --native of programs of Go without symbols: their functions have the names, files and lines that the program
# itself knows, also inlined ones, and their stacks at ticks are whole.
. "${0%/*}/lib/tap.sh"

have go || skip_all 'no Go'
case $(go version) in *' go1.'[01] | *' go1.'[0-9].* | *' go1.1[0-5]'*) skip_all 'Go before 1.16' ;; esac
mkdir shop && cd shop || exit 99
cat >main.go <<'END'
package main

import (
	"fmt"
	"runtime"
	"syscall"
)

type shop struct{ depth int }

//go:noinline
func (s *shop) hold(n int) int {
	if n > 0 {
		return s.hold(n-1) + s.depth
	}
	return within(func() int {
		report()
		var one [1]byte
		n, _ := syscall.Read(0, one[:])
		return n + s.depth
	}) + s.depth
}

//go:noinline
func within(do func() int) int { return do() + 1 }

func report() {
	var at [64]uintptr
	text := ""
	frames := runtime.CallersFrames(at[:runtime.Callers(2, at[:])])
	for {
		frame, more := frames.Next()
		text = frame.Function + ";" + text
		if !more {
			break
		}
	}
	fmt.Println(text)
}

func main() { (&shop{1}).hold(5) }
END
echo 'module shop' >go.mod
cd ..
mkfifo never
sleep 600 >never & holder=$!
programs=
trap 'kill -9 $holder $programs 2>/dev/null; rm -rf "$scratch" "$scratch.log"; exit 99' HUP INT TERM

# look NAME FLAG...   builds it with these flags, and compares its stack with what it says itself
look() {
	name=$1
	shift
	(cd shop && GOCACHE="$scratch/cache" GOFLAGS=-mod=mod GO111MODULE=on go build -o "../$name" "$@") || return 1
	test $name != cut || strip cut
	"./$name" <never >"$name.out" & program=$!
	programs="$programs $program"
	until grep -q . "$name.out"; do kill -0 $program || return 1; sleep .02; done
	status 0 stkcap -q --native $program -o "$name.stk"
	kill -9 $program
	stkcat -f folded "$name.stk" >"$name.folded"
	if grep -F .abi0 "$name.folded"; then return 1; fi	# what symbols have beside the name
	grep -F ";$(cat "$name.out")syscall" "$name.folded"
}

check 'without symbols as with them' '
	look whole
	look bare -ldflags="-s -w"
	nm bare 2>&1 | grep -q "no symbols"
	look cut
'
check 'loaded anywhere, with the address of its code in its memory alone' '
	look anywhere -buildmode=pie -ldflags="-s -w" || { go env GOOS GOARCH; go version; test "$(uname -m)" != x86_64; }
'
mkdir places && cat >places/main.go <<'END'
package main

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
)

func sell(n int) int { return wait() + n }

func shop(n int) int {
	n *= 3
	return sell(n) - 1
}

//go:noinline
func wait() int {
	var at [64]uintptr
	frames := runtime.CallersFrames(at[:runtime.Callers(2, at[:])])
	for {
		frame, more := frames.Next()
		fmt.Printf("%s\t%s\t%d\n", frame.Function, frame.File, frame.Line)
		if !more {
			break
		}
	}
	fmt.Println("end")
	var one [1]byte
	n, _ := syscall.Read(0, one[:])
	return n
}

func main() { os.Exit(shop(len(os.Args))) }
END
echo 'module places' >places/go.mod

# place NAME FLAG...   builds it with these flags; each frame that it reports itself is in its dump, in that order
place() {
	name=$1
	shift
	(cd places && GOCACHE="$scratch/cache" GOFLAGS=-mod=mod GO111MODULE=on go build -o "../$name" "$@") || return 1
	"./$name" <never >"$name.out" & program=$!
	programs="$programs $program"
	until grep -q '^end' "$name.out"; do kill -0 $program || return 1; sleep .02; done
	status 0 stkcap -q --native $program -o "$name.stk"
	kill -9 $program
	sed '/^end/d' "$name.out" >"$name.reported"
	grep -c . "$name.reported"
	stkcat -q -f folded --annotate inlined "$name.stk" >"$name.folded"
	cat "$name.folded"
	stkcat -q --only frame -f tsv "$name.stk" | cut -f 2,4,5 | grep -Fx -f "$name.reported" >"$name.frames"
	diff "$name.frames" "$name.reported"
	grep -F ';main.main;main.shop_[i];main.sell_[i];main.wait;' "$name.folded"
}

check 'files, lines and inlined functions are those that the program reports' '
	place place-whole
	place place-bare -ldflags="-s -w"
	place place-anywhere -buildmode=pie -ldflags="-s -w" || { go env GOOS GOARCH; go version; test "$(uname -m)" != x86_64; }
'
if ! have readelf || ! have python3; then
	skip 'no readelf, no python3' '... and that Go has for each of its addresses'
else
check '... and that Go has for each of its addresses' '
	./place-bare <never >unused & program=$!
	programs="$programs $program"
	readelf -SW place-bare | sed "s/^ *\\[ *[0-9]*\\]//" | awk "\$1 == \".text\" { print \$3, \$5 }" >text
	python3 - <<-\END >addresses
	from_, size = (int(word, 16) for word in open("text").read().split())
	for address in range(from_, from_ + size, 3): print("%x" % address)
	END
	sed s/^/0x/ addresses | go tool addr2line place-bare | paste - - | sed "s/	:-1$/	?:0/" >known
	"$BUILD/t/tools/name_addresses" $program <addresses | awk -F "\t" "{ print \$(NF - 1) FS \$2 }" >named
	kill -9 $program
	test $(grep -c . known) -gt 100000
	cmp known named
'
fi
mkdir burn && cat >burn/main.go <<'END'
package main

import "fmt"

var sink uint64

//go:noinline
func spin(n uint64) uint64 {
	for i := 0; i < 1000000; i++ {
		n = n*6364136223846793005 + 1442695040888963407
	}
	return n
}

//go:noinline
func deep(n int) uint64 {
	if n == 0 {
		return spin(1)
	}
	return deep(n-1) + 1
}

func main() {
	fmt.Println("begun")
	for {
		sink += deep(3)
	}
}
END
echo 'module burn' >burn/go.mod

# tick NAME FLAG...   builds the other program with these flags; its time is below all its callers, of which the one
# of a function without a frame is seen by no frame pointer
tick() {
	name=$1
	shift
	(cd burn && GOCACHE="$scratch/cache" GOFLAGS=-mod=mod GO111MODULE=on go build -o "../$name" "$@") || return 1
	"./$name" >"$name.out" & program=$!
	programs="$programs $program"
	until grep -q . "$name.out"; do kill -0 $program || return 1; sleep .02; done
	status 0 stkcap --native $program --ticks 499 --every 500ms --count 4 -o "$name.stk"
	kill -9 $program
	stkcat -q -f folded --event cpu-clock --by none "$name.stk" >"$name.folded"
	cat "$name.folded"
	stack="runtime.goexit;runtime.main;main.main;main.deep;main.deep;main.deep;main.deep;main.spin"
	awk -v stack="$stack" "{ all += \$2 } \$1 == stack { whole += \$2 } END { exit !(all > 0 && whole >= .9 * all) }" \
	    "$name.folded"
}

stkcap -q --native $holder --ticks 99 --count 1 -o none.stk 2>why && got=0 || got=$?
if test $got = 3 || test "$(uname -m)" != x86_64; then
	skip "$(tail -n 1 why)" 'stacks at ticks are whole without symbols'
else
check 'stacks at ticks are whole without symbols, as with them' '
	tick burn-whole
	tick burn-bare -ldflags="-s -w"
'
check '... and in dumps: a function without a frame does not hide its caller' '
	stkcat -q -f folded --event none --by none burn-bare.stk >dumps
	cat dumps
	grep -q ";main.spin " dumps
	test $(grep ";main.spin " dumps | grep -vc "^runtime.goexit;runtime.main;main.main;main.deep;main.deep;main.deep;main.deep;main.spin ") -eq 0
'
check '... and loaded anywhere' '
	tick burn-anywhere -buildmode=pie -ldflags="-s -w"
'
fi
kill $holder
finish
