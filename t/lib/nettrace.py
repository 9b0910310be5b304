#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# nettrace.py: traces of .NET's EventPipe, versions 4 and 6, written after their descriptions: nettrace.py NAME, one of those below, on stdout.
import struct, sys

def z(s): return s.encode("utf-16-le") + b"\0\0"

def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])

class File:
    def __init__(self): self.out = b"Nettrace" + struct.pack("<I", 20) + b"!FastSerialization.1"
    def object(self, name, payload, block=True):
        self.out += b"\5\5\1" + struct.pack("<iii", 2, 0, len(name)) + name.encode() + b"\6"
        if block:
            self.out += struct.pack("<i", len(payload))
            self.out += b"\0" * (-len(self.out) % 4)
        self.out += payload + b"\6"
    def trace(self, frequency=10 ** 7):
        self.object("Trace", struct.pack("<8hqqiiii", 2026, 11, 5, 20, 22, 14, 44, 500, 1000, frequency, 8, 4711, 4, 1000000), False)
    def end(self): return self.out + b"\1"

# a blob: what differs from the one before; thread, stack, ticks, payload
def compressed(blobs):
    out, last = b"", dict(kind=0, thread=0, stack=0, ticks=0, size=0)
    for kind, thread, stack, ticks, payload in blobs:
        flags, body = 0, b""
        if kind != last["kind"]: flags |= 1; body += varint(kind)
        if kind != last["kind"]: flags |= 2; body += varint(1) + varint(thread) + varint(0)
        if thread != last["thread"]: flags |= 4; body += varint(thread)
        if stack != last["stack"]: flags |= 8; body += varint(stack)
        body += varint(ticks - last["ticks"])
        if ticks % 2: flags |= 16 | 32; body += b"\x11" * 32
        if len(payload) != last["size"]: flags |= 128; body += varint(len(payload))
        out += bytes([flags]) + body + payload
        last = dict(kind=kind, thread=thread, stack=stack, ticks=ticks, size=len(payload))
    return struct.pack("<hhqq", 20, 1, 0, 0) + out

def plain(blobs, offset):
    out = struct.pack("<hhqq", 20, 0, 0, 0)
    for kind, thread, stack, ticks, payload in blobs:
        out += struct.pack("<IIIqqiiq", 80 + len(payload), kind | 1 << 31, 1, thread, thread, 0, stack, ticks) + b"\x11" * 32 + struct.pack("<i", len(payload)) + payload
        out += b"\0" * (-len(out) % 4)
    return out

def metadata(): return [(0, 0, 0, 0, struct.pack("<i", i) + z(p) + struct.pack("<i", e) + z("") + struct.pack("<qiii", 0, 1, 4, 0)) for i, p, e in
                        ((1, "Microsoft-DotNETCore-SampleProfiler", 0), (2, "Microsoft-Windows-DotNETRuntimeRundown", 144), (3, "Microsoft-Windows-DotNETRuntime", 1))]

def method(address, size, type, name): return struct.pack("<QQQIII", 1, 2, address, size, 0x06000001, 0) + z(type) + z(name) + z("void ()") + b"\0\0"

def stacks(first, *stacks): return struct.pack("<ii", first, len(stacks)) + b"".join(struct.pack("<i", 8 * len(s)) + b"".join(struct.pack("<Q", a) for a in s) for s in stacks)

SAMPLES1 = [(1, 100, 1, 11000, struct.pack("<I", 2)), (1, 101, 2, 11001, struct.pack("<I", 1)), (3, 101, 0, 11500, b"abc"), (1, 100, 1, 21000, struct.pack("<I", 2))]
SAMPLES2 = [(1, 100, 1, 31000, struct.pack("<I", 2)), (1, 102, 0, 31001, struct.pack("<I", 1))]
METHODS = [(2, 1, 0, 90000, method(0x1000, 0x100, "Acme.Shop", "Sell")), (2, 1, 0, 90001, method(0x2000, 0x80, "Acme.Shop+<>c", "<Main>b__0")), (2, 1, 0, 90002, method(0x3000, 0x10, "", "Stück\U0001F600"))]

def whole(how=None, methods=True, frequency=10 ** 7, kinds=True):
    f = File()
    f.trace(frequency)
    pack = compressed if how is None else lambda blobs: plain(blobs, 0)
    if kinds: f.object("MetadataBlock", pack(metadata()))
    f.object("StackBlock", stacks(1, [0x1010, 0x2080], [0x1100, 0x3004, 0x2001]))
    f.object("EventBlock", pack(SAMPLES1))
    f.object("SPBlock", struct.pack("<qi", 30000, 0))
    f.object("StackBlock", stacks(1, [0x3001]))           # the same number again
    f.object("EventBlock", pack(SAMPLES2))
    if methods: f.object("EventBlock", pack(METHODS))
    return f.end()

