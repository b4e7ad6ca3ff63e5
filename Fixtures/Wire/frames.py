#!/usr/bin/env python3
"""Makes frames.txt from the pages of the protocol alone: one frame of every kind that has a value in the tests.

No code of the program has a part in these bytes, so that a change of the encoder cannot change what it is compared with.
A test compares what it prints with the file: Fixtures/Wire/frames.py > Fixtures/Wire/frames.txt
"""
import hashlib
import struct


def sha(text):
    return hashlib.sha256(text).digest()


ALICE, BOB, MAP, RESOURCE = sha(b"alice"), sha(b"bob"), sha(b"map"), sha(b"resource")
START = 0x0123_4567_89AB_CDEF


def u8(*values): return bytes(values)
def u16(value): return struct.pack("<H", value)
def u32(value): return struct.pack("<I", value)
def u64(value): return struct.pack("<Q", value)
def f32(*values): return struct.pack(f"<{len(values)}f", *values)


def varint(value):
    out = b""
    while value >= 0x80:
        out += u8(value & 0x7F | 0x80)
        value >>= 7
    return out + u8(value)


def blob(data): return varint(len(data)) + data
def text(value): return blob(value.encode())
def node(peer, incarnation): return peer + u64(incarnation)


# u8 count, then u8 size, the address in network byte order, u16 port.
ADDRESSES = (u8(2) + u8(4) + bytes([192, 0, 2, 7]) + u16(4000)
             + u8(16) + bytes.fromhex("20010db8000000000000000000000007") + u16(4001))
ANCHOR = bytes.fromhex("00112233445566778899aabbccddeeff")
TOKEN = u64(0x1122_3344_5566_7788) + u64(0x99AA_BBCC_DDEE_FF00)
POSE = f32(1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 2, -3)
# the first 8 bytes of the id and the incarnation, both big-endian
ACTOR = ALICE[:8] + struct.pack(">Q", START)
# the shared frame: no owner, number 0
SHARED = bytes(16) + u32(0)
PING = u64(0x1122_3344_5566_7788)
ORIGIN = node(ALICE, START)
RECEIVER = node(BOB, 42)
# origin, nonce, link version, destination: absent, so for all
FLOOD = node(ALICE, 42) + u64(7) + u32(3) + u8(0)


def frame(kind, body): return u32(len(body)) + u8(kind) + body


def word(topic, author, key, version, body):
    """topic, author, length and bytes of the key, length of the body, version with its highest byte first, body"""
    return u8(topic) + author + u8(len(key)) + key + u16(len(body)) + struct.pack(">Q", version) + body


# creator, policy (1 owned, 2 curated), limit, nonce
GENESIS = sha(b"creator") + u8(1, 16) + bytes(range(16))
CURATED = sha(b"creator") + u8(2, 16) + bytes(range(16))
SIGNATURE = sha(b"share") + sha(b"tag")


def statement(signer, kind, subject, serial, role=0, until=0, named=(), cuts=()):
    return (sha(signer) + u8(kind) + subject + u64(serial) + u8(role) + u64(until)
            + u8(len(named)) + b"".join(named) + u8(len(cuts)) + b"".join(u64(run) + u64(last) for run, last in cuts)
            + SIGNATURE)


STATEMENTS = [
    statement(b"creator", 1, ALICE, 1, role=1),
    statement(b"moderator", 2, BOB, 2, cuts=[(7, 10), (START, 1000)]),
    statement(b"creator", 1, BOB, 3, role=2, named=[sha(b"removal")]),
    statement(b"moderator", 3, BOB, 0, named=[sha(b"removal")], cuts=[(7, 12)]),
    statement(b"creator", 4, bytes(32), 4),
    statement(b"creator", 5, bytes(32), 5),
    statement(b"moderator", 1, BOB, 6, role=3, named=[sha(b"removal")], cuts=[(7, 12)]),
    statement(b"moderator", 1, ALICE, 7, role=4, until=1_800_000_000_000),
]

