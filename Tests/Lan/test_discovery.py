"""Discovery on a LAN with many services, and after crashes."""

import subprocess
import time
import types

import figures
from lab import wait_until
from lan_test import AGREEMENT, LanTest
from peer import PORT, Peer

SERVICE = "_sharedworld._tcp"


def publish(host, count, until):
    """Publishes services of no peer through a host's daemon, each by a program of its own, until another one has them all."""
    for number in range(count):
        host.start(
            "avahi-publish", "--service", f"service{number}", SERVICE, PORT, "v=1", "auth=invite", "st=open",
            f"n=service{number}", stderr=subprocess.DEVNULL)

    def seen():
        lines = until.run("avahi-browse", "--terminate", "--parsable", SERVICE).splitlines()
        return len({line.split(";")[3] for line in lines if line.startswith("+")})
    wait_until(lambda: seen() == count, AGREEMENT, f"{count} services")


def found(peer):
    """The services that a peer has found."""
    return {event["candidate"] for event in peer.events if event["event"] == "peer-found"}


class DiscoveryTest(LanTest):
    def test_120_services_are_all_found_through_the_daemon(self):
        shelf, one = self.lab.host("shelf"), self.lab.host("one")
        shelf.start_avahi()
        one.start_avahi()
        publish(shelf, 120, until=one)
        start = time.monotonic()
        self.await_found([Peer(one, "--discovery", "avahi")], 120, start)

    def test_16_peers_of_one_daemon_find_60_services_and_each_other(self):
        shelf, one = self.lab.host("shelf"), self.lab.host("one")
        shelf.start_avahi()
        one.start_avahi()
        publish(shelf, 60, until=one)
        seats = []
        for number in range(16):
            folder = one.folder / f"seat{number}"
            folder.mkdir()
            seats.append(types.SimpleNamespace(name=f"seat{number}", folder=folder, start=one.start))
        start = time.monotonic()
        self.await_found([Peer(seat, "--discovery", "avahi") for seat in seats], 60 + 15, start)

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

    def await_found(self, peers, count, start):
        """Waits until every peer has found exactly so many services, and notes how long that took from the start."""
        last = start
        for peer in peers:
            def is_complete(_, peer=peer):
                return len(found(peer)) >= count
            last = max(last, peer.event("peer-found", seconds=AGREEMENT, where=is_complete)["at"])
            self.assertEqual(len(found(peer)), count)
        figures.note(f"{len(peers)} started at once → each has found {count} services", last - start, "s")
