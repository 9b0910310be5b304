#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a file holds, read by the description of its form and by nothing of ours; and whether a stream has the same:

    second_reading.py FORM FILE <ROWS       FORM is one of those below; ROWS are what stkcat -f ndjson --event all prints of its stream

A row is a sample (time, thread and its number, state, event, weight, frames from the root on), a metric (time, name, value) or an event (time, happening, thread,
name, value, activity, processor, frames). Rows that only one of the two has are printed, "-" before what the stream lacks; the status is 1 then."""
import calendar, collections, csv, gzip, json, os, re, struct, sys, xml.etree.ElementTree, zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from sjk import KEYS, SLOTS     # what SJK's fourth version knows without naming it

NONE = None


def nanoseconds(text, scale=9):
    """A decimal number as a whole one of 10^-scale."""
    whole, _, part = text.partition(".")
    return int(whole) * 10 ** scale + int((part + "0" * scale)[:scale])


def moment(text):
    """2026-11-20T21:14:44.250Z"""
    date, _, part = text.rstrip("Z").partition(".")
    return calendar.timegm(tuple(map(int, re.findall(r"\d+", date)))) * 10 ** 9 + int((part + "0" * 9)[:9])


def sample(stack, weight=1, event="", time=NONE, thread="", number=0, state="unknown"):
    return ("sample", time, thread, number, state, event, weight, tuple(stack))


def metric(time, name, value): return ("metric", time, name, round(float(value), 9))


# --- protocol buffers ---

def fields(data):
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        key = number()
        wire = key & 7
        if wire == 0:
            yield key >> 3, number()
        elif wire == 1:
            at += 8
            yield key >> 3, struct.unpack_from("<Q", data, at - 8)[0]
        elif wire == 5:
            at += 4
            yield key >> 3, struct.unpack_from("<I", data, at - 4)[0]
        else:
            size = number()
            at += size
            yield key >> 3, data[at - size:at]


class Message:
    def __init__(self, data): self.all = list(fields(data))
    def each(self, field): return [value for key, value in self.all if key == field]
    def one(self, field, otherwise=0): return (self.each(field) or [otherwise])[-1]
    def text(self, field): return self.one(field, b"").decode()
    def messages(self, field): return [Message(value) for value in self.each(field)]

    def numbers(self, field):
        for value in self.each(field):
            if isinstance(value, int):
                yield value
            else:
                yield from (n for _, n in fields(b"".join(b"\0" + varint for varint in re.findall(rb"[\x80-\xff]*[\x00-\x7f]", value, re.DOTALL))))


def signed(number, bits=64): return number - (1 << bits) if number >> (bits - 1) & 1 else number


# --- forms ---

def rbspy(data):
    for line in data.decode().splitlines()[1:]:
        line = json.loads(line)
        if "trace" in line:
            time = line["time"]["secs_since_epoch"] * 10 ** 9 + line["time"]["nanos_since_epoch"]
            yield sample([f["name"] for f in reversed(line["trace"])], time=time, number=line["thread_id"] or 0,
                         state={True: "running", False: "sleeping"}.get(line["on_cpu"], "unknown"))


def plain(name):
    """A function of C++ without what it takes and gives back, as --keep-arguments would not."""
    return re.sub(r"\(.*", "", name) if "(" in name[1:] else name


def vtune(data):
    lines = data.decode().splitlines()
    own = [(i, name[:-len(":Self")]) for i, name in enumerate(next(csv.reader(lines[:1]))) if name.endswith(":Self")]
    path = []
    for line in lines[1:]:
        row = next(csv.reader([line.lstrip(" ")]))      # blanks before a quote would make it no quote
        del path[len(line) - len(line.lstrip(" ")):]
        path.append(plain(row[0].strip()))
        for i, name in own:
            cell = row[i].replace(",", "")
            if "Rate" in name or not cell:
                continue
            time = cell.endswith("s")
            weight = nanoseconds(cell[:-1]) if time else int(cell)
            if weight > 0:
                yield sample(path[1:], weight, "cpu/nanoseconds" if name == "CPU Time" else name)


def instruments(data):
    root, known = xml.etree.ElementTree.fromstring(data), {}
    for element in root.iter():
        if element.get("id"):
            known[element.get("id")] = element

    def full(element): return known[element.get("ref")] if element is not None and element.get("ref") else element
    def child(element, *names): return next((full(c) for c in element if c.tag in names), None)
    for row in root.iter("row"):
        thread, stack = child(row, "thread"), child(row, "backtrace", "tagged-backtrace")
        if stack is not None and stack.tag == "tagged-backtrace":
            stack = child(stack, "backtrace")
        frames = []
        for frame in (full(f) for f in (stack if stack is not None else ())):
            name, binary = frame.get("name"), child(frame, "binary")
            frames.append("[%s]" % binary.get("name") if name.startswith("0x") else plain(name))
        state = child(row, "thread-state").get("fmt")
        yield sample(frames[::-1], int(child(row, "weight").text), "cpu/nanoseconds", int(child(row, "sample-time").text), thread.get("fmt").split("  0x")[0],
                     int(child(thread, "tid").text), {"Running": "running", "Blocked": "sleeping"}.get(state, "unknown"))


def firefox(data):
    top = json.loads(data)
    shared, start = top.get("shared", {}), top["meta"].get("startTime", 0)
    ours = top["meta"].get("product") == "stkpipe"      # seconds of any clock, and a number of their own for threads without one
    for thread in top["threads"]:
        table = lambda name: shared.get(name) or thread[name]
        strings, stacks, frames, functions = (table(name) for name in ("stringArray", "stackTable", "frameTable", "funcTable"))
        samples, now = thread["samples"], 0
        for i, stack in enumerate(samples["stack"]):
            now = samples["time"][i] if "time" in samples else now + samples["timeDeltas"][i]
            names = []
            while stack is not None:
                names.append(strings[functions["name"][frames["func"][stacks["frame"][stack]]]])
                if "prefixOffset" in stacks:        # how far before it the caller is; 0: there is none
                    stack = stack - stacks["prefixOffset"][stack] if stacks["prefixOffset"][stack] else None
                else:
                    stack = stacks["prefix"][stack]
            time = round(now * 1000000) + (start * 1000000 if start > 1e11 or ours else 0)
            number = int(thread["tid"]) if str(thread.get("tid", "")).isdigit() else 0
            number = 0 if number > 10 ** 9 and ours else number
            yield sample(names[::-1], (samples.get("weight") or {i: 1})[i], "", time, thread["name"], number)


def otlp(data):
    top = Message(data)
    d = Message(top.one(2))
    strings = [s.decode() for s in d.each(5)]
    text = lambda m, field: strings[m.one(field)]
    modules, places, functions, attributes, stacks = (d.messages(table) for table in (1, 2, 3, 6, 7))

    def names_of(place):
        lines = place.messages(3)
        return [text(functions[line.one(1)], 1) for line in lines] or ["[%s]" % text(modules[place.one(1)], 4).rsplit("/", 1)[-1]]
    for profile in (p for r in top.messages(1) for s in r.messages(2) for p in s.messages(2)):
        type = Message(profile.one(1))
        scale = {"microseconds": 1000, "milliseconds": 10 ** 6, "seconds": 10 ** 9}.get(text(type, 2), 1)
        event = text(type, 1) if text(type, 2) in ("count", "") else text(type, 1) + "/" + ("nanoseconds" if scale > 1 else text(type, 2))
        for s in profile.messages(2):
            names = [name for place in stacks[s.one(1)].numbers(1) for name in names_of(places[place])]
            about = {text(attributes[a], 1): Message(attributes[a].one(2)) for a in s.numbers(2)}
            values = [signed(v) for v in s.numbers(4)]
            times = [t for packed in s.each(5) for t in (struct.unpack("<%dQ" % (len(packed) // 8), packed) if isinstance(packed, bytes) else [packed])]
            for i in range(max(len(values), len(times))):
                yield sample(names[::-1], scale * values[i] if values else 1, event, times[i] if times else profile.one(3) or NONE,
                             about["thread.name"].text(1) if "thread.name" in about else "", about["thread.id"].one(3) if "thread.id" in about else 0,
                             about["thread.state"].text(1) if "thread.state" in about else "unknown")


def simpleperf(data):
    assert data[:12] == b"SIMPLEPERF\1\0"
    at, records = 12, []
    while (size := struct.unpack_from("<I", data, at)[0]) > 0:
        records.append(Message(data[at + 4:at + 4 + size]))
        at += 4 + size
    files = {f.one(1): (f.text(2), [s.decode() for s in f.each(3)]) for r in records for f in r.messages(3)}
    threads = {t.one(1): t.text(3) for r in records for t in r.messages(4)}
    events = [e.decode() for r in records for m in r.messages(5) for e in m.each(1)]

    def name(call):
        path, symbols = files[call.one(2)]
        symbol = signed(call.one(3), 32)
        if not 0 <= symbol < len(symbols):
            return "[%s]" % path.rsplit("/", 1)[-1]
        return re.sub(r"\(.*", "", symbols[symbol]).split()[-1] if "(" in symbols[symbol] else symbols[symbol]
    for s in (s for r in records for s in r.messages(1)):
        yield sample([name(c) for c in s.messages(3)][::-1], s.one(4) or 1, events[s.one(5)] if events else "", s.one(1), threads.get(s.one(2), ""), s.one(2))


def packets(data):
    for packet in Message(data).messages(1):
        if packet.each(50):
            yield from packets(zlib.decompress(packet.one(50)))
        else:
            yield packet


def perfetto(data):
    all, threads, clocks = list(packets(data)), {}, {}
    for packet in all:
        for tree in packet.messages(2):
            for process in tree.messages(1):
                threads[process.one(1)] = process.text(3) if not process.each(3) else process.each(3)[0].decode()
            threads.update({t.one(1): t.text(2) for t in tree.messages(2)})
        for track in packet.messages(60):
            for t in track.messages(4):
                threads[t.one(2)] = t.text(5)
        for snapshot in packet.messages(6):
            for clock in snapshot.messages(1):
                clocks.setdefault(clock.one(1), clock.one(2))
    tables, events, last = collections.defaultdict(dict), {}, {}

    def name(sequence, frame):
        known = tables[sequence]
        function, mapping = known["frame", frame].one(2), known["frame", frame].one(3)
        if function and known["function", function]:
            return known["function", function]
        return "[%s]" % known["path", list(known["mapping", mapping].numbers(7))[-1]]
    for packet in all:
        sequence, clock = packet.one(10), packet.one(58, 6)
        if packet.one(13) & 1:
            tables[sequence].clear()
        for defaults in packet.messages(59):
            for perf in defaults.messages(12):
                events[sequence] = Message(Message(perf.one(1)).one(2) if isinstance(Message(perf.one(1)).one(2), bytes) else b"").text(10) or Message(perf.one(1)).text(10)
        for interned in packet.messages(12):
            for key, field in (("function", 5), ("path", 17)):
                tables[sequence].update({(key, s.one(1)): s.text(2) for s in interned.messages(field)})
            for key, field in (("mapping", 19), ("frame", 6), ("stack", 7)):
                tables[sequence].update({(key, m.one(1)): m for m in interned.messages(field)})
        for perf in packet.messages(66):
            if perf.each(17) or perf.each(18):      # of what was lost
                continue
            time = packet.one(8) - clocks[clock] + clocks[1]
            stack = [name(sequence, f) for f in tables[sequence]["stack", perf.one(4)].numbers(2)]
            yield sample(stack, 1, events.get(sequence, "perf"), time, threads.get(perf.one(3), ""), perf.one(3))


class Bytes:
    def __init__(self, data, at=0): self.data, self.at = data, at
    def left(self): return self.at < len(self.data)

    def take(self, form):
        values = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return values if len(values) > 1 else values[0]

    def bytes(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.take("<B")
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def utf16(self):
        end = self.at
        while self.data[end:end + 2] != b"\0\0":
            end += 2
        text = self.data[self.at:end].decode("utf-16-le")
        self.at = end + 2
        return text


def nettrace(data):
    """Version 4: objects of FastSerialization."""
    b = Bytes(data, 32)
    kinds, stacks, methods, found = {}, {}, [], []

    def blobs(block, metadata):
        head, flags = struct.unpack_from("<hh", block)
        at, last = Bytes(block, head), dict(kind=0, thread=0, stack=0, ticks=0, size=0)
        while at.left():
            if flags & 1:
                f = at.take("<B")
                if f & 1: last["kind"] = at.varint()
                if f & 2: at.varint(), at.varint(), at.varint()
                if f & 4: last["thread"] = at.varint()
                if f & 8: last["stack"] = at.varint()
                last["ticks"] += at.varint()
                if f & 16: at.bytes(16)
                if f & 32: at.bytes(16)
                if f & 128: last["size"] = at.varint()
            else:
                begin = at.at
                _, kind, _, last["thread"], _, _, last["stack"], last["ticks"] = at.take("<IIIqqiiq")
                last["kind"] = kind & 0x7fffffff
                at.bytes(32)
                last["size"] = at.take("<i")
            payload = Bytes(at.bytes(last["size"]))
            if not flags & 1:
                at.bytes(-at.at % 4)
            if metadata:
                number, provider, event = payload.take("<i"), payload.utf16(), payload.take("<i")
                kinds[number] = provider, event
            else:
                yield dict(last), payload
    while data[b.at:b.at + 1] != b"\1":
        assert b.bytes(3) == b"\5\5\1"
        b.bytes(8)
        name = b.bytes(b.take("<i")).decode()
        assert b.bytes(1) == b"\6"
        if name == "Trace":
            year, month, _, day, hour, minute, second, ms, sync, frequency = b.take("<8hqq")
            began = calendar.timegm((year, month, day, hour, minute, second)) * 10 ** 9 + ms * 10 ** 6
            b.bytes(16)
        else:
            size = b.take("<i")
            b.bytes(-b.at % 4)
            block = b.bytes(size)
            if name == "StackBlock":
                at = Bytes(block)
                first, count = at.take("<ii")
                for number in range(first, first + count):
                    size = at.take("<i")
                    stacks[number] = struct.unpack("<%dQ" % (size // 8), at.bytes(size))
            elif name == "SPBlock":
                stacks.clear()
            for blob, payload in blobs(block, name == "MetadataBlock") if name in ("MetadataBlock", "EventBlock") else ():
                provider, event = kinds[blob["kind"]]
                if provider == "Microsoft-DotNETCore-SampleProfiler" and event == 0:
                    found.append((blob, stacks.get(blob["stack"], ())))
                elif provider.startswith("Microsoft-Windows-DotNETRuntime") and event in (143, 144):
                    _, _, address, size, _, _ = payload.take("<QQQIII")
                    type, method = payload.utf16(), payload.utf16()
                    methods.append((address, address + size, type + "." + method if type else method))
        assert b.bytes(1) == b"\6"

    def name(address, leaf):
        # a caller's is where it goes on, which may be behind its end
        return next((name for at in ((address,) if leaf else (address - 1, address)) for begin, end, name in methods if begin <= at < end), "[unknown]")
    for blob, stack in found:
        yield sample([name(address, i == 0) for i, address in enumerate(stack)][::-1], 1, "samples", began + (blob["ticks"] - sync) * 10 ** 9 // frequency, "",
                     blob["thread"])


def sjk(data):
    """EVENTDUMP_1, as SJK's reader reads it."""
    assert data[:12] == b"EVENTDUMP_1 "
    b = Bytes(zlib.decompress(data[12:]))
    strings, slots, frames, sets = [None], {}, [None], {5: {0: {}}, 6: {0: {}}}

    def integer(most=4):
        value = 0
        for i in range(most):
            byte = b.take("<B")
            if i + 1 == most:
                return value | byte << 7 * i
            value |= (byte & 127) << 7 * i
            if byte < 128:
                return value
    def long(): return signed(integer(9))

    def utf():
        return b.bytes(b.take(">H")).decode("utf-8", "surrogatepass").encode("utf-16", "surrogatepass").decode("utf-16")
    strings += KEYS
    slots.update(enumerate(SLOTS, 1))
    while b.left():
        tag = b.take("<B")
        if tag == 1:
            strings.append(utf())
        elif tag == 2:
            frames.append([integer() for _ in range(5)])
        elif tag == 4:
            number = integer()
            slots[number] = utf()
        elif tag in (5, 6):
            number, base = integer(), integer()
            now = {key: set(values) for key, values in sets[tag][base].items()}
            while (change := b.take("<B")) != 0:
                key = strings[integer()]
                if change == 2: now.setdefault(key, set())
                elif change == 4: now.pop(key, None)
                else:
                    value = slots[integer()]
                    if change == 1: now.setdefault(key, set()).add(value)
                    elif change == 3: now[key] = {value}
                    elif change == 5: now[key].discard(value)
            sets[tag][number] = now
        elif tag == 3:
            keys, time = sets[6][integer()], 1391255854894 + long()
            counted = sorted(sets[5][integer()])
            counters = {key: long() for key in counted}
            has_stack = "thread-stack" in keys["(stored-parts)"]
            stack = [frames[integer()] for _ in range(integer())] if has_stack else []
            if "thread.javaId" in counters:
                text = lambda n: strings[n] or ""
                yield sample([".".join(filter(None, (text(f[0]), text(f[1]), text(f[2])))) for f in stack][::-1], 1, "", time * 10 ** 6,
                             next(iter(keys["thread.javaName"])), counters["thread.javaId"],
                             next(iter(keys["thread.javaState"])).lower().replace("_", "-"))
            else:
                space = lambda end: sum(v for k, v in counters.items() if k.endswith(end) and ("eden" in k or "survivor" in k or "old" in k))
                pause = counters["duration"] / 10 ** 6
                for name, value in (("heap.before", space(".before")), ("heap.used", space(".used")), ("gc.pause", pause),
                                    ("gc.cause." + next(iter(keys["jvm.gc.name"])), pause)):
                    yield metric(time * 10 ** 6, name, value)


