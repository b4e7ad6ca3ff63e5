#!/usr/bin/env python3
"""Makes vectors.txt: CPace over ristretto255 with SHA-512 (draft-irtf-cfrg-cpace) and the proof of a room's passcode.

Everything but the group itself is written down here again from the draft and from Documentation/Protocol/passcode.md; no code
of the program has a part in it. The group is libsodium's. The lines that begin with `draft` are checked against the draft's
own test vectors. Run it in this folder and compare: ./cpace.py | diff vectors.txt -
"""
import ctypes
import hashlib
import hmac

sodium = ctypes.CDLL("libsodium.so.23")
assert sodium.sodium_init() >= 0

DOMAIN = b"CPaceRistretto255"


def length(data):
    count, out = len(data), b""
    while count >= 0x80:
        out += bytes([count & 0x7F | 0x80])
        count >>= 7
    return out + bytes([count])


def lv(*parts): return b"".join(length(part) + part for part in parts)
def digest(data): return hashlib.sha512(data).digest()
def tag(key, data): return hmac.new(key, data, hashlib.sha512).digest()
def unhex(text): return bytes.fromhex(text)


def generator(passcode, channel, session):
    used = len(lv(passcode)) + len(lv(DOMAIN)) + 1
    padding = bytes(max(0, 128 - used))
    out = ctypes.create_string_buffer(32)
    sodium.crypto_core_ristretto255_from_hash(out, digest(lv(DOMAIN, passcode, padding, channel, session)))
    return out.raw


def multiply(scalar, element):
    out = ctypes.create_string_buffer(32)
    assert sodium.crypto_scalarmult_ristretto255(out, scalar, element) == 0
    return out.raw


def reduce(entropy):
    out = ctypes.create_string_buffer(32)
    sodium.crypto_core_ristretto255_scalar_reduce(out, entropy)
    return out.raw


def key(session, element, first, second): return digest(lv(DOMAIN + b"_ISK", session, element) + first + second)


lines = []
def line(name, data): lines.append(f"{name} {data.hex()}")


# The drafts' vectors (appendix B.3) for initiator and responder; associated data "ADa" and "ADb". Draft 13 and draft 21
# differ in the channel alone.
PASSWORD, SESSION = b"Password", unhex("7e4b4791d6a8ef019b936c79fb7f2c57")
SCALARS = [unhex("da3d23700a9e5699258aef94dc060dfda5ebb61f02a5ea77fad53f4ff0976d08"),
           unhex("d2316b454718c35362d83d69df6320f38578ed5984651435e2949762d900b80d")]
DRAFTS = {
    "draft13": (b"oc" + lv(b"B_responder", b"A_initiator"),
                "a6fc82c3b8968fbb2e06fee81ca858586dea50d248f0c7ca6a18b0902a30b36b",
                "4c5469a16b2364c4b944ebc1a79e51d1674ad47db26e8718154f59faebfaa52d"
                "8346f30aa58377117eb20d527f2cbc5c76381f7fd372e89df8239f87f2e02ed1"),
    "draft21": (lv(b"A_initiator", b"B_responder"),
                "222b6b195fe84b1652badb6f6a3ae3d24341e7306967f0b8115b40d5698c7e56",
                "b69effbf61b51d56401c0f65601abe428de8206feaaf0e32198896dcae7b35cd"
                "2b38950a39dfd5d4a79164614c2984f7daa460b588c1e80c3fa2068af7900447"),
}
for name, (channel, expected, session_key) in DRAFTS.items():
    base = generator(PASSWORD, channel, SESSION)
    assert base.hex() == expected
    first, second = (multiply(scalar, base) for scalar in SCALARS)
    element = multiply(SCALARS[0], second)
    assert element == multiply(SCALARS[1], first)
    result = key(SESSION, element, lv(first, b"ADa"), lv(second, b"ADb"))
    assert result.hex() == session_key
    confirmation = digest(b"CPaceMac" + SESSION + result)
    line(f"{name}-channel", channel)
    line(f"{name}-generator", base)
    line(f"{name}-share-a", first)
    line(f"{name}-share-b", second)
    line(f"{name}-element", element)
    line(f"{name}-key", result)
    line(f"{name}-tag-a", tag(confirmation, lv(first, b"ADa")))
    line(f"{name}-tag-b", tag(confirmation, lv(second, b"ADb")))

# What the drafts say of a product with an element, and of what encodes none or the identity.
line("product-scalar", unhex("7cd0e075fa7955ba52c02759a6c90dbbfc10e6d40aea8d283e407d88cf538a05"))
line("product-element", unhex("2c3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c"))
line("product", unhex("7c13645fe790a468f62c39beb7388e541d8405d1ade69d1778c5fe3e7f6b600e"))
line("invalid-encoding", unhex("2b3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c"))
line("invalid-identity", bytes(32))

# A room: alice has dialled bob.
passcode = b"7KQF-3M9X"
alice, bob = (hashlib.sha256(name).digest() for name in (b"alice", b"bob"))
exporter = bytes(range(32))
entropy = [digest(b"entropy of " + name) for name in (b"alice", b"bob")]
channel = lv(alice, bob, b"worldmap/1", b"room")
base = generator(passcode, channel, exporter)
scalars = [reduce(bytes_) for bytes_ in entropy]
first, second = (multiply(scalar, base) for scalar in scalars)
sent = lv(first, alice), lv(second, bob)
confirmation = digest(b"CPaceMac" + exporter + key(exporter, multiply(scalars[0], second), *sent))
line("room-passcode", passcode)
line("room-initiator", alice)
line("room-responder", bob)
line("room-exporter", exporter)
line("room-entropy-initiator", entropy[0])
line("room-entropy-responder", entropy[1])
line("room-share", first)
line("room-answer", second + tag(confirmation, sent[1]))
line("room-proof", tag(confirmation, sent[0]))

print("# CPace and the passcode of a room: name and hexadecimal bytes. See Documentation/Protocol/passcode.md. Made by cpace.py.")
print("\n".join(lines))