FRAMES = {
    "hello": (1, b"SWLD" + u16(1) + u16(3) + u64(0b111) + ALICE + u64(START) + text("sharedworld") + text("Küche")
              + text("sw-1") + ADDRESSES),
    "goodbye": (2, u8(2) + u16(1) + u16(2)),
    "admit": (3, b""),
    "ping": (4, PING),
    "pong": (5, PING),
    "roster": (6, varint(1) + BOB + u32(7) + u8(1) + u64(42) + text("bob") + ADDRESSES),
    "bulk": (7, TOKEN + u8(1)),
    "recognition": (22, TOKEN),
    "invite": (8, u64(77) + u32(30_000) + blob(bytes([9, 8, 7]))),
    "invite-accept": (9, u64(77) + u8(1)),
    "invite-decline": (9, u64(77) + u8(0) + text("not now")),
    "invite-busy": (9, u64(77) + u8(2)),
    "invite-cancel": (10, u64(77)),
    "attach": (11, TOKEN),
    "removal-witnesses": (71, u8(2) + b"".join(sha(b"moderator") + subject + u64(START) + SIGNATURE
                                               for subject in (ALICE, BOB))),
    "rules": (12, u32(3) + u8(1) + u8(8)),
    "passcode-share": (13, sha(b"share")),
    "passcode-answer": (14, sha(b"share") + sha(b"share") + sha(b"tag")),
    "passcode-proof": (15, sha(b"share") + sha(b"tag")),
    "passcode-wait": (76, u32(1500)),
    "code-commitment": (18, sha(b"share")),
    "code-nonce": (19, sha(b"share")),
    "code-reveal": (20, sha(b"share")),
    "code-confirmed": (21, b""),
    "handshake-data": (70, u8(0) + blob(bytes([9, 8, 7]))),
    "handshake-authenticated": (70, u8(1)),
    "handshake-failed": (70, u8(2) + text("ticket expired")),
    "charter": (73, GENESIS + u8(2) + STATEMENTS[0] + STATEMENTS[2]),
    "charter-curated": (73, CURATED + u8(0)),
    "statements": (74, u8(len(STATEMENTS)) + b"".join(STATEMENTS)),
    "statements-digest": (75, sha(b"share")),
    "ephemeral": (40, u8(0b11) + ORIGIN + u64(9) + u64(12_345) + ANCHOR + POSE),
    "acknowledgement": (41, u8(2) + ORIGIN + RECEIVER + u8(1) + u64(1000)),
    "ownership": (42, u8(1) + ORIGIN + RECEIVER + u8(3) + ANCHOR + u64(7) + ALICE + u32(60_000) + u32(10_000)),
    # name prefix, creator, owner, kind participant, region
    "interest": (43, ORIGIN + u32(3) + u8(0b11111) + text("lä") + BOB + ALICE + u8(5) + f32(1, 2, -3) + f32(4)),
    # a topic each: names by their bytes
    "words-groups": (44, word(1, ORIGIN, b"", 3, u8(3) + text("a") + text("zeichnen") + text("ä"))),
    "words-map-status": (44, word(2, ORIGIN, b"", 4, MAP + u8(1) + u8(37))),
    # frame 1 of the node, then the shared frame again
    "words-declarations": (44, word(
        3, ORIGIN, b"", 2, u8(2) + u32(1) + u8(0) + u64(70_000) + u64(9) + u64(1_000)
        + u32(2) + u8(1) + u64(80_000) + u64(12) + u64(2_000))),
    # the key: source and target
    "words-measurements": (44, word(
        4, ORIGIN, ACTOR + u32(1) + SHARED, 3, u64(1_500) + POSE + f32(4, 5, 6)
        + f32(*(index / 64 for index in range(21))) + f32(0.25) + u32(7))),
    "words-attachments": (44, word(
        5, ORIGIN, b"", 9, u8(2) + RESOURCE + u64(5) + u64(332_144) + u32(2) + text("plan.txt")
        + sha(u64(START) + u64(6) + u64(0)) + u64(6) + u64(0) + u32(0) + text("none"))),
    # the key: the author of the attachment and its number
    "words-removals": (44, word(6, RECEIVER, ORIGIN + u64(5), 1, u8(1))),
    # one that is taken back, under the highest version, and another one
    "words-two": (44, word(1, ORIGIN, b"", 1 << 62, b"") + word(1, RECEIVER, b"", 1, u8(1) + text("a"))),
    "word-digest": (45, b"".join(u64(part << 56 | part) for part in range(8))),
    "map-announce": (48, MAP + u64(3) + u64(5) + u64(1_000_000) + u32(9) + BOB + u8(0b11)),
    "map-manifest-request": (49, u8(0) + MAP + u32(500)),
    "map-manifest": (50, u8(0) + MAP + u32(0) + u32(262_144) + sha(bytes([1])) + u32(70_000) + sha(bytes([2]))),
    "map-request": (51, u8(0) + MAP + u32(3) + u32(4) + u32(9)),
    "map-piece": (52, u8(0) + MAP + u32(3) + u8(1) + u32(9) + u32(4) + bytes([1, 2, 3, 4, 5])),
    "map-cancel": (53, MAP),
    # chunks 0, 3, 9 and 11 of 12
    "map-have": (54, u8(0) + MAP + u8(0b00001001, 0b00001010)),
    # id, the incarnation of its sender, number, size, chunks, name
    "resource-offer": (56, RESOURCE + u64(START) + u64(5) + u64(332_144) + u32(2) + text("../skizze ü.txt")),
    "resource-offer-empty": (
        56,
        sha(u64(START) + u64(6) + u64(0)) + u64(START) + u64(6) + u64(0) + u32(0) + text("none"),
    ),
    "resource-waiting": (57, RESOURCE + u8(0)),
    "resource-accepted": (57, RESOURCE + u8(1)),
    "resource-received": (57, RESOURCE + u8(2)),
    "resource-over": (57, RESOURCE + u8(3)),
    "resource-full": (57, RESOURCE + u8(21)),
    "resource-peers": (58, RESOURCE + ALICE + BOB),
    "resource-manifest-request": (49, u8(1) + RESOURCE + u32(500)),
    "resource-manifest": (50, u8(1) + RESOURCE + u32(0) + u32(262_144) + sha(bytes([1])) + u32(70_000) + sha(bytes([2]))),
    "resource-request": (51, u8(1) + RESOURCE + u32(3) + u32(4) + u32(9)),
    "resource-piece": (52, u8(1) + RESOURCE + u32(3) + u8(1) + u32(9) + u32(4) + bytes([1, 2, 3, 4, 5])),
    "resource-have": (54, u8(1) + RESOURCE + u8(0b00001001, 0b00001010)),
    # chain, previous, number, kind
    "message": (64, u32(2) + u64(7) + u64(9) + u8(0) + b"hello"),
    "message-critical": (64, u32(2) + u64(7) + u64(9) + u8(0x81) + b"hello"),
    "message-report-critical": (65, u8(0x81) + u32(0) + u64(0) + u32(0)),
    "message-stream": (64, u32(2) + u64(7) + u64(9) + u8(2) + b"hello"),
    "message-report-streams": (65, u8(0x41) + u32(0) + u64(0) + u32(0)),
    "message-report": (65, u8(0) + u32(2) + u64(9) + u32(1_000_000)),
    "relayed-message": (66, u8(1) + ORIGIN + RECEIVER + u32(2) + u64(7) + u64(9) + u8(1) + b"hello"),
    # direct and through members: flag, route, number, kind, key
    "unreliable": (46, u8(0) + u64(9) + u8(0) + text("zeiger ä") + b"hello"),
    "unreliable-relayed": (46, u8(1) + u8(1) + ORIGIN + RECEIVER + u64(9) + u8(1) + text("") + b"hello"),
    "relayed-report": (67, u8(1) + RECEIVER + ORIGIN + u8(2) + u32(2) + u64(9) + u32(1_000_000)),
}

if __name__ == "__main__":
    print("# Whole frames: length u32, type u8, body; name and hexadecimal bytes. See PROTOCOL.md. Made by frames.py.")
    for name, (kind, body) in FRAMES.items():
        print(name, frame(kind, body).hex())