def javacore(data):
    time, section, thread, rows, heap = NONE, "", None, [], {}
    states = {"R": "runnable", "CW": "waiting", "B": "blocked", "P": "waiting", "S": "waiting"}

    def done():
        if thread:
            rows.append(sample(thread["java"][::-1], 1, "", time, thread["name"], thread["number"], thread["state"]))
            if thread["native"]:
                rows.append(sample(thread["native"][::-1], 1, "native", time, thread["name"], thread["number"], thread["state"]))
    for line in data.decode().splitlines():
        tag, _, rest = line.partition(" ")
        rest = rest.strip()
        if tag == "1TIDATETIMEUTC":
            time = calendar.timegm(tuple(map(int, re.findall(r"\d+", rest)[:6]))) * 10 ** 9 + int(rest.split(":")[4].split()[0]) * 10 ** 6
        elif tag == "1XMTHDINFO":
            section = "threads"
        elif tag == "0SECTION" or tag == "1XMTHDSUMMARY":
            done()
            thread, section = None, ""
        elif tag == "3XMTHREADINFO" and section:
            done()
            named = re.match(r'"(.*)" J9VMThread:0x[0-9A-F]+, .*state:(\w+)', rest)
            thread = {"name": named[1] if named else rest, "state": states[named[2]] if named else "unknown", "number": 0, "java": [],
                      "native": []}
        elif tag == "3XMTHREADINFO1" and thread and "native thread ID" in rest:
            thread["number"] = int(re.search(r"native thread ID:(0x[0-9A-F]+)", rest)[1], 16)
        elif tag == "4XESTACKTRACE" and thread:
            thread["java"].append(re.match(r"at (.*?)\([^()]*(\(.*\))?[^()]*\)$", rest)[1].replace("/", ".", rest.split("(")[0].split("/0x")[0].count("/")))
        elif tag == "4XENATIVESTACK" and thread:
            called = re.match(r"(?:(.*?)(?:\+0x[0-9a-f]+)? )?\(0x[0-9A-F]+(?: \[(.*?)\+0x[0-9a-f]+\])?\)", rest)
            thread["native"].append(called[1] or "[%s]" % called[2])
        elif tag.endswith("MEMUSER") and tag[0] in "12" and "bytes" in rest:
            name, size = re.match(r"[|+ -]*(.*?): ([0-9,]+) bytes", rest).groups()
            rows.append(("metric", "native.used." + name, size.replace(",", "")))
        elif tag == "1STHEAPTOTAL":
            rows.append(("metric", "heap.total", re.search(r": +(\d+)", rest)[1]))
        elif tag == "1STHEAPINUSE":
            rows.append(("metric", "heap.used", re.search(r": +(\d+)", rest)[1]))
        elif tag == "1STSEGTYPE":
            segment = rest
        elif tag in ("1STSEGTOTAL", "1STSEGINUSE"):
            rows.append(("metric", "segment.%s.%s" % ("total" if tag == "1STSEGTOTAL" else "used", segment), re.search(r": +(\d+)", rest)[1]))
    yield from (metric(time, row[1], row[2]) if row[0] == "metric" else row for row in rows)


