#!/usr/bin/env python3
"""Makes envelopes.txt from the page Documentation/Protocol/envelopes.md alone: the bytes of one message of every form.

No code of the program has a part in these bytes, so that a change of the encoder cannot change what it is compared with.
A test compares what it prints with the file: Fixtures/Wire/envelopes.py > Fixtures/Wire/envelopes.txt
"""
import struct


def u8(value): return bytes([value])
def u64(value): return struct.pack("<Q", value)
def f32(*values): return struct.pack(f"<{len(values)}f", *values)


def text(value):
    data = value.encode()
    assert len(data) < 128  # one byte of varint
    return u8(len(data)) + data


START = 0x0123_4567_89AB_CDEF
IDENTITY = f32(1, 0, 0, 0, 1, 0, 0, 0, 1)

PLAIN = u8(0) + text("draw") + text("LabelEvent") + text("application/json") + u8(0) + b'{"text":"hi"}'
FULL = (u8(1) + text("draw/red") + text("Stroke") + text("application/json")
        + u8(2) + text("a") + text("") + text("trace") + text("7ü") + IDENTITY + f32(1, -2, 0.5) + b"[1]")

MESSAGES = {
    "message": u8(0) + PLAIN,
    "message-full": u8(0) + FULL,
    "returned": u8(1) + u64(START) + u64(9) + u8(1) + text("no such key"),
    "request": u8(2) + u64(7) + PLAIN,
    "answer": u8(3) + u64(START) + u64(7) + FULL,
    "failure": u8(4) + u64(START) + u64(7) + u8(2) + text("busy") + text("try later"),
    "withdrawal": u8(5) + u64(7),
}

if __name__ == "__main__":
    print("# Contents of messages of kind 1; name and hexadecimal bytes. See PROTOCOL.md. Made by envelopes.py.")
    for name, data in MESSAGES.items():
        print(name, data.hex())