def many():
    f = File()
    f.trace()
    f.object("MetadataBlock", compressed(metadata()))
    for k in range(20):
        f.object("StackBlock", stacks(1, *[[0x1000 + i, 0x2000] for i in range(100)]))
        f.object("EventBlock", compressed([(1, 100 + i % 7, 1 + i % 100, 11000 + k * 10 ** 6 + i * 2, struct.pack("<I", 2)) for i in range(1000)]))
        f.object("SPBlock", struct.pack("<qi", 0, 0))
    f.object("EventBlock", compressed(METHODS))
    return f.end()

def empty():
    f = File()
    f.trace()
    return f.end()

# --- version 6 ---

def text(s): return varint(len(s.encode())) + s.encode()
def sized(s): return struct.pack("<H", len(s.encode())) + s.encode()
def row(payload): return struct.pack("<H", len(payload)) + payload
def numbers(*n): return b"".join(map(varint, n))

END, TRACE, EVENTS, METADATA, SEQUENCE, STACKS, THREADS, REMOVED, LABELS = range(9)

class Six:
    def __init__(self, minor=0): self.out = b"Nettrace" + struct.pack("<III", 0, 6, minor)
    def block(self, kind, payload): self.out += struct.pack("<I", len(payload) | kind << 24) + payload
    def trace(self, frequency=10 ** 7, **properties):
        self.block(TRACE, struct.pack("<8hqqii", 2026, 11, 5, 20, 22, 14, 44, 500, 1000, frequency, 8, len(properties)) + b"".join(text(k) + text(v) for k, v in properties.items()))
    def end(self): self.block(END, b""); return self.out

def kinds(*rows):       # some with fields, properties, and bytes of a later version
    return struct.pack("<H", 3) + b"abc" + b"".join(row(varint(i) + text(p) + varint(e) + text(name) + struct.pack("<H", 1) + row(text("f") + b"\x15") + struct.pack("<H", 2) + b"\x08\x04" + b"later" * (i % 2)) for i, p, e, name in rows)

def threads(*rows): return b"".join(row(varint(i) + parts) for i, parts in rows)
def thread(pid=None, tid=None, name=None):
    out = b"" if name is None else b"\1" + text(name)
    return out + (b"" if pid is None else b"\2" + varint(pid)) + b"\4" + text("k") + text("v") + (b"" if tid is None else b"\3" + varint(tid))

# each: kind, number of the thread, stack, ticks, payload; the processor is the number's last digit
def six_compressed(blobs):
    out, last = b"", dict(kind=0, thread=0, stack=0, ticks=0, size=0)
    for kind, thread, stack, ticks, payload in blobs:
        flags, body = 0, b""
        if kind != last["kind"]: flags |= 1; body += varint(kind)
        if thread != last["thread"]: flags |= 2 | 4; body += varint(1) + varint(thread) + varint(thread % 10) + varint(thread)
        if stack != last["stack"]: flags |= 8; body += varint(stack)
        body += varint(ticks - last["ticks"])
        if ticks % 2: flags |= 16; body += varint(ticks % 300)
        if len(payload) != last["size"]: flags |= 128; body += varint(len(payload))
        out += bytes([flags | 64]) + body + payload
        last = dict(kind=kind, thread=thread, stack=stack, ticks=ticks, size=len(payload))
    return struct.pack("<hhqq", 24, 1, 0, 0) + b"more" + out

def six_plain(blobs):
    return struct.pack("<hhqq", 20, 0, 0, 0) + b"".join(struct.pack("<IIIQQIIQII", 48 + len(payload), kind | 1 << 31, 1, thread, thread, thread % 10, stack, ticks, 0, len(payload)) + payload
                                                      for kind, thread, stack, ticks, payload in blobs)

