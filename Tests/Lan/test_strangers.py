"""Strangers that show services of nobody, beside peers that mean well."""

import pathlib
import subprocess
import time
import unittest

import figures
from lan_test import AGREEMENT, LanTest
from peer import Peer

#: Within this time (seconds) a peer should be in the session that comes into sight behind forged services.
JOINED = 15
#: Services that a peer dials at a time, two of each address of the stranger (IPv4, IPv6) and four of which it has not heard who
#: shows them, and connections that it begins to one before the first has ended.
DIALS, AGAIN = 8, 6
#: Descriptors that forged services may take; each of the twelve questions to a daemon takes five or six.
DESCRIPTORS = {"embedded": 40, "avahi": 110}
#: Where the stranger's services are, and what lists the connections to them that are not closed.
PORT = 4999
DIALLED = "ss -Htn state syn-sent state established dst".split()


class ForgedServicesTest(LanTest):
    def forge(self, count, manner):
        """A stranger that has shown so many services at its own address."""
        stranger = self.lab.host("stranger")
        forger = stranger.start(
            "python3", pathlib.Path(__file__).with_name("mdns_forge.py"), stranger.address, PORT, count, manner,
            stdout=subprocess.PIPE, text=True)
        self.assertEqual(forger.stdout.readline(), "shown\n")
        return stranger

    def newcomer(self, name, **options):
        """A peer that others find and may invite."""
        return Peer(
            self.lab.host(name), "--discovery", "embedded", "--role", "advertiser", "--accept", "all", **options)

    def join_among_forged(self, back_end, manner):
        one = self.lab.host("one")
        if back_end == "avahi":
            one.start_avahi()
        peer = Peer(one, "--discovery", back_end, "--invite", "all")
        before = peer.descriptors()
        stranger = self.forge(5000, manner)
        start = time.monotonic()
        newcomer = self.newcomer("newcomer")
        most, dials, joined = 0, 0, []
        while not joined and time.monotonic() < start + AGREEMENT:
            most = max(most, peer.descriptors() - before)
            dials = max(dials, len(one.run(*DIALLED, f"{stranger.address}:{PORT}").splitlines()))
            joined = [event for event in peer.events if event["event"] == "peer-joined"]
        self.assertEqual([event["peerID"] for event in joined], [newcomer.id])
        figures.note(f"5,000 forged services: a newcomer has joined ({back_end}, {manner})", joined[0]["at"] - start, "s",
                     JOINED)
        figures.note(f"descriptors that they take ({back_end}, {manner})", most, "", DESCRIPTORS[back_end])
        figures.note(f"connections to them at a time ({back_end}, {manner})", dials, "", DIALS)
        self.assertLessEqual(most, DESCRIPTORS[back_end])
        self.assertLessEqual(dials, DIALS * AGAIN)

    def test_a_peer_behind_5000_forged_services_that_are_silent_is_joined(self):
        self.join_among_forged("embedded", "silent")

    def test_a_peer_behind_5000_forged_services_of_nobody_is_joined(self):
        self.join_among_forged("embedded", "closed")

    def test_a_peer_behind_5000_forged_services_is_joined_beside_a_daemon(self):
        self.join_among_forged("avahi", "silent")

    def test_a_daemon_full_of_forged_services_hides_nobody(self):
        one = self.lab.host("one")
        one.start_avahi()
        peer = Peer(one, "--discovery", "avahi")
        self.forge(2000, "closed")
        start = time.monotonic()
        self.newcomer("newcomer")
        found = peer.event("peer-found", seconds=AGREEMENT, name="newcomer")["at"]
        figures.note("2,000 forged services behind a daemon: a newcomer is found", found - start, "s", JOINED)
        start = time.monotonic()
        late = Peer(one.seat("late"), "--discovery", "avahi")
        found = late.event("peer-found", seconds=AGREEMENT, name="newcomer")["at"]
        figures.note("the same for a peer that starts after it", found - start, "s", JOINED)


if __name__ == "__main__":
    unittest.main()
