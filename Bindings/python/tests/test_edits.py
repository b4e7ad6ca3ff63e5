"""Edits that others acknowledge, edits that are taken back, owners, and what connections carry."""

import unittest

import sharedworld as sw
from sharedworld.events import AnchorRestored, OwnershipChanged

from peers import PeerTest


class EditTest(PeerTest):
    async def test_an_edit_that_is_confirmed_is_at_the_others(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            await ann.invite("127.0.0.1", bob.port)
            lamp = ann.place("lamp", (1, 2, 3))
            ann.rename(lamp, "lantern")
            await ann.confirm_edits()
            self.assertEqual([(anchor.id, anchor.name) for anchor in bob.anchors], [(lamp, "lantern")])
            bob.remove(lamp)
            await bob.confirm_edits(sw.Acknowledgement.EVERY_PRESENT_MEMBER, timeout=20)
            self.assertEqual(ann.anchors, [])
            await ann.confirm_edits(sw.Acknowledgement.HOST)

    async def test_edits_are_taken_back_and_made_again(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            await ann.invite("127.0.0.1", bob.port)
            history = ann.begin_undo_history()
            self.assertEqual((history.can_undo, history.undo(), history.redo()), (False, False, False))
            cup = history.place("cup", (1, 0, 0), content_type="text/plain", payload=b"full")
            history.move(cup, (2, 0, 0))
            self.assertTrue(history.undo() and history.can_redo)
            self.assertEqual([anchor.position for anchor in ann.anchors], [(1, 0, 0)])
            self.assertTrue(history.redo() and not history.can_redo)
            self.assertEqual([anchor.position for anchor in ann.anchors], [(2, 0, 0)])
            history.remove(cup)
            self.assertEqual(ann.anchors, [])
            self.assertTrue(history.undo())
            restored = await self.event(bob, AnchorRestored)
            self.assertEqual((restored.removed, restored.anchor.id), (cup, history.current(cup)))
            self.assertEqual((restored.anchor.payload, restored.anchor.content_type), (b"full", "text/plain"))
            history.record_move(cup, (3, 0, 0), (2, 0, 0))
            history.undo()
            self.assertEqual([anchor.position for anchor in ann.anchors], [(3, 0, 0)])
            history.move(cup, (4, 0, 0))
            bob.remove(history.current(cup))
            await bob.confirm_edits()
            with self.assertRaises(sw.SharedWorldError) as caught:
                history.undo()
            self.assertEqual(caught.exception.code, sw.Code.UNKNOWN_ANCHOR)
        with self.assertRaisesRegex(ValueError, "this UndoHistory is closed"):
            history.undo()

    async def test_an_anchor_is_given_to_another_peer(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            bob_id = await ann.invite("127.0.0.1", bob.port)
            chair = ann.place("chair", (0, 0, 0))
            self.assertIsNone(ann.ownership(chair))
            await ann.request_ownership(chair, lease=60)
            mine = ann.ownership(chair)
            self.assertEqual((mine.owner, mine.until is None), (bob.peers[0].id, False))
            await ann.give_ownership(chair, bob_id)
            await self.event(bob, OwnershipChanged, lambda event: event.owner == bob_id)
            given = bob.ownership(chair)
            self.assertEqual((given.owner, given.until), (bob_id, None))
            self.assertGreater((given.epoch, given.number), (mine.epoch, mine.number))
            with self.assertRaises(sw.SharedWorldError) as caught:
                await ann.give_ownership(chair, bob_id)
            self.assertEqual(caught.exception.code, sw.Code.NOT_OWNER)

    async def test_statistics_have_the_connections(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            self.assertEqual((ann.statistics.links, ann.statistics.connections), ([], []))
            bob_id = await ann.invite("127.0.0.1", bob.port)
            ann.place("lamp", (0, 0, 0))
            await ann.confirm_edits()
            found = ann.statistics
            self.assertEqual([(link.peer, link.name) for link in found.links], [(bob_id, "bob")])
            self.assertTrue(found.links[0].bytes_sent > 0 and found.links[0].bytes_received > 0)
            self.assertEqual(found.connections, [tuple(sorted((bob_id, bob.peers[0].id)))])
            self.assertGreater(found.turns, 0)


if __name__ == "__main__":
    unittest.main()
