#!/usr/bin/env python3
"""Makes streams.txt from the page Documentation/Protocol/streams.md alone: the bytes of one message of every form.

No code of the program has a part in these bytes, so that a change of the encoder cannot change what it is compared with.
A test compares what it prints with the file: Fixtures/Wire/streams.py > Fixtures/Wire/streams.txt
"""
import struct


def u8(value): return bytes([value])
def u64(value): return struct.pack("<Q", value)


def text(value):
    data = value.encode()
    assert len(data) < 128  # one byte of varint
    return u8(len(data)) + data


START = 0x0123_4567_89AB_CDEF
MINE = u8(0) + u64(7)
YOURS = u8(1) + u64(START) + u64(9)

MESSAGES = {
    "open": u8(0) + u64(7) + u64(262_144) + text("log/ü"),
    "credit": u8(1) + YOURS + u64(300_000),
    "data": u8(2) + MINE + b"hello",
    "data-yours": u8(2) + YOURS + b"\x00",
    "end": u8(3) + MINE,
    "reset": u8(4) + YOURS + u8(0) + text("busy") + text("try later"),
    "reset-limit": u8(4) + YOURS + u8(2) + text("limit") + text(""),
    "over": u8(5) + u64(START) + u64(9) + u64(7),
}

if __name__ == "__main__":
    print("# Contents of messages of kind 2; name and hexadecimal bytes. See PROTOCOL.md. Made by streams.py.")
    for name, data in MESSAGES.items():
        print(name, data.hex())
