#!/usr/bin/env python3
"""Writes the first inputs of every fuzz target to Corpus/, from the files of Fixtures/."""
import hashlib
import pathlib
import struct
import subprocess
import sys

here = pathlib.Path(__file__).parent
fixtures = here.parent / "Fixtures"
sys.path.insert(0, str(here.parent / "Tests" / "WorldModelTests"))
sys.dont_write_bytecode = True
import reader  # noqa: E402


def seed(target, name, data):
    folder = here / "Corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def golden(name):
    return bytes.fromhex((fixtures / "Wire" / f"{name}.hex").read_text())


def maps():
    """The golden maps, and their blocks; a block of points follows the number of points it claims."""
    for path in sorted((fixtures / "Maps").glob("*.worldmap")):
        seed("fuzz-container", path.name, path.read_bytes())
        found = reader.sections(path.read_bytes())
        for target, code in (("fuzz-points", b"PNTS"), ("fuzz-anchors", b"ANCH")):
            blocks = reader.blocks(code, found[code])[1] if code in found else []
            for number, (count, _, _, payload) in enumerate(blocks):
                claim = (count - 1).to_bytes(2, "little") if code == b"PNTS" else b""
                seed(target, f"{path.stem}-{number}", claim + payload)


def clouds():
    """The point clouds, and one small file of each encoding that they lack."""
    targets = {"ply": "ply", "pcd": "pcd", "txt": "colmap-text", "bin": "colmap-binary", "csv": "xyz"}
    for path in sorted((fixtures / "PointClouds").iterdir()):
        if path.suffix[1:] in targets:
            seed(f"fuzz-{targets[path.suffix[1:]]}", path.name, path.read_bytes())
    columns = "property float x\nproperty float y\nproperty float z\nproperty uchar red\nproperty list uchar int track\n"
    row = (1.0, -2.0, 0.5, 7, 2, 3, 4)
    for name, form, body in (
        ("ascii", "ascii", b"1 -2 0.5 7 2 3 4\n"),
        ("little", "binary_little_endian", struct.pack("<fffBBii", *row)),
        ("big", "binary_big_endian", struct.pack(">fffBBii", *row)),
    ):
        head = f"ply\nformat {form} 1.0\nelement vertex 2\n{columns}end_header\n"
        seed("fuzz-ply", f"{name}.ply", head.encode() + 2 * body)
    head = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\nHEIGHT 1\nPOINTS 3\nDATA binary_compressed\n"
    # LZF: a run of 12 literals, then a copy of 24 bytes from 12 back.
    packed = bytes([11]) + struct.pack("<fff", 1, 2, 3) + bytes([0xE0, 24 - 9, 11])
    seed("fuzz-pcd", "compressed.pcd", head.encode() + struct.pack("<II", len(packed), 36) + packed)
    seed("fuzz-xyz", "plain.xyz", b"1 2 3\n-1e3\t.5\t7 255 0 1\n")


def archives():
    """The made-up archives; the rooms are longer than an input may be."""
    for path in sorted((fixtures / "Archives").glob("*.arexperience")):
        if not path.name.startswith("room"):
            seed("fuzz-archive", path.name, path.read_bytes())


def anchors():
    """The golden batches and snapshots, for each set they may meet; two vectors in a row."""
    for choice in range(4):
        head = bytes([choice])
        for name in ("batch", "parts"):
            data = golden(f"anchors-{name}")
            seed("fuzz-batch", f"{name}-{choice}", head + struct.pack("<H", len(data)) + data)
        seed("fuzz-snapshot", f"snapshot-{choice}", head + golden("anchors-snapshot"))
    seed("fuzz-vector", "vector", golden("anchors-vector") * 2)


