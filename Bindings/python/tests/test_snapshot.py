"""Views of a session for loops that draw."""

import asyncio
import unittest

import numpy as np
import sharedworld as sw

from peers import LIMIT, PeerTest


class SnapshotTest(PeerTest):
    async def view(self, session, is_shown, after=0):
        """Draws until a view shows what is waited for."""
        async with asyncio.timeout(LIMIT):
            while True:
                if (view := session.snapshot(after)) is not None:
                    self.assertGreater(view.revision, after)
                    after = view.revision
                    if is_shown(view):
                        return view
                # The loop has something else to do until the next frame.
                await asyncio.sleep(0.004)

    async def test_a_view_has_anchors_members_and_what_moves(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            bob_id = await ann.invite("127.0.0.1", bob.port)
            self.assertIsNone(ann.snapshot(10**9))
            cup = bob.place("cup", (1, 2, 3))
            bob.update_pose(sw.translation(4, 0, 0))
            with bob.begin_drag(cup) as drag:
                drag.update(sw.translation(5, 0, 0))
                view = await self.view(ann, lambda view: view.drags and view.devices)
                self.assertEqual([(anchor.id, anchor.name) for anchor in view.anchors], [(cup, "cup")])
                self.assertEqual([(peer.id, peer.name) for peer in view.peers], [(bob_id, "bob")])
                self.assertEqual((view.drags[0].anchor_id, view.drags[0].peer), (cup, bob_id))
                np.testing.assert_array_equal(view.drags[0].transform, sw.translation(5, 0, 0))
                np.testing.assert_array_equal(view.devices[0].transform, sw.translation(4, 0, 0))
            self.assertEqual((view.host, view.member_limit), (ann.host, 64))
            self.assertFalse(view.is_locked or view.has_ended)
            self.assertEqual((view.map, view.map_stage, view.map_points), (None, (sw.MapStage.NONE, 0), 0))

    async def test_a_view_stays_as_it_is(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            await ann.invite("127.0.0.1", bob.port)
            cup = bob.place("cup", (1, 2, 3))
            view = await self.view(ann, lambda view: len(view.anchors) == 1)
            # Of the turn in which it was made.
            self.assertEqual(view.digest, ann.digest)
            bob.remove(cup)
            empty = await self.view(ann, lambda view: not view.anchors, after=view.revision)
            self.assertNotEqual(empty.digest, view.digest)
        self.assertEqual([anchor.position for anchor in view.anchors], [(1, 2, 3)])
        view.close()
        with self.assertRaises(ValueError):
            _ = view.drags


if __name__ == "__main__":
    unittest.main()
