#!/bin/sh
# SPDX-License-Identifier: MIT
# stkcap --native of programs of Go without symbols: their functions have the names that the program itself knows.
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
	stkcat -f folded "$name.stk" | sed "s|\.abi0||g" >"$name.folded"	# what symbols have beside the name
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
kill $holder
finish
