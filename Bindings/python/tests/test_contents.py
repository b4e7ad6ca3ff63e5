"""Kinds and payloads of anchors, interest in live poses, hit-tests, candidates and a diagnosis."""

import dataclasses
import os
import unittest

import numpy as np
import sharedworld as sw
from sharedworld import _abi, discovery, kinds
from sharedworld.events import (
    AnchorAdded, AnchorUpdated, CandidateFound, MapReceived, ParticipantGone, ParticipantMoved, PeerJoined)

from peers import LOOPBACK, PeerTest

KINDS = (
    None,
    kinds.Plane((2, 3), sw.PlaneAlignment.HORIZONTAL, sw.Surface.TABLE, ((0, 0), (1, 0), (1, 1))),
    kinds.Plane((1, 1)),
    kinds.Image("poster", (0.5, 0.25)),
    kinds.Object("cup", (1, 2, 3)),
    kinds.Mesh("wall", (1, 2, 3), sw.ID(bytes(range(32)))),
    kinds.Mesh("wall", (1, 2, 3)))


def wall():
    """Points 2 m in front of the camera."""
    side = np.arange(-20, 21) * 0.05
    return np.array([(x, y, -2) for y in side for x in side])


class ContentTest(PeerTest):
    async def test_kinds_and_payloads_arrive_in_events_lists_and_views(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            await ann.invite("127.0.0.1", bob.port)
            bob.snapshot()
            for kind in KINDS:
                with self.subTest(kind):
                    placed = ann.place("thing", (1, 2, 3), kind=kind, content_type="text/plain", payload=b"hello")
                    added = (await self.event(bob, AnchorAdded)).anchor
                    self.assertEqual((added.id, added.kind), (placed, kind))
                    view = bob.snapshot()
                    while view is None or not view.anchors:
                        view = bob.snapshot()
                    for anchor in (added, *bob.anchors, *view.anchors):
                        self.assertEqual((anchor.kind, anchor.payload), (kind, b"hello"))
                        self.assertEqual((anchor.content_type, anchor.position), ("text/plain", (1, 2, 3)))
                    ann.remove(placed)
                    await ann.confirm_edits()
                    self.assertEqual(bob.anchors, [])
                    while bob.snapshot().anchors:
                        pass
            with self.assertRaises(sw.SharedWorldError) as caught:
                ann.place("x", (0, 0, 0), kind=kinds.Participant(ann.peers[0].id))
            self.assertEqual(caught.exception.code, sw.Code.INVALID_ARGUMENT)

    async def test_a_plane_grows(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            await ann.invite("127.0.0.1", bob.port)
            floor = ann.place("floor", (0, 0, 0), kind=kinds.Plane((1, 1)))
            ann.set_kind(floor, kinds.Plane((4, 1)))
            grown = await self.event(bob, AnchorUpdated)
            self.assertEqual(grown.anchor.kind, kinds.Plane((4, 1)))
            with self.assertRaises(sw.SharedWorldError) as caught:
                ann.set_kind(floor, kinds.Plane((-1, 1)))
            self.assertEqual(caught.exception.code, sw.Code.INVALID_ARGUMENT)

    async def test_a_device_out_of_the_interest_is_not_told_of(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            await ann.invite("127.0.0.1", bob.port)
            ann_id = (await self.event(bob, PeerJoined)).peer
            ann.update_pose((0, 0, 0))
            await self.event(bob, ParticipantMoved)
            self.assertEqual([device.kind for device in bob.participants], [kinds.Participant(ann_id)])
            bob.set_interest(kind=sw.Kind.PARTICIPANT, center=(5, 0, 0), radius=1)
            await self.event(bob, ParticipantGone)
            ann.update_pose((5, 0, 0))
            await self.event(bob, ParticipantMoved)
            for wanted in ({"kind": sw.Kind.PLANE}, {"name_prefix": "x"}, {"creator": sw.ID(bytes(range(32)))}):
                bob.set_interest(**wanted)
                await self.event(bob, ParticipantGone)
                bob.set_interest()
                ann.update_pose((5, 0, 0))
                await self.event(bob, ParticipantMoved)
            bob.set_interest()
            with self.assertRaises(sw.SharedWorldError) as caught:
                bob.set_interest(radius=float("nan"))
            self.assertEqual(caught.exception.code, sw.Code.INVALID_ARGUMENT)

    def test_a_point_of_the_screen_hits_a_surface(self):
        with sw.Map.from_points(wall()) as cloud:
            camera = np.eye(4)
            hit = cloud.hit_test(camera, 0.5, 0.5, focal_length=1, aspect_ratio=1)
            self.assertEqual((hit.kind, hit.anchor_id), (sw.HitKind.FEATURE_POINTS, None))
            self.assertAlmostEqual(hit.distance, 2, places=2)
            np.testing.assert_allclose(hit.transform[:3, 3], (0, 0, -2), atol=0.01)
            # Turned away.
            self.assertIsNone(cloud.hit_test(np.diag((-1, 1, -1, 1)), 0.5, 0.5, focal_length=1, aspect_ratio=1))
            with self.assertRaises(sw.SharedWorldError) as caught:
                cloud.hit_test(camera, 0.5, 0.5, focal_length=0, aspect_ratio=1)
            self.assertEqual(caught.exception.code, sw.Code.INVALID_ARGUMENT)

    async def test_a_map_is_decoded_before_it_is_asked_for(self):
        async with self.session("ann") as ann, self.session("bob") as bob:
            await ann.invite("127.0.0.1", bob.port)
            with self.assertRaises(sw.SharedWorldError) as caught:
                await bob.decode_map()
            self.assertEqual(caught.exception.code, sw.Code.NO_MAP)
            with sw.Map.from_points(wall()) as cloud:
                await ann.share_map(cloud)
            await self.event(bob, MapReceived)
            await bob.decode_map()
            self.assertEqual(len(bob.map), len(wall()))

    async def test_candidates_are_listed_with_their_words(self):
        # Another process on this machine that runs this test is not to be found.
        own = {"service": f"swp-{os.getpid() % 100_000}", "announces": True, "announce_port": 20_000 + os.getpid() % 40_000}
        shown = dataclasses.replace(
            LOOPBACK, role=sw.Role.ADVERTISER, advertises_name=True, **own)
        looking = dataclasses.replace(LOOPBACK, role=sw.Role.BROWSER, probes=("127.0.0.1",), **own)
        async with self.session("bob", shown) as bob, self.session("ann", looking) as ann:
            found = await self.event(ann, CandidateFound)
            [candidate] = ann.candidates
            self.assertEqual((candidate.id, candidate.name, candidate.peer), (found.candidate, "bob", None))
            self.assertEqual((candidate.standing, candidate.ways), (sw.Standing.OPEN, sw.Way.ANNOUNCEMENT))
            self.assertEqual((candidate.seen_before, candidate.seen_before_name), (None, None))
            self.assertEqual((candidate.info, candidate.asks_for_passcode), ({}, False))
            self.assertEqual(await ann.invite_candidate(candidate.id), candidate.announced_key)
            # The one that shows itself alone has seen nobody.
            self.assertEqual(bob.candidates, [])

    def test_the_words_of_a_candidate_are_read(self):
        pairs = (_abi.Pair * 2)(_abi.Pair(b"game", b"chess"), _abi.Pair(b"room", "grün".encode()))
        value = _abi.Candidate(
            id=b"1", seen_before_name=b"bob", standing=sw.Standing.LOCKED, protocol_version=1, asks_for_passcode=1,
            info=pairs, info_count=2)
        value.ways = sw.Way.ANNOUNCEMENT | sw.Way.MULTICAST_DNS
        candidate = discovery._read_candidate(value)
        self.assertEqual((candidate.name, candidate.seen_before_name, candidate.peer), (None, "bob", None))
        self.assertEqual((candidate.info, candidate.asks_for_passcode), ({"game": "chess", "room": "grün"}, True))
        self.assertEqual((candidate.standing, candidate.ways), (sw.Standing.LOCKED, sw.Way(3)))

    async def test_what_keeps_this_device_from_finding_others_is_said(self):
        found = await sw.diagnose("swpython")
        self.assertTrue(found.findings)
        for finding in found.findings:
            self.assertTrue(finding.subject and finding.text)
        self.assertTrue(all(finding.advice for finding in found.findings if finding.weight == sw.FindingWeight.BAD))
        async with self.session("ann") as ann:
            can_find_peers, complaints = await ann.diagnose()
            self.assertTrue(can_find_peers or complaints)

    async def test_a_link_names_the_key_that_must_answer(self):
        async with self.session("ann") as ann:
            identity = sw.Identity.load_or_create("ann", self.folder)
            self.assertEqual(sw.link_peer(ann.invitation_link()), identity.peer_id)
        with self.assertRaises(sw.SharedWorldError) as caught:
            sw.link_peer("no link")
        self.assertEqual(caught.exception.code, sw.Code.INVALID_ARGUMENT)


if __name__ == "__main__":
    unittest.main()
