"""A peer written from PROTOCOL.md alone beside worldpeer, over TLS on the loopback interface."""

import asyncio
import pathlib
import subprocess
import sys
import unittest
from unittest import mock

TESTS = pathlib.Path(__file__).resolve().parent.parent
WIRE = TESTS.parent / "Fixtures" / "Wire"
sys.path[:0] = [str(TESTS / "Interop"), str(TESTS / "Lan")]

import maps  # noqa: E402
import session as connection  # noqa: E402
from anchors import AnchorSet, Chunks  # noqa: E402
from leaf import Leaf, Phase  # noqa: E402
from loopback import LoopbackTest  # noqa: E402
from session import Ended, Session, dial  # noqa: E402
from wire import Node, Reader, Refused  # noqa: E402


class ExampleTest(unittest.TestCase):
    """The example at the end of anchors.md; nothing has to run for it."""

    def setUp(self):
        self.set = AnchorSet(bytes(16))

    def fixture(self, name):
        return bytes.fromhex((WIRE / f"anchors-{name}.hex").read_text(encoding="ascii"))

    def test_the_batch_gives_the_vector_the_snapshot_and_the_digest(self):
        self.set.receive(self.fixture("batch"), b"", None)
        self.assertEqual(self.set.encoded_vector, self.fixture("vector"))
        self.assertEqual(self.set.snapshot, self.fixture("snapshot"))
        self.assertEqual(self.set.digest, self.fixture("digest"))

    def test_the_snapshot_in_chunks_gives_the_digest(self):
        chunks, whole, data = Chunks(1_000_000), None, self.fixture("chunks")
        for offset in range(0, len(data), 300):
            whole = chunks.add(data[offset:offset + 300])
        self.set.merge(whole)
        self.assertEqual(self.set.digest, self.fixture("digest"))

    def test_what_was_applied_brings_another_set_up_to_date(self):
        self.set.receive(self.fixture("batch"), b"", None)
        other = AnchorSet(b"other actor 0123")
        for batch in self.set.missing({}):
            other.receive(batch, b"", None)
        self.assertEqual(other.snapshot, self.set.snapshot)

    def test_an_operation_in_two_parts_is_put_together(self):
        data = self.fixture("parts")
        actor, clock = bytes([1] * 8) + bytes(7) + b"\x01", 65_536
        pose = b"".join(b"\x00\x00\x80?" if place in (0, 4, 8) else bytes(4) for place in range(12))
        lamp = b"\x01" + clock.to_bytes(8, "little") + bytes(15) + b"\x01\x00" + pose + b"\x04lamp" + bytes(5)
        run = b"\x01" + actor + (1).to_bytes(8, "little") + b"\x01\x00" + len(lamp).to_bytes(4, "little") + lamp
        self.set.receive(run, b"", None)
        self.set.receive(data[:256], b"", None)
        self.assertEqual(self.set.vector[actor], 1)
        self.set.receive(data[256:], b"", None)
        self.assertEqual(self.set.named("lamp").values[2], b"\x01x" + b"\x90\x03" + bytes(range(200)) * 2)

    def test_an_operation_of_its_own_that_it_never_wrote_is_refused(self):
        batch = self.fixture("batch")
        with self.assertRaises(Refused):
            AnchorSet(batch[1:17]).receive(batch, b"", None)


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
        leaf, other = Leaf(Node(bytes(32), 1), bytes(32), "snake", "sharedworld", 0), Node(bytes([1]) * 32, 5)
        leaf.phase, leaf.other = Phase.MEMBER, other
        # The samples come from and go to peers of their own: what is relayed concerns this leaf then.
        if data[4] in (66, 67):
            leaf.me = Reader(data[46:86]).node()
            leaf.roster.admit(*Reader(data[6:46]).node(), "porch", b"\x00")
        leaf.receive(data, 1)
        return leaf.reason[0] if leaf.reason else 0

    def test_those_of_a_member_are_accepted_and_all_others_refused(self):
        others = {name for name, data in self.frames.items() if data[4] in (1, 11, 13, 14, 15, 18, 19, 20, 21)}
        self.assertEqual({name for name, data in self.frames.items() if self.goodbye(data) == 8}, others)

    def test_a_byte_too_many_and_one_too_few_are_refused(self):
        for name in self.READ:
            body = self.frames[name][5:]
            for wrong in [body + b"\x00", body[:-1]] if body else [b"\x00"]:
                data = len(wrong).to_bytes(4, "little") + self.frames[name][4:5] + wrong
                self.assertEqual(self.goodbye(data), 8, f"{name}, {len(wrong)} bytes")

    def test_a_frame_over_the_limit_is_refused_by_its_head(self):
        self.assertEqual(self.goodbye((66_561).to_bytes(4, "little") + b"\x20"), 8)

    def test_an_unknown_frame_is_skipped(self):
        self.assertEqual(self.goodbye(b"\x01\x00\x00\x00\xf0?" + self.frames["ping"]), 0)