# The samples and names of whole(), whose threads have the numbers 1 to 3.
def six(pack=six_compressed, methods=True, minor=0):
    at = {100: 1, 101: 2, 102: 3}
    f = Six(minor)
    f.trace(ProcessId="4711", HardwareThreadCount="4")
    f.block(METADATA, kinds((1, "Microsoft-DotNETCore-SampleProfiler", 0, "ThreadSample"), (2, "Microsoft-Windows-DotNETRuntimeRundown", 144, ""), (3, "Microsoft-Windows-DotNETRuntime", 1, "GCStart")))
    f.block(THREADS, threads(*[(n, thread(tid=tid)) for tid, n in at.items()]))
    f.block(STACKS, stacks(1, [0x1010, 0x2080], [0x1100, 0x3004, 0x2001]))
    f.block(LABELS, struct.pack("<II", 1, 1) + b"\x84" + b"\0" * 8)
    f.block(EVENTS, pack([(k, at[t], s, ticks, p) for k, t, s, ticks, p in SAMPLES1]))
    f.block(SEQUENCE, struct.pack("<QII", 30000, 0, 1) + numbers(1, 3))
    f.block(200, b"of a later version")
    f.block(STACKS, stacks(1, [0x3001]))
    f.block(EVENTS, pack([(k, at[t], s, ticks, p) for k, t, s, ticks, p in SAMPLES2]))
    f.block(REMOVED, numbers(2, 9))
    if methods: f.block(EVENTS, pack([(k, 1, s, ticks, p) for k, t, s, ticks, p in METHODS]))
    return f.end()

# A good clock, and then one that has none.
def six_odd():
    f = Six()
    f.trace()
    f.trace(frequency=0)
    f.block(METADATA, kinds((1, "Universal.Events", 0, "cswitch")))
    f.block(THREADS, threads((1, thread(tid=1))))
    f.block(EVENTS, six_compressed([(1, 1, 0, 11000, varint(7))]))
    return f.end()

# What a collector of the whole machine writes: two processes with the same addresses, and the kernel.
def machine():
    f = Six()
    f.trace()
    events, system = "Universal.Events", "Universal.System"
    f.block(METADATA, kinds((1, events, 0, "cpu"), (2, events, 0, "cswitch"), (3, system, 0, "ProcessCreate"), (4, system, 0, "ProcessMapping"), (5, system, 0, "ProcessSymbol"), (6, system, 0, "ProcessExit")))
    f.block(THREADS, threads((11, thread(500, 501, "main")), (12, thread(600, 601, "pool")), (13, thread(600, 602))))
    f.block(STACKS, stacks(1, [0x1010, 0x1110], [0xffffffff81000010, 0x1010]))
    f.block(EVENTS, six_compressed([(3, 11, 0, 1000, varint(500) + sized("shop") + sized("")), (3, 12, 0, 1000, varint(600) + sized("store") + sized("")),
        (4, 11, 0, 1000, numbers(1, 500, 0x1000, 0x2000, 0) + sized("/usr/bin/shop") + numbers(0)), (4, 11, 0, 1000, numbers(2, 600, 0x1000, 0x2000, 0) + sized("/usr/bin/store") + numbers(0)),
        (1, 11, 1, 11000, varint(1)), (1, 12, 1, 21000, varint(3)), (1, 13, 2, 31000, varint(1)), (2, 12, 1, 41000, varint(50000))]))
    f.block(SEQUENCE, struct.pack("<QII", 50000, 1, 0))
    f.block(THREADS, threads((11, thread(600, 601, "pool"))))            # the same number again
    f.block(STACKS, stacks(1, [0x1900]))
    f.block(EVENTS, six_compressed([(1, 11, 1, 61000, varint(1)), (4, 11, 0, 61000, numbers(3, 0, 0xffffffff81000000, 0xffffffff82000000, 0) + sized("vmlinux") + numbers(0)),
        (5, 11, 0, 61000, numbers(1, 1, 0x1000, 0x1100) + sized("sell")), (5, 11, 0, 61000, numbers(2, 1, 0x1100, 0x1200) + sized("main")),
        (5, 11, 0, 61000, numbers(3, 2, 0x1000, 0x1100) + sized("keep")), (5, 11, 0, 61000, numbers(4, 2, 0x1100, 0x1200) + sized("start")),
        (5, 11, 0, 61000, numbers(5, 3, 0xffffffff81000000, 0xffffffff81000100) + sized("schedule")), (6, 11, 0, 62000, b"")]))
    return f.end()

names = {"whole": whole, "plain": lambda: whole("plain"), "nameless": lambda: whole(methods=False), "odd": lambda: whole(frequency=0), "kindless": lambda: whole(kinds=False),
         "many": many, "empty": empty, "seven": lambda: b"Nettrace" + struct.pack("<III", 0, 7, 0) + b"\0" * 40,
         "six": six, "six-plain": lambda: six(six_plain), "six-minor": lambda: six(minor=3), "six-nameless": lambda: six(methods=False), "six-odd": six_odd, "machine": machine}
sys.stdout.buffer.write(names[sys.argv[1]]())
