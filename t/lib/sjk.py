#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Traces of SJK, of versions 1, 2 and 4, with the same samples: sjk.py 1|2|4 > FILE

The form is that of SJK's own reader, with which stkcap was compared on five real traces."""
import struct
import sys
import zlib

ANCHOR = 1391255854894
START = 1767225600000
KEYS = ["(stored-parts)", "jvm.event", "thread.javaId", "thread.javaName", "thread.javaState", "java.cpu-time.ms", "java.cpu-time.user.ms", "java.allocated.bytes",
        "java.wait-count", "java.wait-time.ms", "java.blocked-count", "java.blocked-time.ms", "jvm.gc.name", "jvm.gc.memory-spaces", "jvm.gc.count", "jvm.gc.total-time"]
SLOTS = ["", "counters", "tags", "thread-details", "thread-stack", "timestamp", "jvm.thread-snapshot", "jvm.event.gc", "jvm.event.stw"]
STATES = ["NEW", "RUNNABLE", "BLOCKED", "WAITING", "TIMED_WAITING", "TERMINATED"]

# thread, name, state, cpu in ms, bytes, frames: package, class, method, file, line; leaf first
RUN = ("java.lang", "Thread", "run", "Thread.java", 833)
SAMPLES = [
    (11, "main", 1, 1200, 4096, [("java.net", "SocketInputStream", "socketRead0", "SocketInputStream.java", -2), ("shop", "Till", "read", "Till.java", 9), RUN]),
    (12, "till \U0001F6D2 2", 4, 0, 0, [("java.lang", "Object", "wait", None, -2), ("shop", "Till$1", "run", None, -1), RUN]),
    (12, "till \U0001F6D2 2", 2, 3, 1 << 40, [(None, "Main", "go", "Main.java", -1), RUN]),
    (13, "empty", 5, 0, 0, []),
]


def varint(value, most):
    out = bytearray()
    for i in range(most):
        if i + 1 == most:
            out.append(value & 0xff)
        elif value < 0x80:
            out.append(value)
            break
        else:
            out.append(value & 0x7f | 0x80)
            value >>= 7
    return bytes(out)


def integer(value):
    return varint(value, 4)


def long(value):
    return varint(value & (1 << 64) - 1, 9)


def utf(text):
    data = b""
    units = text.encode("utf-16-be")
    for i in range(0, len(units), 2):
        data += chr(units[i] << 8 | units[i + 1]).encode("utf-8", "surrogatepass")
    return struct.pack(">H", len(data)) + data


class Trace:
    def __init__(self, version):
        self.version, self.out, self.frames = version, bytearray(), {}
        self.strings = {key: n + 1 for n, key in enumerate(KEYS)} if version == 4 else {}
        self.slots = {text: n + 1 for n, text in enumerate(SLOTS)} if version == 4 else {}

    def string(self, text):
        if text is None:
            return 0
        if text not in self.strings:
            self.out += b"\1" + utf(text)
            self.strings[text] = len(self.strings) + 1
        return self.strings[text]

    def slot(self, text):
        if text not in self.slots:
            self.slots[text] = len(self.slots) + 1
            self.out += b"\4" + integer(self.slots[text]) + utf(text)
        return self.slots[text]

    def frame(self, frame):
        if frame not in self.frames:
            numbers = [self.string(part) for part in frame[:4]] + [frame[4] + 2]
            self.out += b"\2" + b"".join(map(integer, numbers))
            self.frames[frame] = len(self.frames) + 1
        return self.frames[frame]

    def stack(self, frames):
        return integer(len(frames)) + b"".join(integer(self.frame(frame)) for frame in frames)

    def set(self, tag, number, base, changes):
        body = b""
        for change, key, value in changes:
            body += bytes([change]) + integer(self.string(key)) + (integer(self.slot(value)) if value is not None else b"")
        self.out += bytes([tag]) + integer(number) + integer(base) + body + b"\0"

    def add_old(self, number, sample, ms):
        thread, name, state, cpu, size, frames = sample
        stack = self.stack(frames)
        if self.version == 1:
            self.out += b"\3" + struct.pack(">qq", thread, ms) + stack
            return
        slot = self.slot(name)
        counters = [cpu, None, size] if number % 2 == 0 else [cpu, 7, size]
        mask = sum(1 << i for i, value in enumerate(counters) if value is not None)
        self.out += b"\3" + long(thread) + integer(slot) + long(ms - ANCHOR) + integer(state + 1) + bytes([mask])
        self.out += b"".join(long(value) for value in counters if value is not None) + stack

    def add_new(self, number, sample, ms):
        thread, name, state, cpu, size, frames = sample
        stack = self.stack(frames)
        if number == 0:
            self.set(5, 1, 0, [(2, "thread.javaId", None), (2, "java.cpu-time.ms", None), (2, "java.allocated.bytes", None)])
            self.set(6, 1, 0, [(1, "(stored-parts)", part) for part in ("counters", "tags", "thread-stack", "timestamp")] +
                     [(1, "thread.javaName", name), (1, "thread.javaState", STATES[state])])
        else:
            self.set(6, 1, 1, [(3, "thread.javaName", name), (3, "thread.javaState", STATES[state])])
        # counters are written in the order of their names
        self.out += b"\3" + integer(1) + long(ms - ANCHOR) + integer(1) + long(size) + long(cpu) + long(thread) + stack

    def add_collection(self, ms):
        spaces = {"ps-eden-space": (9000, 0), "ps-old-gen": (1000, 1500), "metaspace": (70, 70)}
        counters = {"duration": 49000, "jvm.gc.count": 9}
        for space, (before, used) in spaces.items():
            counters["jvm.memory-space.%s.before" % space] = before
            counters["jvm.memory-space.%s.used" % space] = used
        self.set(5, 2, 0, [(2, key, None) for key in counters])
        self.set(6, 2, 1, [(4, "thread.javaName", None), (4, "thread.javaState", None), (5, "(stored-parts)", "thread-stack"), (1, "jvm.gc.name", "PS Scavenge")])
        self.out += b"\3" + integer(2) + long(ms - ANCHOR) + integer(2) + b"".join(long(counters[key]) for key in sorted(counters))

    def whole(self, samples, collection=True):
        if self.version == 2:
            for key in ("java.cpu-time.ms", "java.wait-count", "java.allocated.bytes"):
                self.out += b"\5" + utf(key)
        for number, sample in enumerate(samples):
            (self.add_new if self.version == 4 else self.add_old)(number, sample, START + 500 * number)
        if self.version == 4 and collection:
            self.add_collection(START + 9000)
        return {1: b"TRACEDUMP_1 ", 2: b"TRACEDUMP_2 ", 4: b"EVENTDUMP_1 "}[self.version] + zlib.compress(bytes(self.out))


if __name__ == "__main__":
    sys.stdout.buffer.write(Trace(int(sys.argv[1])).whole(SAMPLES))