CAUSES = {"explicit": "System.gc()"}


def verbose_gc(data):
    """A stop of all threads is a row of metrics when it has a collection: what was free before the first and after the last."""
    root = xml.etree.ElementTree.fromstring(data + (b"" if b"</verbosegc>" in data else b"</verbosegc>"))
    stop = None
    name = lambda e: e.tag.rsplit("}", 1)[-1]
    memory = lambda e: next(m for m in e if name(m) == "mem-info")
    for e in root:
        time = moment(e.get("timestamp") or "1970-01-01T00:00:00")
        if name(e) == "exclusive-start":
            stop = {"time": time, "cause": "", "first": None, "last": None, "full": False}
        elif name(e) == "af-start":
            stop["cause"] = "allocation failure, " + e.get("type")
        elif name(e) == "sys-start":
            stop["cause"] = CAUSES.get(e.get("reason"), e.get("reason"))
        elif name(e) == "allocation-taxation":
            stop["cause"] = "allocation taxation"
        elif name(e) == "gc-start":
            stop["first"] = stop["first"] or memory(e)
            stop["full"] |= e.get("type") == "global"
        elif name(e) == "gc-end":
            stop["last"] = memory(e)
        elif name(e) == "exclusive-end" and stop:
            if stop["last"] is not None:
                used = lambda m: int(m.get("total")) - int(m.get("free"))
                pause, at = float(e.get("durationms")) / 1000, stop["time"]
                yield from (metric(at, n, v) for n, v in (
                    ("heap.before", used(stop["first"])), ("heap.used", used(stop["last"])), ("heap.used." + ("full" if stop["full"] else "young"), used(stop["last"])),
                    ("heap.total", int(stop["last"].get("total"))), ("gc.pause.full" if stop["full"] else "gc.pause", pause), ("gc.cause." + stop["cause"], pause)))
            stop = None
        elif name(e) == "concurrent-start":
            begun = time
        elif name(e) == "concurrent-end":
            yield metric(begun, "gc.concurrent." + e.get("type"), (time - begun) / 1e9)


