#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# make_gcno.py VERSION: a .gcno as that version of gcc writes it (8, 9, 12, 15; b: in the other byte order), of a function "find" with a loop and a call that may not return.
import struct, sys

order = '>' if sys.argv[1].endswith('b') else '<'
version = int(sys.argv[1].rstrip('b'))


def u32(*numbers):
    return struct.pack(order + '%dI' % len(numbers), *numbers)


def string(text):
    data = text.encode() + b'\0' if text else b''
    if version >= 12:
        return u32(len(data)) + data
    words = (len(data) + 3) // 4
    return u32(words) + data.ljust(words * 4, b'\0')


def record(tag, data):
    return u32(tag, len(data) if version >= 12 else len(data) // 4) + data


letters = (chr(ord('A') + version // 10) + '%d1*' % (version % 10)).encode()
out = u32(0x67636e6f, struct.unpack('>I', letters)[0], 7)
out += u32(0) if version >= 12 else b''
out += string('/home') if version >= 9 else b''
out += u32(0)
out += record(0x01000000, u32(1, 2, 3) + string('find') + u32(0) + string('find.c') + u32(3, 1, 9) + (u32(2) if version >= 9 else b''))
out += record(0x01410000, u32(6))
for source, arcs in ((0, ((2, 5),)), (2, ((3, 4), (5, 1), (1, 3))), (3, ((4, 5),)), (4, ((2, 1),)), (5, ((1, 5),))):
    out += record(0x01430000, u32(source) + b''.join(u32(*arc) for arc in arcs))
out += record(0x01990000, u32(1, 2, 3))
for block, lines in ((2, (4, 9)), (3, (5,)), (4, (6,)), (5, (8,))):
    out += record(0x01450000, u32(block, 0) + string('find.c') + u32(*lines) + u32(0) + string(''))
sys.stdout.buffer.write(out)
