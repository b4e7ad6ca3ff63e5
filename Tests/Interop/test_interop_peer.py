"""A peer written from PROTOCOL.md alone beside worldpeer, over TLS on the loopback interface."""

import asyncio
import functools
import pathlib
import subprocess
import sys
import unittest
from unittest import mock

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "Interop"), str(TESTS / "Lan")]

import zstd  # noqa: E402
from leaf import Leaf  # noqa: E402
from loopback import LoopbackTest, thorough  # noqa: E402
from small import session as connection  # noqa: E402
from small.session import Ended, Session  # noqa: E402

dial = functools.partial(connection.dial, kind=Leaf)


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

    @thorough
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

    @thorough
    async def test_an_edit_that_waits_for_all_waits_for_its_word(self):
        swift = self.worldpeer()
        async with dial("127.0.0.1", swift.port, "snake") as session:
            await self.ask(swift, "place lamp 1 2 3 all")
            self.assertIsNotNone(session.peer.anchors.named("lamp"))

    @thorough
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

    @thorough
    async def test_messages_arrive_once_and_in_order_both_ways(self):
        swift = self.worldpeer()
        async with dial("127.0.0.1", swift.port, "snake") as session:
            to, count = self.node(session, "swift"), 100
            for number in range(count):  # Three times what may be on its way before a report.
                session.peer.send(f"{number} {'x' * 8_000}".encode(), to)
                await asyncio.to_thread(swift.send, f"send snake '{number} {'y' * 8_000}'")
            await session.until(lambda leaf: len(leaf.messages) >= count, "all messages")
            await session.until(lambda leaf: not leaf.conversation_with(to).waiting, "reports of all messages")
            texts = [event["text"] for event in swift.events if event["event"] == "message"]
            self.assertEqual([int(text.split()[0]) for text in texts], list(range(count)))
            self.assertEqual([int(data.split()[0]) for _, data in session.peer.messages], list(range(count)))

    async def test_the_map_arrives_and_its_page_reads_it(self):
        await self.receive_map(self.worldpeer("swift", "--map", str(self.room(60_000))), 60_000)

    @thorough
    async def test_without_zstd_the_map_comes_in_raw_chunks(self):
        with mock.patch.object(zstd, "LIBRARY", None):
            await self.receive_map(self.worldpeer("swift", "--map", str(self.room(20_000))), 20_000)

    async def receive_map(self, swift, points):
        sent = await self.ask(swift, "send-map")
        async with dial("127.0.0.1", swift.port, "snake") as session:
            await session.until(lambda leaf: leaf.map.data, "the map")
            self.assertEqual(session.peer.map.id.hex(), sent["mapID"])
            received = self.folder / "received.worldmap"
            received.write_bytes(session.peer.map.data)
            words = [sys.executable, str(TESTS / "WorldModelTests" / "reader.py"), str(received)]
            lines = subprocess.run(words, check=True, capture_output=True, text=True).stdout.splitlines()
            self.assertEqual(len([line for line in lines if line.startswith("point")]), points)
            await self.heard(swift, "map-status", name="snake", stage="received")
            await self.agree(session, swift)

    @thorough
    async def test_a_third_member_is_reached_through_the_first(self):
        swift = self.worldpeer()
        third = self.worldpeer("third", "--connect", f"127.0.0.1:{swift.port}")
        await self.heard(swift, "peer-joined", name="third")
        async with dial("127.0.0.1", swift.port, "snake") as session:
            await self.heard(third, "peer-joined", name="snake")
            await session.until(lambda leaf: "third" in leaf.members(), "the third member")
            session.peer.place("cup", (1, 2, 3))
            await self.heard(third, "anchor-added", name="cup")
            session.peer.send(b"through another one", self.node(session, "third"))
            message = await self.heard(third, "message", name="snake")
            self.assertEqual(message["text"], "through another one")
            third.send("send snake 'and back'")
            await session.until(lambda leaf: leaf.messages, "a relayed message")
            self.assertEqual(session.peer.messages[0][0], self.node(session, "third"))
            await self.ask(third, "place vase 0 0 0 all")
            await self.agree(session, third)

    @thorough
    async def test_another_service_is_refused_with_its_reason(self):
        swift = self.worldpeer("swift", "--service", "other")
        with self.assertRaisesRegex(Ended, r"goodbye \(11,"):
            async with dial("127.0.0.1", swift.port, "snake"):
                self.fail("joined a session of another service")

    @thorough
    async def test_a_server_name_and_alpn_are_ignored(self):
        swift, make = self.worldpeer(), connection.make_context

        def make_with_alpn(key):
            context = make(key)
            context.set_alpn_protocols(["h2"])
            return context

        with mock.patch.object(connection, "make_context", make_with_alpn):
            async with dial("localhost", swift.port, "snake"):
                await self.heard(swift, "peer-joined", name="snake")

    @thorough
    async def test_the_host_removes_it(self):
        swift = self.worldpeer()
        async with dial("127.0.0.1", swift.port, "snake") as session:
            await session.until(lambda leaf: leaf.election.host is not None, "a host")
            swift.send("kick snake")
            with self.assertRaisesRegex(Ended, r"goodbye \((2, .*|1, 'removed by the host')\)"):
                await session.until(lambda leaf: False, "the end")


if __name__ == "__main__":
    unittest.main()