def ftrace(data):
    """Events; the values that they have are not compared. A processor that is idle is a thread of its own. A stack is of the processor's last event."""
    open_slices, stack_of = collections.defaultdict(list), []
    rows, before, latest = [], {}, None
    for line in data.decode().splitlines():
        frame = re.match(r" => ([^ +]+)", line)
        if frame:
            stack_of.append(frame[1])
            rows[latest][-1] = tuple(stack_of[::-1])
            continue
        head = re.match(r"\s*(.*)-(\d+)\s+(?:\(\s*[\d-]+\)\s+)?\[(\d+)\]\s+(?:[^ ]{3,6}\s+)?(\d+\.\d+): (.*)$", line)
        if line.startswith("#") or not head:
            continue
        command, number, processor, time, event = head[1], int(head[2]), int(head[3]), nanoseconds(head[4]), head[5]
        if number == 0:
            command = line[:line.index("]") + 1].strip()

        def add(happening, name, value=0.0, activity=0, thread=command):
            rows.append(["event", time, happening, thread, name, value, activity, processor, ()])
        if event == "<stack trace>":
            stack_of = []
            latest = next(i for i in range(before[processor], len(rows)) if rows[i][3] == command)
            continue
        before[processor] = len(rows)
        name, _, about = event.partition(": ")
        switch = re.search(r"prev_comm=(.*) prev_pid=(\d+) .*==> next_comm=(.*) next_pid=(\d+)", about) or re.match(r"(.*?):(\d+) \[.*==> (.*?):(\d+) \[", about)
        call = re.match(r"sys_(?:(enter|exit)_)?(\w+)(\(| -> |: )", event)
        if name == "sched_switch":
            if int(switch[2]) != 0:
                add("switch-out", name, thread=switch[1])
            if int(switch[4]) != 0:
                add("switch-in", name, thread=switch[3])
        elif call:
            add("stop" if call[1] == "exit" or call[3] == " -> " else "start", call[2])
        elif name == "tracing_mark_write":
            kind, *parts = about.split("|")
            slices = open_slices[number]
            if kind == "B":
                slices.append(parts[1])
                add("start", parts[1])
            elif kind == "E":
                add("stop", slices.pop())
            elif kind == "C":
                add("point", parts[1], float(parts[2]))
            elif kind in "SF":
                add("start" if kind == "S" else "stop", parts[1], 0.0, int(parts[2]))
        elif re.search("_(entry|exit)$", name):
            add("start" if name.endswith("entry") else "stop", name.rsplit("_", 1)[0])
        else:
            add("point", name.split(" ")[0])
    yield from map(tuple, rows)


