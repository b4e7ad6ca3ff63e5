"""Signed texts, checked from the pages alone: authority.md and "Removal witnesses" of membership.md."""

import hashlib
import pathlib
import runpy
import sys
import unittest

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

HERE = pathlib.Path(__file__).resolve().parent
WIRE = HERE.parents[1] / "Fixtures" / "Wire"
sys.path[:0] = [str(HERE), str(WIRE)]

from small.wire import Reader  # noqa: E402

ADMISSION, REMOVAL, RAISE, LOCK = 1, 2, 3, 4
MODERATOR, REMOVED = 1, 255
#: SubjectPublicKeyInfo of an Ed25519 key, before the key (RFC 8410).
KEY_INFO = bytes.fromhex("302a300506032b6570032100")


def sha(data):
    return hashlib.sha256(data).digest()


def is_signed(key, signature, text):
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, text)
    except InvalidSignature:
        return False
    return True


class Statement:
    """A statement, its fields in their order."""

    def __init__(self, reader):
        start = reader.at
        self.key, self.kind, self.subject = reader.take(32), reader.u8(), reader.take(32)
        self.serial, self.role, self.until = reader.u64(2**62), reader.u8(4), reader.u64(2**62)
        self.named = [reader.take(32) for _ in range(reader.u8(4))]
        self.cuts = {reader.u64(): reader.u64() for _ in range(reader.u8(32))}
        self.content = reader.data[start:reader.at]
        self.signature = reader.take(64)
        self.signer, self.hash = sha(KEY_INFO + self.key), sha(self.content)


class Book:
    """What counts of some statements, as the page says; enough for admissions that undo nothing."""

    def __init__(self, creator, statements):
        self.creator, self.latest, self.raises = creator, {}, {}
        for one in (one for one in statements if one.kind != RAISE and one.signer == creator):
            self._add(one)
        for one in (one for one in statements if one.kind != RAISE and one.signer != creator):
            naming = self.latest.get((creator, one.signer))
            if naming and naming.role == MODERATOR and one.serial > naming.serial and one.role != MODERATOR:
                self._add(one)
        hashes = {one.hash: one for one in self.latest.values()}
        for one in (one for one in statements if one.kind == RAISE):
            if one.named[0] in hashes and one.signer != one.subject == hashes[one.named[0]].subject:
                self.raises[one.signer, one.named[0], *one.cuts] = one

    def _add(self, one):
        known = self.latest.get((one.signer, one.subject))
        if known is None or (one.serial, one.hash) > (known.serial, known.hash):
            self.latest[one.signer, one.subject] = one

    @property
    def digest(self):
        """The creator's by subject, then those of others by signer and subject, then raises."""
        order = sorted(self.latest, key=lambda place: (place[0] != self.creator, place))
        ordered = [self.latest[place] for place in order] + [self.raises[place] for place in sorted(self.raises)]
        return sha(b"".join(one.hash for one in ordered))

    def about(self, peer):
        return [one for one in self.latest.values() if one.subject == peer]

    def role(self, peer, time):
        if peer == self.creator:
            return 0
        admissions = [one for one in self.about(peer) if one.kind == ADMISSION and not 0 < one.until <= time]
        if any(one.kind == REMOVAL for one in self.about(peer)) or not admissions:
            return REMOVED
        return admissions[0].role

    def cuts(self, peer):
        removals = {one.hash: one for one in self.about(peer) if one.kind == REMOVAL}
        found = {}
        for one in [*removals.values(), *(one for one in self.raises.values() if one.named[0] in removals)]:
            for run, number in one.cuts.items():
                found[run] = max(found.get(run, 0), number)
        return found


class SignatureTest(unittest.TestCase):
    """The vectors of Fixtures/Wire/signed.txt."""

    def setUp(self):
        lines = (WIRE / "signed.txt").read_text(encoding="ascii").splitlines()
        self.vectors = {name: bytes.fromhex(data) for name, data in (line.split() for line in lines if line[0] != "#")}
        reader = Reader(self.vectors["statements"])
        self.statements = [Statement(reader) for _ in range(reader.u8(64))]
        reader.end()
        self.session = sha(b"sharedworld genesis" + self.vectors["genesis"])

    def test_the_file_is_what_its_program_prints(self):
        made = runpy.run_path(str(WIRE / "signed.py"))["VECTORS"]
        self.assertEqual(made, self.vectors)

    def test_statements_are_signed_for_their_session_alone(self):
        self.assertEqual(self.session, self.vectors["session"])
        for one in self.statements:
            for session in (self.session, bytes(32)):
                text = b"sharedworld statement" + session + one.content
                self.assertEqual(is_signed(one.key, one.signature, text), session == self.session)

    def test_roles_cuts_and_digest_follow_from_the_statements(self):
        book = Book(sha(KEY_INFO + self.vectors["genesis"][:32]), self.statements)
        for name, time in (("roles", 0), ("roles-later", 1_800_000_000_000)):
            reader = Reader(self.vectors[name])
            while reader.left:
                peer, role = reader.take(32), reader.u8()
                self.assertEqual(book.role(peer, time), role, name)
                if role == REMOVED and name == "roles":
                    cuts = sorted(book.cuts(peer).items())
                    data = b"".join(number.to_bytes(8, "little") for cut in cuts for number in cut)
                    self.assertEqual(data, self.vectors["cuts-dave"])
        self.assertEqual(book.digest, self.vectors["statements-digest"])

    def test_removal_witnesses_are_signed(self):
        reader = Reader(self.vectors["removal-witnesses"])
        for _ in range(reader.u8(64)):
            content, signature = reader.take(72), reader.take(64)
            self.assertTrue(is_signed(content[:32], signature, b"sharedworld removal" + content))
            self.assertFalse(is_signed(content[:32], signature, content))
        reader.end()


if __name__ == "__main__":
    unittest.main()