class InteropTest(LoopbackTest):
    """One leaf peer beside worldpeers."""

    async def agree(self, session: Session, peer):
        """Waits until both have the same anchors, and gives them as worldpeer lists them."""
        digest = (await self.ask(peer, "digest"))["digest"]
        await session.until(lambda leaf: leaf.anchors.digest.hex() == digest, "the digest of worldpeer")
        return {anchor["name"]: anchor for anchor in (await self.ask(peer, "anchors"))["anchors"]}

    def node(self, session: Session, name):
        return session.peer.members()[name]

    async def test_it_joins_over_tls_is_listed_follows_the_host_and_leaves(self):
        swift = self.worldpeer()
        async with dial("127.0.0.1", swift.port, "snake") as session:
            joined = await self.heard(swift, "peer-joined", name="snake")
            self.assertEqual(joined["peerID"], session.peer.me.id.hex())
            self.assertEqual([peer["state"] for peer in (await self.ask(swift, "peers"))["peers"]], ["connected"])
            await session.until(lambda leaf: leaf.election.host is not None, "a host")
            self.assertEqual(session.peer.election.host.id.hex(), swift.id)
            await session.until(lambda leaf: leaf.election.place > 0, "a place in the order of joining")
            self.assertEqual((await self.ask(swift, "host"))["epoch"], session.peer.election.epoch)
        left = await self.heard(swift, "peer-left", name="snake")
        self.assertEqual(left["reason"], "left")

    async def test_it_is_a_member_for_longer_than_silence_and_leases_last(self):
        swift = self.worldpeer()
        async with dial("127.0.0.1", swift.port, "snake") as session:
            await session.until(lambda leaf: leaf.election.host is not None, "a host")
            exchanges = session.peer.exchanges
            await session.until(lambda leaf: leaf.exchanges > exchanges + 1, "two exchanges of vectors")
            self.assertEqual([event for event in swift.events if event["event"] == "peer-reconnecting"], [])
            self.assertEqual(session.peer.election.host.id.hex(), swift.id)

    async def test_anchors_of_both_are_the_same_to_the_last_bit(self):
        swift = self.worldpeer()
        await self.ask(swift, "place before 1 2 3")
        async with dial("127.0.0.1", swift.port, "snake") as session:
            await session.until(lambda leaf: leaf.anchors.named("before"), "an anchor from before it joined")
            session.peer.place("cup", (0.1, -2.5, 1e-3))
            added = await self.heard(swift, "anchor-added", name="cup")
            self.assertEqual(added["author"], session.peer.me.id.hex())
            for line in ("place after 4 5 6", "move cup 7 8 9", "rename cup mug", "lock mug 60", "remove before"):
                await self.ask(swift, line)
            listed = await self.agree(session, swift)
            self.assertEqual(set(listed), {"mug", "after"})
            self.assertEqual(session.peer.anchors.named("mug").position, (7, 8, 9))
            session.peer.remove(session.peer.anchors.named("after").id)
            await self.heard(swift, "anchor-removed", name="after")
            await self.agree(session, swift)

    async def test_an_edit_that_waits_for_all_waits_for_its_word(self):
        swift = self.worldpeer()
        async with dial("127.0.0.1", swift.port, "snake") as session:
            await self.ask(swift, "place lamp 1 2 3 all")
            self.assertIsNotNone(session.peer.anchors.named("lamp"))

    async def test_anchors_of_an_earlier_start_are_there(self):
        journal = str(self.folder / "journal")
        first = self.worldpeer("first", "--journal", journal)
        for number in range(3):
            await self.ask(first, f"place chair{number} {number} 0 0")
        await asyncio.to_thread(first.quit)
        second = self.worldpeer("second", "--journal", journal)
        async with dial("127.0.0.1", second.port, "snake") as session:
            await session.until(lambda leaf: len(leaf.anchors.anchors) == 3, "three anchors")
            await self.agree(session, second)

    async def test_messages_arrive_once_and_in_order_both_ways(self):
        swift = self.worldpeer()
        async with dial("127.0.0.1", swift.port, "snake") as session:
            to, count = self.node(session, "swift"), 100
            for number in range(count):  # Three times what may be on its way before a report.
                session.peer.send(to, f"{number} {'x' * 8_000}".encode())
                await asyncio.to_thread(swift.send, f"send snake '{number} {'y' * 8_000}'")
            await session.until(lambda leaf: len(leaf.messages) >= count, "all messages")
            await session.until(lambda leaf: leaf.mailbox.unreported(to) == 0, "reports of all messages")
            texts = [event["text"] for event in swift.events if event["event"] == "message"]
            self.assertEqual([int(text.split()[0]) for text in texts], list(range(count)))
            self.assertEqual([int(message.data.split()[0]) for message in session.peer.messages], list(range(count)))

    async def test_the_map_arrives_and_its_page_reads_it(self):
        await self.receive_map(self.worldpeer("swift", "--map", str(self.room(60_000))), 60_000)

    async def test_without_zstd_the_map_comes_in_raw_chunks(self):
        with mock.patch.object(maps, "ZSTD", None):
            await self.receive_map(self.worldpeer("swift", "--map", str(self.room(20_000))), 20_000)

    async def receive_map(self, swift, points):
        sent = await self.ask(swift, "send-map")
        async with dial("127.0.0.1", swift.port, "snake") as session:
            await session.until(lambda leaf: leaf.maps.current and leaf.maps.current.bytes, "the map")
            self.assertEqual(session.peer.maps.current.id.hex(), sent["mapID"])
            received = self.folder / "received.worldmap"
            received.write_bytes(session.peer.maps.current.bytes)
            words = [sys.executable, str(TESTS / "WorldModelTests" / "reader.py"), str(received)]
            lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
            self.assertEqual(len([line for line in lines if line.startswith("point")]), points)
            await self.heard(swift, "map-status", name="snake", stage="received")
            await self.agree(session, swift)

    async def test_a_third_member_is_reached_through_the_first(self):
        swift = self.worldpeer()
        third = self.worldpeer("third", "--connect", f"127.0.0.1:{swift.port}")
        await self.heard(swift, "peer-joined", name="third")
        async with dial("127.0.0.1", swift.port, "snake") as session:
            await self.heard(third, "peer-joined", name="snake")
            await session.until(lambda leaf: "third" in leaf.members(), "the third member")
            session.peer.place("cup", (1, 2, 3))
            await self.heard(third, "anchor-added", name="cup")
            session.peer.send(self.node(session, "third"), b"through another one")
            message = await self.heard(third, "message", name="snake")
            self.assertEqual(message["text"], "through another one")
            third.send("send snake 'and back'")
            await session.until(lambda leaf: leaf.messages, "a relayed message")
            self.assertEqual(session.peer.messages[0].sender, self.node(session, "third"))
            await self.ask(third, "place vase 0 0 0 all")
            await self.agree(session, third)

    async def test_another_service_is_refused_with_its_reason(self):
        swift = self.worldpeer("swift", "--service", "other")
        with self.assertRaises(ExceptionGroup) as caught:
            async with dial("127.0.0.1", swift.port, "snake"):
                self.fail("joined a session of another service")
        self.assertRegex(str(caught.exception.exceptions[0]), r"goodbye \(11,")
        self.assertIsInstance(caught.exception.exceptions[0], Ended)

    async def test_a_server_name_and_alpn_are_ignored(self):
        swift, make = self.worldpeer(), connection.make_context

        def make_with_alpn(key, certificate):
            context = make(key, certificate)
            context.set_alpn_protocols(["h2"])
            return context

        with mock.patch.object(connection, "make_context", make_with_alpn):
            async with dial("localhost", swift.port, "snake"):
                await self.heard(swift, "peer-joined", name="snake")

    async def test_the_host_removes_it(self):
        swift = self.worldpeer()
        async with dial("127.0.0.1", swift.port, "snake") as session:
            await session.until(lambda leaf: leaf.election.host is not None, "a host")
            swift.send("kick snake")
            with self.assertRaisesRegex(Ended, r"goodbye \((2, .*|1, 'removed by the host')\)"):
                await session.until(lambda leaf: False, "the end")


if __name__ == "__main__":
    unittest.main()
