#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# traces.py: traces of Android's tools, written without any library.
#   traces.py simpleperf|perfetto NAME        a trace on stdout, of those below
#   traces.py records                         the records of a report of simpleperf as one message, in which each is a field 1
#   traces.py report                          a report with the records of such a message on stdin
import struct, sys, zlib

def varint(n):
    n &= 2 ** 64 - 1
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out) + bytes([n])

# message(field, value, field, value...): numbers, texts, bytes, lists of numbers (packed)
def message(*parts):
    out = b""
    for field, value in zip(parts[::2], parts[1::2]):
        if isinstance(value, int):
            out += varint(field << 3) + varint(value)
            continue
        if isinstance(value, str): value = value.encode()
        if isinstance(value, list): value = b"".join(map(varint, value))
        out += varint(field << 3 | 2) + varint(len(value)) + value
    return out

def report(*records): return b"SIMPLEPERF\x01\x00" + b"".join(struct.pack("<I", len(r)) + r for r in records) + struct.pack("<I", 0)

def call(address, file, symbol, kind=0): return message(1, address, 2, file, 3, symbol, *([4, kind] if kind else []))

def sample(time, tid, chain, count, event=0, *more):
    parts = [1, time, 2, tid]
    for c in chain: parts += [3, c]
    return message(1, message(*parts, 4, count, 5, event, *more))

def records():
    libc, app, kernel = 0, 1, 2
    main = [call(0x1100, app, 0), call(0x2200, libc, 0)]
    return [sample(1000000001, 101, main, 250000),
            sample(1000000002, 102, [call(0x10, kernel, -1), call(0x99, app, 1, 1), call(0x2200, libc, 0)], 1000, 1),
            sample(1000000003, 101, main, 0, 0, 6, message(1, 3)),
            sample(1000000004, 999, [], 7),
            message(6, message(1, 1, 2, 5, 3, 101)),
            message(2, message(1, 4, 2, 3)),
            message(3, message(1, 0, 2, "/apex/libc.so", 3, "__libc_init", 4, "__libc_init")),
            message(3, message(1, 1, 2, "/data/app/base.odex", 3, "void com.acme.Shop.sell(int)", 3, "com.acme.Shop.buy")),
            message(3, message(1, 2, 2, "[kernel.kallsyms]")),
            message(4, message(1, 101, 2, 101, 3, "com.acme.shop")),
            message(4, message(1, 102, 2, 101, 3, "worker")),
            message(5, message(1, "cpu-cycles", 1, "sched:sched_switch", 2, "com.acme.shop", 6, 0))]

def simpleperf(name):
    r = records()
    if name == "whole": return report(*r)
    if name == "lost": return report(*r[1:])                                    # one sample fewer than it says
    if name == "missing": return report(sample(5, 1, [call(1, 7, 3)], 1), message(5, message(1, "cpu-cycles")))
    if name == "deep": return report(sample(5, 1, [call(1, 0, 0)] * 70000, 1), message(3, message(1, 0, 2, "a", 3, "f")))
    if name == "many":
        return report(*[sample(10 ** 9 + i, 1 + i % 7, [call(i % 50, 0, i % 20) for i in range(i % 30 + 1)], 3) for i in range(10000)],
                      message(2, message(1, 10000, 2, 0)), message(3, message(1, 0, 2, "a.so", *[x for k in range(20) for x in (3, "f%d" % k)])))

def packet(*parts): return message(1, message(*parts))

def text(iid, s): return message(1, iid, 2, s)

REAL, BOOT = 1795343200 * 10 ** 9, 5 * 10 ** 9

def clocks(): return packet(6, message(1, message(1, 6, 2, BOOT), 1, message(1, 1, 2, REAL), 1, message(1, 3, 2, BOOT - 100)), 10, 1)

def names():
    tree = message(1, message(1, 70, 2, 1, 3, "/bin/shop", 3, "--fast"), 2, message(1, 71, 3, 70, 2, "worker"))
    track = message(1, 5, 4, message(1, 80, 2, 80, 5, "net"), 3, message(1, 80, 6, "netd"))
    return packet(2, tree, 10, 1) + packet(60, track, 10, 1)

def interned(function):
    return message(5, text(1, "main"), 5, text(2, function), 17, text(1, "system"), 17, text(2, "lib64"), 17, text(3, "libc.so"), 18, text(1, "shop.c"),
                   19, message(1, 1, 7, [1, 2, 3]), 6, message(1, 1, 2, 1, 3, 1, 4, 16), 6, message(1, 2, 2, 2, 5, 1, 6, 12), 6, message(1, 3, 3, 1, 4, 32),
                   7, message(1, 1, 2, [1, 2]), 7, message(1, 2, 2, 1, 2, 3))

def perf(time, pid, tid, stack, *more): return [8, BOOT + time, 10, 3, 66, message(1, 2, 2, pid, 3, tid, *([4, stack] if stack else []), 5, 2, *more)]

def samples():
    defaults = message(12, message(1, message(2, 100, 10, "cpu-clock")))
    return (packet(*perf(1, 70, 70, 1), 12, interned("work"), 13, 1, 59, defaults)
            + packet(*perf(2, 70, 71, 2, 16, 2)) + packet(*perf(3, 80, 80, 1))
            + packet(*perf(4, 80, 80, 1), 12, interned("sleep"), 13, 1)         # the same numbers, named anew
            + packet(*perf(5, 70, 70, 0, 17, 9)) + packet(*perf(6, 70, 70, 0, 18, 1)))

def perfetto(name):
    if name == "whole": return samples() + names() + clocks() + packet(11, message(9, 1), 8, 5, 10, 2)
    if name == "boot": return samples() + names()
    if name == "zlib": return packet(50, zlib.compress(samples())) + packet(50, zlib.compress(names() + clocks()), 3, 1)
    if name == "bomb": return packet(50, zlib.compress(b"\0" * 70000000, 9), 10, 1)
    if name == "clock": return packet(*perf(1, 70, 70, 1), 12, interned("work"), 58, 70) + clocks()
    if name == "missing": return packet(*perf(1, 70, 70, 9)) + clocks()
    if name == "none": return clocks() + packet(11, message(9, 1), 8, 5, 10, 2)
    if name == "heap": return samples() + clocks() + packet(37, message(7, 0), 8, 5, 10, 2) + packet(135, message(11, 5), 8, 5, 10, 2)
    if name == "many": return packet(12, interned("work"), 13, 1, 10, 3) + clocks() + b"".join(packet(*perf(i, 70, 70 + i % 5, 1 + i % 2)) for i in range(20000))

def fields(data):
    at = 0
    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]; at += 1
            value |= (byte & 127) << shift; shift += 7
            if byte < 128: return value
    while at < len(data):
        number()
        size = number()
        yield data[at:at + size]
        at += size

if sys.argv[1] == "records":
    out = b"".join(message(1, r) for r in records())
elif sys.argv[1] == "report":
    out = report(*fields(sys.stdin.buffer.read()))
else:
    out = (simpleperf if sys.argv[1] == "simpleperf" else perfetto)(sys.argv[2])
sys.stdout.buffer.write(out)
