#!/usr/bin/env python3
"""Makes vectors.txt: runs of the exchange after which two people compare six digits.

It is written again from Documentation/Protocol/code.md with hashlib and hmac alone; no code of the program has a part in it. Run it
in this folder and compare: ./code.py | diff vectors.txt -
"""
import hashlib
import hmac

ALICE, BOB = (hashlib.sha256(name).digest() for name in (b"alice", b"bob"))


def tag(key, data): return hmac.new(key, data, hashlib.sha256).digest()


def run(name, exporter, first, second):
    """Alice has dialled Bob; HKDF (RFC 5869) is one extract and one block of expand."""
    extracted = tag(exporter, first + second)
    expanded = tag(extracted, b"wm-sas" + ALICE + BOB + b"\x01")
    code = int.from_bytes(expanded[:8], "little") % 10**6
    print(f"{name}-exporter", exporter.hex())
    print(f"{name}-nonce-initiator", first.hex())
    print(f"{name}-nonce-responder", second.hex())
    print(f"{name}-commitment", hashlib.sha256(b"wm-sas-c" + first + exporter).hexdigest())
    print(f"{name}-code", f"{code:06}".encode().hex())


print("# Codes: name and hexadecimal bytes; a code is ASCII. See Documentation/Protocol/code.md. Made by code.py.")
print("initiator", ALICE.hex())
print("responder", BOB.hex())
run("plain", bytes(range(32)), bytes(range(32, 64)), bytes(range(64, 96)))
run("zeros", bytes(32), bytes(32), bytes(32))
# Searched for: a code with zeros in front.
run("small", hashlib.sha256(b"exporter").digest(), hashlib.sha256(b"first").digest(), hashlib.sha256(b"second 970").digest())
