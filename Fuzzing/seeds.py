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
    seed("fuzz-http", "get", b"\x07GET /state?x=1 HTTP/1.1\r\nHost: 127.0.0.1:80\r\nAuthorization: Bearer 0\r\n\r\n")
    seed("fuzz-http", "post", b"\xffPOST /tap HTTP/1.1\r\nHost: [::1]:80\r\nContent-Length: 2\r\n\r\n{}")
    # Another peer connects, says hello, invites and is accepted; then edits and a while.
    seed("fuzz-node", "join", bytes([0, 1, 3, 1, 0, 0, 0, 5, 9, 0, 11, 0, 0, 4, 0, 0, 16] + list(range(16)) + [19, 200]))


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
