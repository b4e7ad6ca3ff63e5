"""Coroutines of a session end, are cancelled, and leave events to whoever reads them."""

import asyncio
import dataclasses
import unittest
from unittest import mock

import sharedworld as sw
from sharedworld import _core
from sharedworld.events import (
    AnchorAdded, AnchorUpdated, Ended, HostChanged, InvitationEnded, InvitationFailed, Invited, Message,
    OwnershipChanged, OwnershipRequested, ParticipantMoved, PeerJoined, PeerLeft)

from peers import LIMIT, LOOPBACK, PeerTest

ASKING = dataclasses.replace(LOOPBACK, invitations=sw.Invitations.ASK)


class OperationTest(PeerTest):
    async def test_a_coroutine_ends_though_nobody_reads_and_the_events_stay(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            bob_id = await ann.invite("127.0.0.1", bob.port)
            self.assertEqual(ann.peers[0].id, bob_id)
            joined = await self.event(ann, PeerJoined)
            self.assertEqual(joined.peer, bob_id)

    async def test_an_invitation_whose_task_is_cancelled_is_taken_back(self):
        async with self.session("ann") as ann, self.session("bob", ASKING) as bob:
            inviting = asyncio.create_task(ann.invite("127.0.0.1", bob.port))
            asked = await self.event(bob, Invited)
            inviting.cancel()
            ended = await self.event(bob, InvitationEnded)
            self.assertEqual((ended.peer, ended.operation), (asked.peer, asked.operation))
            self.assertTrue(inviting.cancelled())
            # Its end was no event for the program, and nothing waits for it any more.
            with self.assertRaises(sw.SharedWorldError) as caught:
                await ann.invite("127.0.0.1", 1)
            self.assertEqual(caught.exception.code, sw.Code.UNREACHABLE)
            self.assertEqual(ann._operations, {})

    async def test_an_answer_that_comes_too_late_is_none_to_the_next_invitation(self):
        async with self.session("ann") as ann, self.session("bob", ASKING) as bob:
            inviting = asyncio.create_task(ann.invite("127.0.0.1", bob.port))
            first = await self.event(bob, Invited)
            inviting.cancel()
            await self.event(bob, InvitationEnded)
            inviting = asyncio.create_task(ann.invite("127.0.0.1", bob.port))
            second = await self.event(bob, Invited)
            self.assertEqual(first.peer, second.peer)
            with self.assertRaises(sw.SharedWorldError) as caught:
                bob.answer(first, True)
            self.assertEqual(caught.exception.code, sw.Code.INVALID_ARGUMENT)
            bob.answer(second, False, "not you")
            with self.assertRaisesRegex(sw.SharedWorldError, "not you") as caught:
                await inviting
            self.assertEqual(caught.exception.code, sw.Code.DECLINED)

    async def test_what_waits_when_the_session_is_left_fails(self):
        async with self.session("bob", ASKING) as bob:
            async with self.session("ann") as ann:
                inviting = asyncio.create_task(ann.invite("127.0.0.1", bob.port))
                reading = asyncio.create_task(self.event(ann, Ended))
                await self.event(bob, Invited)
            with self.assertRaises(sw.SharedWorldError) as caught:
                await inviting
            self.assertEqual(caught.exception.code, sw.Code.ENDED)
            with self.assertRaisesRegex(AssertionError, "ended before"):
                await reading

    async def test_unread_events_are_bounded_and_a_coroutine_waits_behind_them(self):
        async with self.session("ann") as ann:
            while ann.next_event():
                pass
            taken = [Message(sw.ID(bytes(32)), b"", None, "porch")] * 100 + [Ended("over")]
            with mock.patch.object(_core, "UNREAD_LIMIT", 10 << 10), \
                    mock.patch.object(_core, "_take", lambda _: taken.pop(0) if taken else None):
                ending = ann._operations[7] = asyncio.get_running_loop().create_future()
                for _ in range(5):
                    ann._pump()
                self.assertEqual(len(ann._unread), 10)
                self.assertIsNone(ann._watched)
                for _ in range(100):
                    self.assertIsInstance(ann.next_event(), Message)
                    ann._pump()
                    self.assertLessEqual(len(ann._unread), 10)
                self.assertIsInstance(ann.next_event(), Ended)
                self.assertFalse(ending.done())
            ending.cancel()

    async def test_an_address_is_invited_until_it_joins_and_by_link(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            ann.keep_inviting("127.0.0.1", 1)
            failed = await self.event(ann, InvitationFailed)
            self.assertEqual((failed.status, failed.is_repeated), (sw.Code.UNREACHABLE, True))
            ann.keep_inviting("127.0.0.1", bob.port)
            self.assertEqual((await self.event(ann, PeerJoined)).name, "bob")
            with self.assertRaises(sw.SharedWorldError) as caught:
                await ann.invite_link("no link")
            self.assertEqual(caught.exception.code, sw.Code.INVALID_ARGUMENT)
            with self.assertRaises(sw.SharedWorldError) as caught:
                await ann.invite_known(sw.ID(bytes(range(32))))
            self.assertEqual(caught.exception.code, sw.Code.UNKNOWN_PEER)
            async with self.session("cat") as cat:
                bob_id = await cat.invite_link(bob.invitation_link())
                self.assertIn((bob_id, "bob"), {(peer.id, peer.name) for peer in cat.peers})
            with self.assertRaisesRegex(ValueError, "a port is"):
                await ann.invite("127.0.0.1", 65_536 + bob.port)

    async def test_the_role_of_the_host_and_an_anchor_are_asked_for(self):
        asks = dataclasses.replace(LOOPBACK, asks_ownership=True, host_priority=200)
        async with self.session("ann", asks) as ann, self.session("bob") as bob:
            bob_id = await ann.invite("127.0.0.1", bob.port)
            ann_id = (await self.event(bob, PeerJoined)).peer
            await self.event(bob, HostChanged, lambda event: event.host == ann_id)
            await ann.hand_over(bob_id, timeout=LIMIT)
            await self.event(bob, HostChanged, lambda event: event.host == bob_id)
            lamp = ann.place("lamp", (0, 0, 0))
            await ann.request_ownership(lamp)
            await self.event(bob, OwnershipChanged, lambda event: event.owner == ann_id)
            requesting = asyncio.create_task(bob.request_ownership(lamp, timeout=LIMIT))
            question = await self.event(ann, OwnershipRequested)
            self.assertEqual((question.peer, question.anchor_id), (bob_id, lamp))
            ann.answer_question(question, False)
            with self.assertRaises(sw.SharedWorldError) as caught:
                await requesting
            self.assertEqual(caught.exception.code, sw.Code.DECLINED)
            await ann.release_ownership(lamp)
            bob.kick(ann_id)
            self.assertEqual((await self.event(bob, PeerLeft)).reason, "kicked")

    async def test_what_leaves_ends_its_events(self):
        async with self.session("ann") as ann:
            ann.leave()
            async with asyncio.timeout(LIMIT):
                self.assertIsInstance([event async for event in ann][-1], Ended)
            with self.assertRaises(sw.SharedWorldError) as caught:
                await ann.invite("127.0.0.1", 1)
            self.assertEqual(caught.exception.code, sw.Code.ENDED)

    async def test_payloads_and_devices_are_seen_by_others(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            await ann.invite("127.0.0.1", bob.port)
            lamp = ann.place("lamp", (0, 0, 0))
            added = await self.event(bob, AnchorAdded)
            self.assertEqual((added.payload, added.content_type), (b"", None))
            ann.set_payload(lamp, "text/plain", b"on")
            updated = await self.event(bob, AnchorUpdated)
            self.assertEqual((updated.payload, updated.content_type), (b"on", "text/plain"))
            ann.update_pose((1, 2, 3))
            await self.event(bob, ParticipantMoved)
            self.assertEqual([device.position for device in bob.participants], [(1, 2, 3)])

    async def test_the_words_for_discovery_are_checked(self):
        told = dataclasses.replace(LOOPBACK, info={"room": "porch"}, role=sw.Role.BROWSER)
        async with self.session("ann", told) as ann:
            ann.set_discovery_info({"room": "kitchen"})
            with self.assertRaises(sw.SharedWorldError) as caught:
                ann.set_discovery_info({"a key that is too long": ""})
            self.assertEqual(caught.exception.code, sw.Code.INVALID_ARGUMENT)
            with self.assertRaises(sw.SharedWorldError) as caught:
                await ann.resolve("nobody")
            self.assertEqual(caught.exception.code, sw.Code.UNKNOWN_PEER)
        for wrong in ({"info": {"a key that is too long": ""}}, {"probes": ["no address"], "announces": True}):
            with self.assertRaises(sw.SharedWorldError) as caught:
                async with self.session("ann", dataclasses.replace(LOOPBACK, **wrong)):
                    pass
            self.assertEqual(caught.exception.code, sw.Code.INVALID_ARGUMENT)


if __name__ == "__main__":
    unittest.main()