FORMS = {"rbspy": rbspy, "vtune": vtune, "instruments": instruments, "firefox": firefox, "otlp": otlp, "simpleperf": simpleperf, "perfetto": perfetto,
         "nettrace": nettrace, "sjk": sjk, "javacore": javacore, "verbose-gc": verbose_gc, "ftrace": ftrace}


def of_stream(lines):
    def time(text): return NONE if text is None else moment(text) if "T" in text else nanoseconds(text)
    for line in lines:
        row = json.loads(line)
        if row["kind"] == "sample":
            yield sample(row["stack"], row["weight"], row["event"] or "", time(row["time"]), row["thread"] or "", row["tid"] or row["number"], row["state"])
        elif row["kind"] == "metric":
            yield metric(time(row["time"]), row["name"], row["value"])
        elif row["kind"] == "event":
            yield ("event", time(row["time"]), row["happening"], row["thread"], row["name"], row["value"], row["activity"], row["processor"], tuple(row["stack"]))


def main():
    with open(sys.argv[2], "rb") as file:
        data = file.read()
    wanted = collections.Counter(FORMS[sys.argv[1]](gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data))
    got = collections.Counter(of_stream(sys.stdin))
    for sign, rows in (("-", wanted - got), ("+", got - wanted)):
        for row, count in list(rows.items())[:10]:
            print(sign, count, *row)
    print(wanted.total(), "rows")
    sys.exit(wanted != got or not wanted)


main()
