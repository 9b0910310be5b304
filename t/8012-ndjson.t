#!/bin/sh
# SPDX-License-Identifier: MIT
# NDJSON for people: each row names what it refers to, and says what the same row of TSV says; --ids leaves the numbers.
. "${0%/*}/lib/tap.sh"
have python3 || skip_all 'no python3'

bad=$(printf '\033[31m\033]0;pwn\007\302\233m\233\177\342\200\256\\t"quoted"')
{
	printf '2026-11-20 22:14:44\nFull thread dump OpenJDK %s VM (25+36 mixed mode):\n\n' "$bad"
	for i in 1 2 3; do
		printf '"pool-%s-%s" #%s prio=5 os_prio=0 cpu=1.00ms elapsed=2.00s tid=0x1 nid=0x%s waiting for monitor entry  [0x0]\n' "$bad" $i $i $i
		printf '   java.lang.Thread.State: BLOCKED (on object monitor)\n\tat com.acme.f%s(A%s.java:1)\n\t- waiting to lock <0x1%s> (a %s.Lock)\n\tat main.run(B.java:2)\n\n' "$bad" "$bad" $i "$bad"
	done
} >dump.txt
stkcap -q --source "host-$bad" -o dump.stk dump.txt
printf 'th%s 10/11 [000] 5.000000: 1 cyc%s:\n\t7f00 a->b%s+0x1 (/bin/%s)\n\t7f01 main (/bin/x)\n\nth 10/12 [001] 6.5: 7 cycles:\n\n' "$bad" "$bad" "$bad" "$bad" |
	stkcap -q --format perf-script -o perf.stk -
printf 'main;f%s;leaf%s 5\nmain;g%s 3\n' "$bad" "$bad" "$bad" | stkcap -q --format folded -o folded.stk -
stkcap -q --zone +01:00 -o orders.stk "$t/data/orders.jstack.txt"
stkclass -q -f stream orders.stk >classed.stk
stkgroup -q -s jvm -f stream orders.stk perf.stk >grouped.stk
stktree -q -o tree.stk orders.stk
stktrend -q -f stream classed.stk >trend.stk
cat dump.stk perf.stk orders.stk >all.stk
# the same with the descriptions of all blocks of a kind damaged: their definitions are lost
python3 - <<-'X'
	for name in ("orders.stk", "perf.stk"):
	    for number, kind in enumerate("string frame stack source thread locks objects dump".split(), 1):
	        data, at = bytearray(open(name, "rb").read()), 0
	        while (at := data.find(b"stk1", at)) >= 0:
	            if data[at + 8] == number:
	                data[at + 9] ^= 1
	            at += 4
	        if data != open(name, "rb").read():
	            open(kind + "-lost-" + name, "wb").write(data)
X
stkcat --kinds -f tsv >kinds

cat >same.py <<'X'
# same.py FILE OPTION...: whether the rows of NDJSON and TSV say the same, kind by kind. TSV is read by its header.
import json, re, subprocess, sys

types = {}
for line in open("kinds").read().splitlines()[1:]:
    number, kind, role, place, column, type, about = line.split("\t")
    types[kind, column] = type
ESCAPES = {b"t": b"\t", b"n": b"\n", b"r": b"\r", b"\\": b"\\"}