def wire():
    """The golden frames one by one as raw bytes, and all in a row as a list; see fuzz-wire for the first byte."""
    listed = b""
    for line in (fixtures / "Wire" / "frames.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        name, digits = line.split()
        frame = bytes.fromhex(digits)
        seed("fuzz-wire", f"raw-{name}", bytes([4 if name == "hello" else 6]) + frame)
        listed += entry(frame[4], frame[5:]) if name not in ("hello", "goodbye") else b""
    header = golden("election-flood-header-all")
    for path in sorted((fixtures / "Wire").glob("election-*.hex")):
        if "flood-header" not in path.name and "link-state" not in path.name:
            message = entry(16, header + golden(path.stem))
            seed("fuzz-wire", path.stem, bytes([2]) + message)
    # A whole comparison of codes with the node of fuzz-wire, whose exporter is zeros; then an invitation.
    commitment = hashlib.sha256(b"wm-sas-c" + bytes(64)).digest()
    run = entry(18, commitment) + entry(20, bytes(32)) + entry(21, b"")
    seed("fuzz-wire", "code", bytes([8]) + run + entry(8, bytes(8) + struct.pack("<I", 30_000) + bytes([0])))
    # A whole handshake of drivers; then an invitation.
    run = entry(70, bytes([0, 3, 9, 8, 7])) + entry(70, bytes([1]))
    seed("fuzz-wire", "handshake", bytes([16]) + run + entry(8, bytes(8) + struct.pack("<I", 30_000) + bytes([0])))
    # The proof of the passcode by one who has it; then an invitation.
    run = entry(13, b"") + entry(15, b"")
    seed("fuzz-wire", "passcode", bytes([32]) + run + entry(8, bytes(8) + struct.pack("<I", 30_000) + bytes([0])))
    seed("fuzz-wire", "handshake-failed", bytes([16]) + entry(70, bytes([2, 2]) + b"no"))
    listed += entry(17, golden("election-link-state"))
    listed += entry(32, golden("anchors-batch")) + entry(33, golden("anchors-chunks")) + bytes([0, 100, 0])
    listed += entry(34, golden("anchors-chunks"))
    seed("fuzz-wire", "all", bytes([2]) + listed)


def records():
    """The golden record without its checksum."""
    seed("fuzz-record", "golden", golden("node-record")[:-32])


def strangers():
    """What reaches a program from outside the wire: chunks, identities, advertisements and requests."""
    # A zstd frame of one raw block that states its content size (RFC 8878 §3.1.1).
    packed = bytes.fromhex("28b52ffd2005") + (5 << 3 | 1).to_bytes(3, "little") + b"hello"
    seed("fuzz-chunk", "raw", struct.pack("<BI", 0, 5) + b"hello")
    seed("fuzz-chunk", "zstd", struct.pack("<BI", 1, 5) + packed)
    folder = here / "Corpus" / "fuzz-pem"
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-subj", "/CN=sharedworld", "-keyout",
         folder / "key", "-out", folder / "certificate"], check=True, stderr=subprocess.DEVNULL)
    seed("fuzz-pem", "identity", (folder / "key").read_bytes() + (folder / "certificate").read_bytes())
    seed("fuzz-txt", "record", b"\x03v=1\x0bauth=invite\x04flag\x02n=\x02=x")
    # Another peer connects, says hello, invites and is accepted; then edits and a while.
    seed("fuzz-node", "join", bytes([0, 1, 3, 1, 0, 0, 0, 5, 9, 0, 11, 0, 0, 4, 0, 0, 16] + list(range(16)) + [19, 200]))
    owned()


def owned():
    """Sessions with an owner for fuzz-node, whose first byte chooses the start; see Play+Owned.swift."""
    join = [0, 1, 3, 1, 0, 0, 0, 5, 9, 0, 11, 0, 0, 4, 0, 0]
    # The creator names a moderator, receives its anchors and its removal of a peer, removes it, and starts again.
    written, ruling = [46, 1, 0, 0], [42, 1, 1, 2, 1, 16, 3, 0, 0]
    run = join + [40, 1, 1, 0] + 2 * written + ruling + [13, 1] + written + [44, 0, 0, 45, 19, 200]
    seed("fuzz-node", "creator", bytes([241] + run))
    seed("fuzz-node", "curator", bytes([242] + join + [40, 4, 1, 9, 26, 0, 14, 0, 47, 1, 19, 200]))
    # A lone node is invited, with a charter of the creator, and admitted.
    greet = [0, 1, 3, 1, 0, 0, 0, 41, 0, 0, 0]
    run = greet + [5, 9, 0, 11, 0, 0, 4, 0, 0, 42, 0, 1, 0, 2, 1, 0, 0, 19, 200]
    seed("fuzz-node", "alone", bytes([240] + run))
    # A moderator admits, is sent anchors by a guest, raises the cut, and is removed.
    guest = [42, 0, 1, 2, 1, 2 | 16, 1, 0, 0]
    run = [40, 3, 3, 20] + 2 * [46, 2, 0, 0] + guest + [46, 2, 0, 0, 43, 3, 0, 1, 2, 0, 42, 1, 1, 0, 5, 0, 0, 0, 19, 200]
    seed("fuzz-node", "moderator", bytes([243] + run))


