#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# nettrace.py: traces of .NET's EventPipe, version 4, written after its description: nettrace.py NAME, one of those below, on stdout.
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

names = {"whole": whole, "plain": lambda: whole("plain"), "nameless": lambda: whole(methods=False), "odd": lambda: whole(frequency=0), "kindless": lambda: whole(kinds=False),
         "many": many, "empty": empty, "six": lambda: b"Nettrace" + struct.pack("<III", 0, 6, 0) + b"\0" * 40}
sys.stdout.buffer.write(names[sys.argv[1]]())
