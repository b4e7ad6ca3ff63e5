"""The peer written from PROTOCOL.md against the golden vectors of the pages: nothing has to run for it."""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
WIRE = HERE.parents[1] / "Fixtures" / "Wire"
sys.path.insert(0, str(HERE))

from anchors import AnchorSet, Chunks  # noqa: E402
from leaf import Leaf  # noqa: E402
from small.frames import LARGEST, Frame, legal  # noqa: E402
from small.member import Phase  # noqa: E402
from small.wire import Node, Reader, Refused  # noqa: E402


class ExampleTest(unittest.TestCase):
    """The example at the end of anchors.md."""

    def setUp(self):
        self.set = AnchorSet(bytes(16))

    def fixture(self, name):
        return bytes.fromhex((WIRE / f"anchors-{name}.hex").read_text(encoding="ascii"))

    def test_the_batch_gives_the_vector_the_snapshot_and_the_digest(self):
        self.set.receive(self.fixture("batch"))
        self.assertEqual(self.set.encoded_vector, self.fixture("vector"))
        self.assertEqual(self.set.snapshot, self.fixture("snapshot"))
        self.assertEqual(self.set.digest, self.fixture("digest"))

    def test_the_snapshot_in_chunks_gives_the_digest(self):
        chunks, whole, data = Chunks(1_000_000), None, self.fixture("chunks")
        for offset in range(0, len(data), 300):
            whole = chunks.add(data[offset:offset + 300])
        self.set.merge(whole)
        self.assertEqual(self.set.digest, self.fixture("digest"))

    def test_what_this_peer_writes_gives_others_the_same_anchors(self):
        other = AnchorSet(b"other actor 0123")
        lamp = self.set.place("lamp", bytes(48), bytes(32), 7)
        self.set.place("cup", bytes(48), bytes(32), 7)
        self.set.remove(lamp, 8)
        for known in (0, 2):  # The second batch has the last operation alone, which the other set has already.
            for batch in self.set.missing(known):
                other.receive(batch)
        self.assertEqual(other.snapshot, self.set.snapshot)
        self.assertIsNone(other.named("lamp"))

    def test_an_edit_waits_for_its_anchor_and_a_gap_is_refused(self):
        edit = bytes([0x82]) + (9).to_bytes(8, "little") + bytes([5] * 16) + (1).to_bytes(8, "little") + bytes(48)
        head = (1).to_bytes(2, "little") + len(edit).to_bytes(4, "little")
        self.set.receive(b"\x01" + bytes([7] * 16) + (1).to_bytes(8, "little") + head + edit)
        self.assertEqual(self.set.vector, {})
        with self.assertRaises(Refused):
            self.set.receive(b"\x01" + bytes([7] * 16) + (3).to_bytes(8, "little") + head + edit)

    def test_an_operation_in_two_parts_is_put_together(self):
        data = self.fixture("parts")
        actor, clock = bytes([1] * 8) + bytes(7) + b"\x01", 65_536
        pose = b"".join(b"\x00\x00\x80?" if place in (0, 4, 8) else bytes(4) for place in range(12))
        lamp = b"\x01" + clock.to_bytes(8, "little") + bytes(15) + b"\x01\x00" + pose + b"\x04lamp" + bytes(5)
        run = b"\x01" + actor + (1).to_bytes(8, "little") + b"\x01\x00" + len(lamp).to_bytes(4, "little") + lamp
        self.set.receive(run)
        self.set.receive(data[:256])
        self.assertEqual(self.set.vector[actor], 1)
        self.set.receive(data[256:])
        self.assertEqual(self.set.named("lamp").values[2], b"\x01x" + b"\x90\x03" + bytes(range(200)) * 2)

    def test_an_operation_of_its_own_that_it_never_wrote_is_refused(self):
        batch = self.fixture("batch")
        with self.assertRaises(Refused):
            AnchorSet(batch[1:17]).receive(batch)


class GoldenFrameTest(unittest.TestCase):
    """The frames of Fixtures/Wire, each on the link of a member."""

    #: Those whose fields the leaf reads to the last byte.
    READ = ("admit", "ping", "roster", "invite", "invite-accept", "invite-decline", "invite-busy", "rules",
            "acknowledgement", "map-announce", "message-report", "message-report-critical", "message-report-streams",
            "relayed-report")

    def setUp(self):
        lines = (WIRE / "frames.txt").read_text(encoding="ascii").splitlines()
        pairs = [line.split() for line in lines if not line.startswith("#")]
        self.frames = {name: bytes.fromhex(data) for name, data in pairs}

    def goodbye(self, data):
        """What a fresh member says to a frame: 0 if it accepts it, else the reason of its goodbye."""
        leaf, other = Leaf(Node(bytes(32), 1), bytes(32), "snake", "sharedworld"), Node(bytes([1]) * 32, 5)
        leaf.phase, leaf.other = Phase.MEMBER, other
        # The samples come from and go to peers of their own: what is relayed concerns this leaf then.
        if data[4] in (Frame.RELAYED_MESSAGE, Frame.RELAYED_REPORT) and len(data) > 86:
            leaf.me = Reader(data[46:86]).node()
            leaf.roster.admit(*Reader(data[6:46]).node(), "porch", b"\x00")
        leaf.receive(data, 1)
        return leaf.reason[0] if leaf.reason else 0

    def test_those_of_a_member_are_accepted_and_all_others_refused(self):
        others = {name for name, data in self.frames.items() if data[4] not in legal("member")}
        self.assertEqual({name for name, data in self.frames.items() if self.goodbye(data) == 8}, others)

    def test_a_byte_too_many_and_one_too_few_are_refused(self):
        for name in self.READ:
            body = self.frames[name][5:]
            for wrong in [body + b"\x00", body[:-1]] if body else [b"\x00"]:
                data = len(wrong).to_bytes(4, "little") + self.frames[name][4:5] + wrong
                self.assertEqual(self.goodbye(data), 8, f"{name}, {len(wrong)} bytes")

    def test_a_frame_over_the_limit_is_refused_by_its_head(self):
        for kind, largest in [*((kind, LARGEST[kind]) for kind in legal("member")), (0xF0, 66_560)]:
            self.assertEqual(self.goodbye(largest.to_bytes(4, "little") + bytes([kind])), 0, kind)
            self.assertEqual(self.goodbye((largest + 1).to_bytes(4, "little") + bytes([kind])), 8, kind)

    def test_an_unknown_kind_inside_a_frame_costs_the_frame_and_not_the_link(self):
        """Each golden frame with a kind of which nothing is known, at its place in the body."""
        places = {"invite-accept": 8, "acknowledgement": 81, "message": 20, "message-report": 0, "relayed-message": 101,
                  "relayed-report": 81, "map-manifest": 0, "map-piece": 0}
        for name, place in places.items():
            data = bytearray(self.frames[name])
            data[5 + place] = 63
            self.assertEqual(self.goodbye(bytes(data)), 0, name)

    def test_an_unknown_frame_is_skipped(self):
        self.assertEqual(self.goodbye(b"\x01\x00\x00\x00\xf0?" + self.frames["ping"]), 0)


if __name__ == "__main__":
    unittest.main()
