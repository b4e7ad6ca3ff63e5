"""Creators' sessions, and what the library would print."""

import asyncio
import dataclasses
import unittest

import sharedworld as sw
from sharedworld.events import LogLine, RoleChanged

from peers import LIMIT, LOOPBACK, PeerTest


class RoleTest(PeerTest):
    async def role(self, session, peer, role):
        """Waits until a peer has a part, as a session sees it."""
        async with asyncio.timeout(LIMIT):
            while session.role(peer) != role:
                await self.event(session, RoleChanged, lambda event: event.peer == peer)

    async def test_the_creator_names_moderators_and_nobody_else_does(self):
        async with self.session("ann", dataclasses.replace(LOOPBACK, authority=sw.Authority.CREATOR)) as ann, self.session("bob") as bob:
            bob_id = await ann.invite("127.0.0.1", bob.port)
            ann_id = ann.creator
            self.assertEqual(ann.role(ann_id), sw.PeerRole.CREATOR)
            await self.role(bob, bob_id, sw.PeerRole.MEMBER)
            self.assertEqual(bob.creator, ann_id)
            with self.assertRaises(sw.SharedWorldError) as caught:
                bob.set_role(ann_id, sw.PeerRole.MEMBER)
            self.assertEqual(caught.exception.code, sw.Code.NOT_PERMITTED)
            ann.set_role(bob_id, sw.PeerRole.MODERATOR)
            changed = await self.event(bob, RoleChanged, lambda event: event.role == sw.PeerRole.MODERATOR)
            self.assertEqual((changed.peer, changed.name), (bob_id, "bob"))
            bob.lock()
            bob.unlock()
            self.assertIsNone(bob.role_time(bob_id))
            ann.set_role(bob_id, sw.PeerRole.GUEST, seconds=60)
            await self.role(bob, bob_id, sw.PeerRole.GUEST)
            # By bob's clock, which need not be ann's to the millisecond.
            self.assertLess(bob.role_time(bob_id), 61)

    async def test_newcomers_are_guests_until_the_creator_says_otherwise(self):
        config = dataclasses.replace(LOOPBACK, authority=sw.Authority.CREATOR, newcomers=sw.Newcomers.GUESTS)
        async with self.session("ann", config) as ann, self.session("bob") as bob:
            bob_id = await ann.invite("127.0.0.1", bob.port)
            await self.role(bob, bob_id, sw.PeerRole.GUEST)
            ann.set_role(bob_id, sw.PeerRole.MEMBER)
            await self.role(bob, bob_id, sw.PeerRole.MEMBER)

    async def test_an_open_session_has_no_creator(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            bob_id = await ann.invite("127.0.0.1", bob.port)
            self.assertIsNone(ann.creator)
            self.assertEqual(ann.role(bob_id), sw.PeerRole.NONE)

    async def test_the_log_says_that_an_invitation_was_declined(self):
        declining = dataclasses.replace(LOOPBACK, invitations=sw.Invitations.DECLINE, log=sw.LogLevel.INFO)
        async with self.session("ann") as ann, self.session("bob", declining) as bob:
            with self.assertRaises(sw.SharedWorldError):
                await ann.invite("127.0.0.1", bob.port)
            line = await self.event(bob, LogLine)
            self.assertEqual((line.level, line.subsystem, line.omitted), (sw.LogLevel.INFO, "admission", 0))
            self.assertIn("ann", line.text)


if __name__ == "__main__":
    unittest.main()
