#!/bin/sh
# SPDX-License-Identifier: MIT
# A method of Java has one name, whatever wrote the recording, and --explain says what is true of it.
. "${0%/*}/lib/tap.sh"

cat >s.yaml <<'END'
scheme: s
groups:
- name: map
  members: [java.util.HashMap.getNode]
- name: price
  members: ['Shop$Prices.*']
- name: numbers
  members: ['java.math.*']
END
# the name, and a form in which a profiler writes it
cat >names <<'END'
java.util.HashMap.getNode	java.util.HashMap.getNode
java.util.HashMap.getNode	java/util/HashMap.getNode
java.util.HashMap.getNode	java/util/HashMap:.getNode
java.util.HashMap.getNode	java/util/HashMap:::getNode
java.util.HashMap.getNode	Ljava/util/HashMap:::getNode
java.util.HashMap.getNode	Ljava/util/HashMap:.getNode
java.util.HashMap.getNode	java.util.HashMap.getNode(java.lang.Object)
java.util.HashMap.getNode	java.util.HashMap$Node java.util.HashMap.getNode(java.lang.Object)
java.util.HashMap.getNode	java.util.HashMap::getNode
java.util.HashMap.getNode	java.util.HashMap::getNode(java.lang.Object)
java.util.HashMap.getNode	java.util.HashMap$Node java.util.HashMap::getNode(java.lang.Object, int)
java.util.HashMap.<init>	java.util.HashMap::<init>
java.util.HashMap.<init>	java/util/HashMap.<init>
Shop$Prices.price	Shop$Prices.price
Shop$Prices.price	java.math.BigDecimal Shop$Prices.price(Shop$Order)
com.acme.Shop$$Lambda/0x00007f.run	com/acme/Shop$$Lambda/0x00007f.run
java.math.BigDecimal.add	java/math/BigDecimal.add
END
# names of other languages, and what is almost a method of Java
cat >others <<'END'
net/http.HandlerFunc.ServeHTTP
encoding/json.Marshal
github.com/acme/Shop.Sell
src/components/App.js
lib/Foo.pm
/usr/lib/Foo.bar
Foo/Bar.baz
com/acme/Shop.
com/acme/.sell
com/acme/Shop
com/acme/Shop:::
:::x
:.
a/B.c d
std/Vec<int>:::push
Foo::bar
app/main.main
std.vector::push
a.B::
.B::c
a..B::c
a.B::c::d
9a.B::c
a.b::C::d
a.B::c(d
x a.B::c
alloc..string..String::push
com.acme.Box<int>::get
END

check 'examples of schemes may have any of these forms, as --explain takes them' '
	{ cat s.yaml; printf "examples:\n"; grep "HashMap.getNode\|price" names | awk -F "\t" "{ printf \"- {stack: \\\"main;%s\\\", group: %s}\n\", \$2, \$1 ~ /price/ ? \"price\" : \"map\" }"; } >ex.yaml
	stkgroup -s ex.yaml --test >said
	test ! -s said && test "$(grep -c "^- {stack" ex.yaml)" -gt 10
	sed "/^- {stack/s/group: .*}/group: other}/" ex.yaml >wrong.yaml
	status 1 stkgroup -s wrong.yaml --test >said
	test "$(wc -l <said)" -eq "$(grep -c "^- {stack" ex.yaml)"
'
check 'folded stacks have the names of thread dumps' '
	awk -F "\t" "{ print \"main;\" \$2 \" 1\" }" names >n.txt
	stkcap -q --format folded n.txt >n.stk
	stkcat -q -f folded n.stk | sed "s/ [0-9]*\$//" >got
	awk -F "\t" "{ print \"main;\" \$1 }" names | LC_ALL=C sort -u | same - got
	stkcap -q --raw-symbols --format folded n.txt | stkcat -q -f folded - | LC_ALL=C sort >raw
	LC_ALL=C sort n.txt | same - raw
'
check '... and those of other languages stay' '
	sed "s/^/main;/; s/\$/ 1/" others >o.txt
	stkcap -q --format folded o.txt | stkcat -q -f folded - | LC_ALL=C sort >got
	LC_ALL=C sort o.txt | same - got
'
check '--explain names the group that a recording has, for every form' '
	while IFS="	" read -r name form; do
		printf "main;%s 1\n" "$form" | stkcap -q --format folded - | stkgroup -q -s s.yaml -f tsv | sed -n 2p | cut -f 2 >want
		stkgroup -s s.yaml --explain "main;$form" >said
		head -1 said | cut -f 1 | same want - || { echo "$form"; false; }
		if grep -q "won" said; then grep -q "	$name	won" said; fi
	done <names
	while read -r form; do
		stkgroup -s s.yaml --explain "main;$form" | head -1 | cut -f 1 | grep -qx "(none)"
	done <others
'
check '--explain: what has a ";" in its name, a module, blanks, no names' '
	for form in "Ljava/util/HashMap;::getNode" "Ljava/util/HashMap;.getNode" "Ljava/util/HashMap;::getNode (perf-1.map)" " java/util/HashMap.getNode "; do
		stkgroup -s s.yaml --explain "main;$form;leaf" | head -1 | cut -f 1 | grep -qx map
		stkgroup -s s.yaml --explain "$form" | head -1 | cut -f 1 | grep -qx map
	done
	for form in ";" ";;" "Lx;" "L/;::" "L/;." " (" "()" " ()" "Ljava/util/HashMap;" "Ljava/util/HashMap; ::getNode"; do
		stkgroup -s s.yaml --explain "$form" | head -1 | cut -f 1 | grep -qx "(none)"
	done
'
cat >inlined.yaml <<'END'
siblings:
  - { name: libc, members: [{ module: '*libc.so*' }] }
  - { name: own, members: [{ module: '/*' }] }
  - { name: inlined, members: [{ module: inlined }] }
END
perf_of() {
	printf 'app 7 1.000000: 10000000 cpu-clock: \n'
	printf '\t%s\n' "$@"
	echo
}
check 'an inlined frame is in the module of the function that it is part of, in a recording as in --explain' '
	libc=/usr/lib/libc.so.6
	{ perf_of "10 getenv+0x1 (inlined)" "10 mktime+0x1 ($libc)" "20 main+0x1 (/bin/app)"
	  perf_of "11 small+0x1 (inlined)" "11 smaller+0x1 (inlined)" "11 main+0x1 (/bin/app)"
	  perf_of "10 getenv+0x1 (inlined)" "11 main+0x1 (/bin/app)"
	  perf_of "10 getenv+0x1 (inlined)"; } >inlined.perf
	stkcap -q inlined.perf | stkgroup -s inlined.yaml -f tsv >got
	test "$(awk -F "\t" "NR > 1 { print \$2, \$3 }" got | sort | paste -sd " ")" = "(none) 1 libc 1 own 2"
	stkgroup -s inlined.yaml --explain "main (/bin/app);mktime ($libc);getenv (inlined)" | head -1 | cut -f 1 | grep -qx libc
	stkgroup -s inlined.yaml --explain "main (/bin/app);smaller (inlined);small (inlined)" | head -1 | cut -f 1 | grep -qx own
	stkgroup -s inlined.yaml --explain "getenv (inlined)" | head -1 | cut -f 1 | grep -qx "(none)"
'
finish
