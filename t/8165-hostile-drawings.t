#!/bin/sh
# SPDX-License-Identifier: MIT
# Every drawing of stkplot of names that are hostile, of none, one and very deep stacks: SVG is XML, terminals get no control character, a report has no script.
. "${0%/*}/lib/tap.sh"
have stkplot stktrend python3 zstd || skip_all 'no stkplot, stktrend, python3 or zstd'

python3 - <<'X'
names = [b"</script><script>window.pwned=1</script>", b"<!--<script>", b"\"onmouseover=\"window.pwned=1", b"<img src=x onerror=window.pwned=1>", b"]]><script>x</script>",
	b"</style><script>x</script>", b"</title></desc></svg>", "\u202Etxt.exe\u202C".encode(), b"\x1b[31m\x07", b"%00%0a#&v=2&=", b"y" * 65536, "\ufffe\u05d0".encode(),
	b"\xff\xc0\x80\xed\xa0\x80", b"\x85\x9b31m", b"'\"&<>", b"a\\b\\\"c", b"{}|<0>"]
thread = (b"\"%s\" #%d prio=5 os_prio=0 cpu=1.00ms elapsed=100.00s tid=0x%x nid=0x%x %s [0x1]\n   java.lang.Thread.State: %s\n%s\n")
with open("hostile.txt", "wb") as f:
	for second in range(0, 24, 2):
		f.write(b"2026-01-01 00:00:%02d\nFull thread dump OpenJDK 64-Bit Server VM (21 mixed mode):\n\n" % second)
		for n, name in enumerate(names, 1):
			f.write(thread % (name, n, n, n, b"waiting for monitor entry", b"BLOCKED (on object monitor)",
				b"\tat a.%s.d(C.java:1)\n\t- waiting to lock <0x%x> (a a.%s)\n\tat a.b.%s(D.java:2)\n" % (name, 0x100 + n % 2, name, name)))
		f.write(thread % (b"holder" + names[0], 99, 99, 99, b"runnable", b"RUNNABLE", b"\tat a.b.c(C.java:1)\n\t- locked <0x100> (a a.%s)\n\t- locked <0x101> (a x)\n" % names[0]))
with open("deep.txt", "w") as f:
	for i in range(3):
		f.write("@%d\n" % (1772323200 + i * 60) + ";".join("f%d" % k for k in range(10000)) + " 3\n")
X
stkcap -q --format thread-dump hostile.txt -o hostile.stk
stkcap -q --format folded-dumps deep.txt -o deep.stk
printf '@1772323200\nmain;a 1\n' | stkcap -q --format folded-dumps - -o one.stk
stkcat -q -S --grep nobody_at_all hostile.stk >none.stk
for stream in hostile deep one; do
	stkclass -q -o "$stream-classes.stk" "$stream.stk"
	stktrend -q --periods none -f stream "$stream-classes.stk" >"$stream-trend.stk"
	stkgroup -q -s jvm --step 10s -f stream "$stream.stk" >"$stream-groups.stk"
done
cat >look.py <<'X'
import sys, unicodedata, xml.etree.ElementTree as xml
for name in sys.argv[1:]:
	if name.endswith("svg"):
		root = xml.parse(name).getroot()
		bad = [e.tag for e in root.iter() if e.tag.endswith(("script", "foreignObject", "}img", "}a"))] + [k for e in root.iter() for k in e.keys() if k.startswith("on")]
	elif name.endswith("term"):
		bad = [c for c in open(name, "rb").read().decode("utf-8") if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Cs")]
	else:
		bad = [word for word in ("<script", "<img", "href=") if word in open(name, encoding="ascii").read().lower().replace("href=\"#w", "")]
	assert not bad, (name, bad[:5])
X
# drawn STREAM PICTURE...: each form of each picture, and the report
drawn() {
	stream=$1
	shift
	for picture; do
		case $picture in trend | groups | classes) file=$stream-$picture.stk ;; *) file=$stream.stk ;; esac
		for form in svg term; do
			case $picture-$form in heat-svg) continue ;; esac
			(ulimit -t 10; stkplot "$picture" -q -f $form --color never "$file" >"$picture.$form") || { echo "$picture $form $file"; return 1; }
			test "$(wc -c <"$picture.$form")" -lt 1500000 || { echo "$picture $form is large"; return 1; }
		done
	done
	(ulimit -t 10; stkplot report -q "$stream.stk" >report.html) || return 1
	python3 look.py ./*.svg ./*.term report.html
	rm -f ./*.svg ./*.term
}

check 'hostile names' '
	drawn hostile flame icicle heat states locks trend groups classes
	stkplot states -q -f term --color never --width 200 hostile.stk | grep -q "waited for a.</script"
'
check '10,000 levels' '
	drawn deep flame icicle heat states locks trend groups classes
'
check 'one sample' '
	drawn one flame icicle heat states locks trend groups classes
'
check 'none: pictures say so, heat and what needs other records refuse' '
	drawn none flame icicle states locks
	for picture in heat trend groups classes; do
		stkplot $picture -q -f term none.stk >out 2>err && status=0 || status=$?
		test $status = 1 -o $status = 2 || { echo "$picture: $status"; false; }
		grep -q "^stkplot: no " err
	done
'
finish
