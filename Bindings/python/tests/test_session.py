"""Two Python peers and one worldpeer share a session."""

import asyncio
import dataclasses
import math
import os
import unittest

import numpy as np
import sharedworld as sw
from sharedworld.events import (
    AnchorAdded, AnchorDragged, AnchorRemoved, AnchorUpdated, Ended, HostChanged, MapReceived, Message, MessagesFailed,
    OwnershipChanged, PeerJoined)

from peers import LIMIT, LOOPBACK, PeerTest


def turned(degrees, position):
    """A transform that turns about y."""
    angle = math.radians(degrees)
    transform = sw.translation(*position)
    transform[:3, :3] = [[math.cos(angle), 0, math.sin(angle)], [0, 1, 0], [-math.sin(angle), 0, math.cos(angle)]]
    return transform


class SessionTest(PeerTest):
    async def test_anchors_of_each_are_seen_by_all(self):
        swift = self.worldpeer("swift")
        async with self.session("ann") as ann, self.session("bob") as bob:
            swift_id = await ann.invite("127.0.0.1", swift.port)
            self.assertEqual(swift_id.hex(), swift.id)
            await bob.invite("127.0.0.1", ann.port, expecting=sw.Identity.load_or_create("ann", self.folder).peer_id)
            await self.event(bob, PeerJoined, lambda event: event.name == "swift")
            placed = {"ann-vase": turned(30, (1, 2, 3)), "bob-vase": turned(-120, (-1, 0.25, 9))}
            lamp = ann.place("ann-vase", placed["ann-vase"])
            bob.place("bob-vase", placed["bob-vase"])
            await self.ask(swift, "place swift-vase 4 5 6 all")
            await self.heard(swift, "anchor-added", name="bob-vase", position=[-1, 0.25, 9])
            await self.event(ann, AnchorAdded, lambda event: event.anchor.name == "bob-vase")
            await self.event(bob, AnchorAdded, lambda event: event.anchor.name == "ann-vase")
            for session in (ann, bob):
                anchors = {anchor.name: anchor for anchor in session.anchors}
                self.assertEqual(set(anchors), {"ann-vase", "bob-vase", "swift-vase"})
                self.assertEqual(anchors["swift-vase"].position, (4, 5, 6))
                self.assertEqual(anchors["swift-vase"].creator, swift_id)
                for name, transform in placed.items():
                    np.testing.assert_array_equal(anchors[name].transform, transform)
            digest = await self.ask(swift, "digest")
            self.assertEqual(digest["digest"], ann.digest.hex())
            bob.move(lamp, (7, 7, 7))
            bob.rename(lamp, "light")
            await self.heard(swift, "anchor-updated", name="light", position=[7, 7, 7])
            bob.remove(lamp)
            removed = await self.event(ann, AnchorRemoved)
            self.assertEqual(removed.anchor.id, lamp)
        await self.heard(swift, "peer-left", name="ann", reason="left")

    async def test_what_was_placed_before_is_remote_to_both_at_each_of_100_joins(self):
        for _ in range(100):
            async with self.session("ann") as ann, self.session("bob") as bob:
                ann.place("lamp", (1, 2, 3))
                bob.place("table", (1, 2, 3))
                await bob.invite("127.0.0.1", ann.port)
                for session, name in ((ann, "table"), (bob, "lamp")):
                    added = await self.event(session, AnchorAdded, lambda event, name=name: event.anchor.name == name)
                    self.assertEqual(added.origin, "remote")

    async def test_messages_arrive_from_and_at_worldpeer(self):
        swift = self.worldpeer("swift")
        async with self.session("ann") as ann, self.session("bob") as bob:
            await ann.invite("127.0.0.1", swift.port)
            await ann.invite("127.0.0.1", bob.port)
            self.assertEqual(await ann.send("grüezi".encode()), 1)
            heard = await self.heard(swift, "message", text="grüezi")
            self.assertEqual(heard["name"], "ann")
            self.assertEqual((await self.event(bob, Message)).data.decode(), "grüezi")
            await self.ask(swift, "send ann good-day")
            message = await self.event(ann, Message)
            self.assertEqual((message.data, message.peer.hex(), message.key), (b"good-day", swift.id, None))
            self.assertEqual(ann.send_now(b"only bob", [peer.id for peer in ann.peers if peer.name == "bob"]), 2)
            self.assertEqual((await self.event(bob, Message)).data, b"only bob")

    async def test_a_message_to_one_that_has_crashed_is_reported_by_its_number(self):
        swift = self.worldpeer("swift")
        async with self.session("ann") as ann:
            await ann.invite("127.0.0.1", swift.port)
            swift.kill()
            number = ann.send_now(b"is anybody there")
            failed = await self.event(ann, MessagesFailed)
            self.assertEqual((failed.numbers, failed.name), ((number,), "swift"))

    async def test_the_map_of_worldpeer_arrives_as_an_array(self):
        swift = self.worldpeer("swift", "--map", str(self.room(20_000)))
        await self.ask(swift, "send-map")
        async with self.session("ann") as ann:
            self.assertIsNone(ann.map)
            await ann.invite("127.0.0.1", swift.port)
            received = await self.event(ann, MapReceived)
            self.assertEqual((received.sender.hex(), received.name), (swift.id, "swift"))
            with ann.map as here, sw.Map.load(self.room(20_000)) as there:
                self.assertEqual(here.points.shape, (20_000, 3))
                self.assertEqual(here.points.dtype, np.float32)
                np.testing.assert_array_equal(here.points, there.points)
                np.testing.assert_array_equal(here.identifiers, there.identifiers)

    async def test_an_array_arrives_as_the_map_of_worldpeer(self):
        swift = self.worldpeer("swift")
        points = np.random.default_rng(1).normal(size=(5_000, 3))
        async with self.session("ann") as ann:
            await ann.invite("127.0.0.1", swift.port)
            with sw.Map.from_points(points) as cloud:
                shared = await ann.share_map(cloud)
            received = await self.heard(swift, "map-received")
            self.assertEqual((received["mapID"], received["points"]), (shared.hex(), 5_000))
            await self.ask(swift, f"save {self.folder}/saved.worldmap")
        with sw.Map.load(self.folder / "saved.worldmap") as saved:
            np.testing.assert_array_equal(saved.points, points.astype(np.float32))

    async def test_a_drag_and_an_owner_are_seen_by_others(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            await ann.invite("127.0.0.1", bob.port)
            lamp = ann.place("lamp", (0, 0, 0))
            await self.event(bob, AnchorAdded)
            await bob.request_ownership(lamp, lease=60)
            owned = await self.event(ann, OwnershipChanged)
            self.assertEqual((owned.anchor_id, owned.owner), (lamp, ann.peers[0].id))
            with bob.begin_drag(lamp) as drag:
                drag.update(turned(90, (1, 2, 3)))
                dragged = await self.event(ann, AnchorDragged)
                np.testing.assert_array_equal(dragged.transform, turned(90, (1, 2, 3)))
            with self.assertRaises(ValueError):
                drag.update((0, 0, 0))
            await self.event(ann, AnchorUpdated, lambda event: event.anchor.position == (1, 2, 3))
            self.assertEqual(ann.digest, bob.digest)

    async def test_a_failure_is_an_exception_with_a_code_and_advice(self):
        async with self.session("ann") as ann:
            with self.assertRaises(sw.SharedWorldError) as caught:
                await ann.invite("127.0.0.1", 1, timeout=5)
            self.assertEqual(caught.exception.code, sw.Code.UNREACHABLE)
            self.assertIn("127.0.0.1", str(caught.exception))
            with self.assertRaises(sw.SharedWorldError) as caught:
                ann.place("skewed", 2 * np.eye(4))
            self.assertEqual(caught.exception.code, sw.Code.INVALID_ARGUMENT)
            with self.assertRaises(ValueError):
                ann.place("flat", (1, 2))

    async def test_the_events_end_with_the_session(self):
        swift = self.worldpeer("swift")
        async with self.session("ann", dataclasses.replace(LOOPBACK, can_host=False)) as ann:
            await ann.invite("127.0.0.1", swift.port)
            await self.event(ann, HostChanged, lambda event: event.host is not None)
            await self.ask(swift, "kick ann")
            async with asyncio.timeout(LIMIT):
                self.assertIsInstance([event async for event in ann][-1], Ended)
        with self.assertRaises(sw.SharedWorldError) as caught:
            ann.place("late", (0, 0, 0))
        self.assertEqual(caught.exception.code, sw.Code.ENDED)

    async def test_a_session_whose_start_is_cancelled_ends(self):
        descriptors = len(os.listdir("/proc/self/fd"))
        start = asyncio.create_task(self.session("ann").__aenter__())
        await asyncio.sleep(0)
        self.assertGreater(len(os.listdir("/proc/self/fd")), descriptors)
        start.cancel()
        async with asyncio.timeout(LIMIT):
            # It ends in the background, and tells nobody.
            while len(os.listdir("/proc/self/fd")) > descriptors:
                await asyncio.sleep(0.01)
        self.assertTrue(start.cancelled())

    async def test_a_session_that_cannot_start_says_why(self):
        async with self.session("ann") as ann:
            with self.assertRaises(sw.SharedWorldError) as caught:
                async with self.session("bob", dataclasses.replace(LOOPBACK, listen_port=ann.port)):
                    pass
            self.assertEqual(caught.exception.code, sw.Code.ADDRESS_IN_USE)
            self.assertIn(str(ann.port), str(caught.exception))

    async def test_a_drag_that_was_not_let_go_is_closed_with_its_session(self):
        async with self.session("ann") as ann:
            drag = ann.begin_drag(ann.place("lamp", (0, 0, 0)))
        with self.assertRaisesRegex(ValueError, "this Drag is closed"):
            drag.update((0, 0, 0))

    async def test_a_second_reader_is_refused(self):
        async with self.session("ann") as ann:
            while ann.next_event():
                pass
            first = asyncio.create_task(self.event(ann, Ended))
            await asyncio.sleep(0)
            with self.assertRaisesRegex(RuntimeError, "another task reads"):
                while True:
                    await anext(ann)
            first.cancel()

    async def test_a_value_that_does_not_fit_is_refused(self):
        with self.assertRaisesRegex(ValueError, "listen_port is out of range"):
            async with self.session("ann", sw.Config(listen_port=65_536)):
                pass
        with self.assertRaisesRegex(ValueError, "identifiers"):
            sw.Map.from_points(np.zeros((3, 3)), [1, 2])


if __name__ == "__main__":
    unittest.main()
