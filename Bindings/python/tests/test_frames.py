"""Devices line up their frames."""

import asyncio
import dataclasses
import unittest

import numpy as np
import sharedworld as sw
from sharedworld.events import AlignmentChanged, MapReceived, PeerJoined

from peers import LIMIT, LOOPBACK, PeerTest


class FrameTest(PeerTest):
    async def test_a_measured_transform_gives_anchors_of_another_frame_a_place(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            bob_id = await ann.invite("127.0.0.1", bob.port)
            # The answer may be here before bob has admitted ann.
            ann_id = (await self.event(bob, PeerJoined)).peer
            self.assertEqual(ann.alignment(bob_id).state, sw.AlignmentState.ALIGNED)
            ann.begin_frame()
            lamp = ann.place("lamp", (0, 0, 0))
            # No event tells of an anchor without a place.
            async with asyncio.timeout(LIMIT):
                while not (waiting := bob.unaligned_anchors):
                    await asyncio.sleep(0)
            self.assertEqual([anchor.id for anchor in waiting], [lamp])
            self.assertIsNone(bob.alignment(ann_id).transform)
            fit = sw.FrameFit(transform=sw.translation(2, 0, 0), observations=3, residual=0.01)
            found = bob.align(ann_id, fit)
            self.assertEqual((found.state, found.observations), (sw.AlignmentState.ALIGNED, 3))
            self.assertAlmostEqual(found.residual, 0.01)
            np.testing.assert_array_equal(found.transform, fit.transform)
            changed = await self.event(ann, AlignmentChanged, lambda event: event.state == "aligned")
            self.assertEqual((changed.peer, changed.observations), (bob_id, 3))
            np.testing.assert_array_equal(changed.placement, sw.translation(-2, 0, 0))
            self.assertEqual([(anchor.id, anchor.position) for anchor in bob.anchors], [(lamp, (2, 0, 0))])
            self.assertEqual(bob.unaligned_anchors, [])
            ann.use_shared_frame()
            self.assertEqual(ann.alignment().state, sw.AlignmentState.ALIGNED)

    async def test_what_a_device_has_seen_is_shared_once_that_is_enough(self):
        points = np.random.default_rng(2).uniform((0, 0, 0), (3, 2, 3), (3_000, 3))
        async with self.session("ann") as ann, self.session("bob") as bob:
            with self.assertRaises(sw.SharedWorldError) as caught:
                await ann.share_capture(points)
            self.assertEqual(caught.exception.code, sw.Code.NOT_CONNECTED)
            await ann.invite("127.0.0.1", bob.port)
            for few, views in ((points[:9], 0), (points, 2)):
                with self.assertRaises(sw.SharedWorldError) as caught:
                    await ann.share_capture(few, views=views)
                self.assertEqual(caught.exception.code, sw.Code.MAP_NOT_READY)
            shared = await ann.share_capture(points, views=3)
            self.assertEqual((await self.event(bob, MapReceived)).map, shared)

    async def test_a_meeting_needs_poses(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            bob_id = await ann.invite("127.0.0.1", bob.port)
            ann.begin_frame()
            with self.assertRaises(sw.SharedWorldError) as caught:
                ann.meet(bob_id)
            self.assertEqual(caught.exception.code, sw.Code.NO_POSE)

    async def test_a_scan_is_found_in_the_map_of_the_session(self):
        points = np.random.default_rng(1).uniform((0, 0, 0), (6, 2.5, 6), (1_500, 3))
        config = dataclasses.replace(LOOPBACK, realign_interval_ms=1)
        async with self.session("ann", config) as ann, self.session("bob") as bob:
            bob_id = await ann.invite("127.0.0.1", bob.port)
            ann.begin_frame()
            self.assertEqual(ann.touch("corner", (0, 0, 0)), 0)
            with sw.Map.from_points(points) as cloud:
                self.assertEqual(cloud.anchors, [])
                await bob.share_map(cloud)
                mapping = cloud.mapping()
                self.assertIsNone(cloud.provider)
            self.assertEqual(
                (mapping.status, mapping.lacks),
                (sw.MappingStatus.LIMITED, sw.MappingLacks.COVERAGE | sw.MappingLacks.DENSITY))
            self.assertTrue(0 < mapping.progress < 1)
            await self.event(ann, MapReceived)
            self.assertEqual(ann.map.provider, bob_id)
            found = await ann.relocalize(points + (1, 0, 0))
            self.assertEqual(found.state, sw.AlignmentState.ALIGNED)
            self.assertGreater(found.observations, 100)
            np.testing.assert_allclose(found.transform, sw.translation(1, 0, 0), atol=0.05)
            # A cloud that is where it is believed to be measures nothing.
            self.assertEqual((await ann.keep_aligned(points + (1, 0, 0))).time, found.time)
            ann.begin_frame()
            kept = await ann.keep_aligned(points + (2, 0, 0))
            np.testing.assert_allclose(kept.transform, sw.translation(2, 0, 0), atol=0.05)
            with self.assertRaises(sw.SharedWorldError) as caught:
                await ann.relocalize(points[:3])
            self.assertEqual(caught.exception.code, sw.Code.NOT_RELOCALIZED)


if __name__ == "__main__":
    unittest.main()