def run(*options):
    done = subprocess.run(["stkcat", "-q", *options, *sys.argv[1:]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert done.returncode in ([0, 1] if "-lost-" in sys.argv[1] else [0]), (options, done.returncode)
    return done.stdout

def plain(cell):
    return re.sub(rb"\\(x[0-9a-f]{2}|.)", lambda m: bytes([int(m[1][1:], 16)]) if m[1][:1] == b"x" else ESCAPES[m[1]], cell)

def lock(line):
    if line["relation"] == "?":
        return "?"
    return " ".join([line["relation"]] + [line[key] for key in ("class", "address") if line[key] is not None] + ["@" + line["depth"]])

def text(kind, column, value):
    type = types.get((kind, column), "")
    if value is None:
        return {"time": "-", "id:dump": "0", "real": "nan"}.get(type, "0" if column in ("tid", "number") else "")
    if type == "id:locks":
        return ", ".join(lock(line) for line in value)
    if isinstance(value, list):
        return (" " if type == "id:objects" else ";").join(value)
    return value

checked = 0
present = [line.split("\t")[0] for line in run("--contents", "-f", "tsv").decode().splitlines()[1:]]
for kind in sorted({kind for kind, column in types} & set(present) - {"head"}):
    rows = [line.split(b"\t") for line in run("-f", "tsv", "--only", kind).split(b"\n")[:-1]]
    objects = [json.loads(line, parse_int=str, parse_float=str) for line in run("-f", "ndjson", "--only", kind).decode().split("\n")[:-1]]
    header = [name.decode() for name in rows[0]]
    assert len(objects) == len(rows) - 1, (kind, len(objects), len(rows))
    for row, object in zip(rows[1:], objects):
        assert object.pop("kind") == kind
        assert (object.pop("age", None) is not None) == (kind == "sample")
        assert sorted(object) == sorted(header), (object, header)
        for name, cell in zip(header, row):
            got = text(kind, name, object[name]).encode("utf-8", "surrogateescape")
            assert got == plain(cell), (kind, name, got, cell)
            checked += 1
assert checked > 10, checked
X

check 'every row of every kind says what its row of tsv says' '
	for file in dump perf folded orders classed grouped tree trend all; do python3 same.py $file.stk || { echo "$file"; false; }; done
'
check '... with full names, in another zone, and chosen' '
	for options in "--names full" "--zone Europe/Berlin" "--state blocked,waiting" "--grep main"; do
		for file in dump perf orders; do python3 same.py $file.stk $options || { echo "$file $options"; false; }; done
	done
'
check '... and where definitions were lost' '
	for file in *-lost-orders.stk *-lost-perf.stk; do python3 same.py $file || { echo "$file"; false; }; done
'
check 'a sample: thread, pool, stack as an array, state, locks with class and address, time, and no other number than it has' '
	stkcap -q --source vm --zone +01:00 "$t/data/orders.jstack.txt" | stkcat -f ndjson --only sample --thread order-2 --from 2026-03-01T08:00:20Z >got
	cat >want <<-X
	{"kind":"sample","time":"2026-03-01T08:00:20Z","dump":3,"thread":"order-2","stack":["java.lang.Thread.run","shop.Order.run","shop.Stock.count","shop.Order.cancel"],"weight":1,"event":null,"processor":-1,"state":"blocked","condition":"waiting for monitor entry","locks":[{"relation":"waiting-to-lock","class":"shop.Order","address":"0xe10000c0","depth":1},{"relation":"locked","class":"shop.Stock","address":"0xe10000b8","depth":2}],"cpu":10900520000,"elapsed":28500000000,"allocated":0,"classes":0,"note":null,"age":0,"source":"vm","tid":4108,"number":12,"pool":"order"}
	X
	same want got
'
check 'pool in both forms is that of --by pool' '
	stkcat -f folded --by pool orders.stk | sed "s/;.*//; s/ [0-9]*$//" | sort -u >want
	stkcat -f tsv --only sample orders.stk | awk -F "\t" "NR == 1 { for (i = 1; i <= NF; i++) if (\$i == \"pool\") at = i; next } { print \$at }" | tr ";" ":" | sort -u | same want -
'
check '--ids: the numbers as they are in the stream, times in nanoseconds' '
	stkcat -f ndjson --ids --only sample orders.stk | head -1 >got
	grep -E "^\{\"kind\":\"sample\",\"time\":1772352000000000000,\"dump\":1,\"thread\":1,\"stack\":[0-9]+,.*\"locks\":0,\"objects\":0,.*\"age\":0\}$" got
'
check 'interrupted, tsv and ndjson end by the signal and with a whole line, also while nobody reads what they write' '
	python3 - <<-"X"
	import json, signal, subprocess, time
	stream = open("orders.stk", "rb").read() * 400
	open("long.stk", "wb").write(stream)
	def state(run):
	    return open("/proc/%d/stat" % run.pid).read().rsplit(")", 1)[1].split()[0]
	def settled(run):           # it sleeps, and has read or written nothing more for a while
	    last, since = None, time.monotonic()
	    while time.monotonic() - since < 0.3:
	        now = open("/proc/%d/io" % run.pid).read().split()[:4], state(run)
	        if now != last or now[1] != "S":
	            last, since = now, time.monotonic()
	        time.sleep(0.02)
	for form in ("tsv", "ndjson", "ndjson --ids"):
	    for options in (["long.stk"], ["-"]):
	        run = subprocess.Popen(["stkcat", "-q", "-f", *form.split(), *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
	                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))    # ignored where tests run in the background
	        if options == ["-"]:
	            run.stdin.write(stream[:len(stream) // 400])    # and no end
	            run.stdin.flush()
	        settled(run)
	        run.send_signal(signal.SIGINT)
	        out, err = run.communicate()
	        assert run.returncode == -signal.SIGINT, (form, options, run.returncode, err)
	        assert out.endswith(b"\n") and len(out) > 1000, (form, options, len(out), out[-100:])
	        if form != "tsv":
	            for line in out.splitlines():
	                json.loads(line)
	        else:
	            assert b"\n# kind sample\n" in out and out.rsplit(b"\n", 2)[1].count(b"\t") > 0
	X
'
finish
