#!/usr/bin/env python3
"""Makes signed.txt from the pages of the protocol alone: statements and removal witnesses with real signatures.

The signatures of Ed25519 depend on nothing but key and bytes, so that every implementation makes the same ones. A test
compares what it prints with the file: Fixtures/Wire/signed.py > Fixtures/Wire/signed.txt
"""
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from frames import START, sha, u8, u64

NAMES = ("creator", "moderator", "alice", "bob", "carol", "dave")
SEEDS = {name: sha(f"seed of {name}".encode()) for name in NAMES}
PRIVATE = {name: Ed25519PrivateKey.from_private_bytes(seed) for name, seed in SEEDS.items()}
KEYS = {name: key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw) for name, key in PRIVATE.items()}
IDS = {name: sha(key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))
       for name, key in PRIVATE.items()}
ADMISSION, REMOVAL, RAISE, LOCK = 1, 2, 3, 4
MODERATOR, MEMBER, GUEST, PUBLISHER, REMOVED = 1, 2, 3, 4, 0xFF
END = 1_800_000_000_000

GENESIS = KEYS["creator"] + u8(1, 16) + bytes(range(16))
SESSION = sha(b"sharedworld genesis" + GENESIS)


def statement(signer, kind, subject, serial, role=0, until=0, named=(), cuts=()):
    content = (KEYS[signer] + u8(kind) + IDS.get(subject, bytes(32)) + u64(serial) + u8(role) + u64(until)
               + u8(len(named)) + b"".join(named)
               + u8(len(cuts)) + b"".join(u64(run) + u64(last) for run, last in cuts))
    return content + PRIVATE[signer].sign(b"sharedworld statement" + SESSION + content)


def digest_of(one):
    return sha(one[:-64])


def witness(signer, subject):
    content = KEYS[signer] + IDS[subject] + u64(START)
    return content + PRIVATE[signer].sign(b"sharedworld removal" + content)


NAMING = statement("creator", ADMISSION, "moderator", 1, role=MODERATOR)
OF_ALICE = statement("moderator", ADMISSION, "alice", 2, role=MEMBER)
OF_BOB = statement("moderator", ADMISSION, "bob", 2, role=GUEST, cuts=[(7, 10)])
OF_CAROL = statement("creator", ADMISSION, "carol", 1, role=PUBLISHER, until=END)
OF_DAVE = statement("moderator", REMOVAL, "dave", 3, cuts=[(7, 10), (START, 1000)])
RAISED = statement("alice", RAISE, "dave", 0, named=[digest_of(OF_DAVE)], cuts=[(7, 12)])
LOCKED = statement("creator", LOCK, None, 1)
# A moderator makes nobody moderator: this one never counts, and displaces no removal whatever its serial.
VAIN = statement("moderator", ADMISSION, "dave", 9, role=MODERATOR)
COUNTING = [LOCKED, *sorted([NAMING, OF_CAROL], key=lambda one: one[33:65]),
            *sorted([OF_ALICE, OF_BOB, OF_DAVE], key=lambda one: one[33:65]), RAISED]


def roles(**others):
    known = {"creator": 0, "moderator": MODERATOR, "alice": MEMBER, "bob": GUEST, "carol": PUBLISHER, "dave": REMOVED}
    return b"".join(IDS[name] + u8(role) for name, role in (known | others).items())


def listed(*elements): return u8(len(elements)) + b"".join(elements)


VECTORS = {
    **{f"seed-{name}": seed for name, seed in SEEDS.items()},
    "genesis": GENESIS,
    "session": SESSION,
    # The bodies of frames 73, 74, 75 and 71.
    "charter": GENESIS + listed(NAMING, OF_ALICE),
    "statements": listed(NAMING, OF_ALICE, OF_BOB, OF_CAROL, OF_DAVE, RAISED, LOCKED, VAIN),
    "statements-digest": sha(b"".join(map(digest_of, COUNTING))),
    "removal-witnesses": listed(witness("moderator", "dave"), witness("alice", "dave")),
    # Ids and roles (255: removed), before and after the end of an admission; run and number of the cuts of a peer.
    "roles": roles(),
    "roles-later": roles(carol=REMOVED),
    "cuts-dave": u64(7) + u64(12) + u64(START) + u64(1000),
}

if __name__ == "__main__":
    print("# Signed texts of an owned session, and removal witnesses: name and hexadecimal bytes. Made by signed.py.")
    for name, data in VECTORS.items():
        print(name, data.hex())
