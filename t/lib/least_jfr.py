#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# least_jfr: a recording of one chunk, written by hand from the format's description: 12 types, and by default one sample of a thread "main" in a.B.m, line 7.
#   least_jfr.py FILE [WORD...]     words: truncated (the stack), native (a frame of async-profiler), latin (the thread's name is "m" and ae as Latin-1),
#                                   pair (it is a character above U+FFFF), wall (an event of async-profiler with 5 samples), live (not finished), other (an event
#                                   with a stack that no one knows)
import struct
import sys

words = set(sys.argv[2:])
strings = []


def number(value):
    value &= (1 << 64) - 1
    out = b''
    for i in range(8):
        if value < 0x80:
            return out + bytes([value])
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def string(text):
    return b'\3' + number(len(text.encode())) + text.encode()


def index(text):
    if text not in strings:
        strings.append(text)
    return number(strings.index(text))


def element(kind, attributes, *children):
    pairs = b''.join(index(key) + index(value) for key, value in attributes.items())
    return index(kind) + number(len(attributes)) + pairs + number(len(children)) + b''.join(children)


def field(name, kind, *children, **more):
    return element('field', {'name': name, 'class': str(kind), **more}, *children)


def pooled(name, kind):
    return field(name, kind, constantPool='true')


def kind(name, number_of, *fields, **more):
    return element('class', {'name': name, 'id': str(number_of), **more}, *fields)


def event(body):
    size = len(body) + 4            # with its own four bytes
    return bytes([size & 0x7f | 0x80, size >> 7 & 0x7f | 0x80, size >> 14 & 0x7f | 0x80, size >> 21]) + body


name = 'profiler.WallClockSample' if 'wall' in words else 'com.acme.Sold' if 'other' in words else 'jdk.ExecutionSample'
ticks = element('annotation', {'class': '15', 'value': 'TICKS'})
tree = element('root', {}, element('metadata', {},
    kind('long', 1), kind('int', 2), kind('boolean', 3), kind('java.lang.String', 4),
    kind('java.lang.Thread', 8, field('osName', 4), field('osThreadId', 1), field('javaName', 4), field('javaThreadId', 1)),
    kind('java.lang.Class', 9, pooled('name', 10)),
    kind('jdk.types.Symbol', 10, field('string', 4), simpleType='true'),
    kind('jdk.types.Method', 11, pooled('type', 9), pooled('name', 10), pooled('descriptor', 10)),
    kind('jdk.types.StackFrame', 12, pooled('method', 11), field('lineNumber', 2), field('bytecodeIndex', 2)),
    kind('jdk.types.StackTrace', 13, field('truncated', 3), field('frames', 12, dimension='1')),
    kind(name, 14, field('startTime', 1, ticks), pooled('sampledThread', 8), pooled('stackTrace', 13),
         *([field('samples', 2)] if 'wall' in words else []), superType='jdk.jfr.Event'),
    kind('jdk.jfr.Timestamp', 15, field('value', 4), superType='java.lang.annotation.Annotation')),
    element('region', {'locale': 'en_US', 'gmtOffset': '0'}))
metadata = event(b'\0\x64\0\1' + number(len(strings)) + b''.join(map(string, strings)) + tree)

thread = b'\5\2m\xe6' if 'latin' in words else b'\3\6\xed\xa0\xbd\xed\xb8\x80' if 'pair' in words else string('main')
symbols = ['libc.so.6', 'poll', '()L;'] if 'native' in words else ['a/B', 'm', '()V']
pools = [number(8) + b'\1\1' + string('main') + number(77) + thread + b'\1',
         number(10) + b'\3' + b''.join(number(i + 1) + string(text) for i, text in enumerate(symbols)),
         number(9) + b'\1\1\1', number(11) + b'\1\1\1\2\3',
         number(13) + b'\1\1' + bytes(['truncated' in words]) + b'\1\1\7\0']
checkpoint = event(b'\1\x64\0\0\0' + number(len(pools)) + b''.join(pools))
sample = event(number(14) + number(150) + b'\1\1' + (b'\5' if 'wall' in words else b''))
size = 68 + len(metadata) + len(checkpoint) + len(sample)
header = struct.pack('>4sHHqqqqqqqBBH', b'FLR\0', 2, 0, size, 68 + len(metadata), 68, 1700000000000000000, 1000, 100, 10**9, 'live' in words, 0, 1)
with open(sys.argv[1], 'wb') as out:
    out.write(header + metadata + checkpoint + sample)