def tls():
    """A certificate; a whole handshake with bytes in both directions; both exchanges between honest ends."""
    folder = here / "Corpus" / "fuzz-certificate"
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["openssl", "x509", "-in", here / "Corpus" / "fuzz-pem" / "certificate", "-outform", "DER", "-out",
         folder / "certificate"], check=True)
    # See Line.perform: bit 0 is the end, the bits above it the operation.
    seed("fuzz-tls", "handshake", bytes([1, 0, 1, 0, 6, 9, 7, 30, 1, 0, 15, 0]))
    seed("fuzz-tls", "in-pieces", bytes([5, 20, 5, 200, 5, 255, 4, 255, 4, 255, 4, 255, 1, 0, 6, 1, 1]))
    seed("fuzz-tls", "changed", bytes([1, 8, 1, 0, 255, 0, 1, 0]))
    seed("fuzz-exchange", "code", bytes([0, 0x00, 0x03, 0x04, 0x07]))
    seed("fuzz-exchange", "code-changed", bytes([0, 0x00, 0x03, 0x0C, 32]) + bytes(32) + bytes([0x07]))
    for mode in (1, 3):
        seed("fuzz-exchange", f"passcode-{mode}", bytes([mode, 0x00, 0x03, 0x04, 0x07]))


def discovery():
    """What arrives by datagrams."""
    text = "".join(line for line in (fixtures / "Multicast" / "malformed.txt").open() if not line.startswith("#"))
    for number, line in enumerate(text.splitlines()[:40]):
        seed("fuzz-multicast", f"malformed-{number}", bytes.fromhex(line.rpartition(": ")[2]))
    labels = b"\x07kitchen\x0c_sharedworld\x04_tcp\x05local\x00"
    record = labels + struct.pack(">HHIH", 33, 1, 120, 15) + struct.pack(">HHH", 0, 0, 4711) + b"\x01h\x05local\x00"
    seed("fuzz-multicast", "service", struct.pack(">6H", 0, 0x8400, 0, 1, 0, 0) + record)
    seed("fuzz-multicast", "name", labels)
    text = b"\x0bsharedworld\x07kitchen"
    words = b"SWLA\x01\x01" + struct.pack("<Q", 7) + bytes(32) + struct.pack("<HB", 4711, 4) + text
    left = b"SWLA\x01\x01" + struct.pack("<Q", 8) + bytes(32) + struct.pack("<HB", 0, 0) + text
    datagrams = [(0, 129, words), (3, 130, words), (1, 1, words + bytes(64)), (90, 129, left)]
    asks = (b"SWLA\x01\x02\x0bsharedworld").ljust(193, b"\0")
    seed("fuzz-announcement", "found", b"".join(struct.pack("<BBH", *d[:2], len(d[2])) + d[2] for d in datagrams))
    seed("fuzz-announcement", "request", struct.pack("<BBH", 0, 1, len(asks)) + asks)
    digits = hashlib.sha256(b"").hexdigest()
    seed("fuzz-link", "link", f"sharedworld://192.0.2.7:4711,[2001:db8::7]:4711/sharedworld#{digits}.a%20b".encode())
    seed("fuzz-link", "address", b"[fe80::1%3]:80")
    seed("fuzz-link", "id", digits.encode())
    lines = f"# Peers\n{digits} 2026-11-22 kitchen\n{digits[::-1]} 2026-11-22+{digits[:32]} porch\n"
    seed("fuzz-pins", "two", lines.encode())


def letters():
    """Objects, requests and streams between two libraries."""
    names = b"".join(bytes([len(text)]) + text for text in (b"draw", b"Stroke", b"application/json"))
    envelope = b"\0" + names + b"\x01\x01k\x01v" + b"{}"
    number = struct.pack("<Q", 1)
    for name, data in (
        ("message", b"\0" + envelope), ("returned", b"\x01" + number * 2 + b"\0\x02no"),
        ("request", b"\x02" + number + envelope), ("answer", b"\x03" + number * 2 + envelope),
        ("failure", b"\x04" + number * 2 + b"\0\x01c\x02no"), ("withdrawal", b"\x05" + number),
        ("open", b"\0" + number * 2 + b"\x03log"), ("credit", b"\x01\0" + number * 2),
        ("data", b"\x02\x01" + number * 2 + b"abc"), ("end", b"\x03\0" + number),
        ("reset", b"\x04\0" + number + b"\0\x01c\x02no"), ("over", b"\x05" + number * 3),
    ):
        seed("fuzz-letter", name, data)
    # See BookPair.perform: bit 0 is the side, the rest the operation. Open, accept, write, read, end; then a liar's letter.
    run = bytes([0, 18, 1, 19, 1, 9, 0, 18, 1, 2, 9, 0, 19, 3, 18, 3, 7, 0, 4, 0, 19, 3, 10, 0])
    seed("fuzz-streams", "honest", b"\0" + run)
    letter = b"\x02\0" + number + b"abc"
    seed("fuzz-streams", "liar", b"\x01" + run + bytes([14, len(letter)]) + letter)
    seed("fuzz-streams", "broken", b"\0" + run + bytes([16]) + run)


def entry(kind, body):
    """A frame of a list: type, length, body."""
    return struct.pack("<BH", kind, len(body)) + body


maps()
clouds()
archives()
anchors()
wire()
records()
strangers()
tls()
discovery()
letters()
