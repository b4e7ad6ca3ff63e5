"""Discovery on a LAN with many services, and after crashes."""

import subprocess
import types

from lan_test import LanTest
from peer import PORT, Peer

SERVICE = "_sharedworld._tcp"


def publish(host, count):
    """Publishes services of no peer through the host's daemon; each is a program of its own."""
    for number in range(count):
        host.start(
            "avahi-publish", "--service", f"service {number}", SERVICE, PORT, "v=1", "auth=invite", "st=open",
            f"n=service {number}", stderr=subprocess.DEVNULL)


def found(peer):
    """The services that a peer has found."""
    return {event["candidate"] for event in peer.events if event["event"] == "peer-found"}


class DiscoveryTest(LanTest):
    def test_120_services_are_all_found_through_the_daemon_within_ten_seconds(self):
        shelf, one = self.lab.host("shelf"), self.lab.host("one")
        shelf.start_avahi()
        one.start_avahi()
        publish(shelf, 120)
        peer = Peer(one, "--discovery", "avahi")
        self.await_found([peer], 120)

    def test_16_peers_of_one_daemon_find_60_services_and_each_other_within_ten_seconds(self):
        shelf, one = self.lab.host("shelf"), self.lab.host("one")
        shelf.start_avahi()
        one.start_avahi()
        publish(shelf, 60)
        seats = []
        for number in range(16):
            folder = one.folder / f"seat{number}"
            folder.mkdir()
            seats.append(types.SimpleNamespace(name=f"seat{number}", folder=folder, start=one.start))
        peers = [Peer(seat, "--discovery", "avahi") for seat in seats]
        self.await_found(peers, 60 + 15)

    def test_a_peer_that_was_killed_is_one_entry_after_its_restart_and_is_invited_by_its_name(self):
        one, two = self.lab.host("one"), self.lab.host("two")
        watcher = Peer(one, "--discovery", "embedded")
        first = Peer(two, "--discovery", "embedded", "--accept", "all")
        service = watcher.event("peer-found", name="two")["candidate"]
        since = len(watcher.events)
        first.kill()
        second = Peer(two, "--discovery", "embedded", "--accept", "all")
        watcher.send("invite two")
        watcher.event("peer-joined", since=since, peerID=second.id)
        self.assertEqual({event["candidate"] for event in watcher.events if event["event"] == "peer-found"}, {service})

    def await_found(self, peers, count):
        """Waits until every peer has found so many services."""
        for peer in peers:
            peer.event("peer-found", seconds=10, where=lambda _, peer=peer: len(found(peer)) >= count)
            self.assertEqual(len(found(peer)), count)
