"""Discovery on a LAN with many services, and after crashes."""

import itertools
import json
import pathlib
import signal
import subprocess
import time

import figures
from lab import wait_until
from lan_test import AGREEMENT, LanTest
from peer import BIN, PORT, Peer

SERVICE = "_sharedworld._tcp"
CORPUS = pathlib.Path(__file__).parents[2] / "Fixtures" / "Multicast" / "malformed.txt"


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
        seats = [one.seat(f"seat{number}") for number in range(16)]
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


class TroubleTest(LanTest):
    """A network or a daemon that does not do its part."""

    def test_a_hung_daemon_is_noticed_while_it_runs_and_at_the_start_and_delays_nobodys_end(self):
        one, two = self.lab.host("one"), self.lab.host("two")
        one.start_avahi()
        other = Peer(two, "--discovery", "embedded")
        first = Peer(one)
        first.event("discovery", backend="avahi")
        first.event("peer-found", name="two")
        one.avahi_daemon.send_signal(signal.SIGSTOP)
        hung = time.monotonic()
        noticed = first.event("discovery", backend="embedded")["at"] - hung
        figures.note("daemon hangs → the embedded back-end takes over", noticed, "s", 3)
        self.assertLessEqual(noticed, 3)
        first.event("peer-lost", name="two")
        first.event("peer-found", since=len(first.events) - 1, name="two")
        start = time.monotonic()
        second = Peer(one.seat("second"))
        figures.note(
            "start beside a hung daemon → embedded", second.event("discovery", backend="embedded")["at"] - start, "s")
        second.event("peer-found", name="two")
        for peer in (first, second, other):
            start = time.monotonic()
            peer.quit()
            self.assertLessEqual(time.monotonic() - start, 3)

    def test_a_port_that_another_program_held_is_tried_again(self):
        one, two = self.lab.host("one"), self.lab.host("two")
        holder = one.start(
            "python3", "-c", "import socket, sys; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
            "s.bind(('', 5353)); t = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); "
            "t.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1); t.bind(('', 5353)); sys.stdin.read()",
            stdin=subprocess.PIPE)
        wait_until(lambda: "5353" in one.run("ss", "-uln"), AGREEMENT, "the port is held")
        Peer(two, "--discovery", "embedded")
        peer = Peer(one, "--discovery", "embedded")
        self.assertIn("5353", peer.event("discovery", backend=None)["reason"])
        holder.kill()
        peer.event("discovery", backend="embedded", seconds=AGREEMENT)
        peer.event("peer-found", name="two")

    def test_where_multicast_is_filtered_a_peer_says_so(self):
        one, two = self.lab.host("one"), self.lab.host("two")
        for host, filters in itertools.product((one, two), ("iptables", "ip6tables")):
            host.run(filters, "-A", "INPUT", "-p", "udp", "--dport", "5353", "-i", "eth0", "-j", "DROP")
        Peer(two, "--discovery", "embedded")
        peer = Peer(one, "--discovery", "embedded")
        told = peer.event("nobody-found", seconds=AGREEMENT)
        self.assertEqual([finding["subject"] for finding in told["findings"] if finding["weight"] != "good"],
                         ["multicast"])

    def test_where_multicast_is_filtered_announcements_and_questions_find_peers(self):
        one, two, three = [self.lab.host(name) for name in ("one", "two", "three")]
        for host, filters in itertools.product((one, two, three), ("iptables", "ip6tables")):
            host.run(filters, "-A", "INPUT", "-p", "udp", "--dport", "5353", "-i", "eth0", "-j", "DROP")
        announced = Peer(two, "--announce", "--accept", "all")
        peer = Peer(one, "--announce")
        found = peer.event("peer-found", name="two")
        self.assertEqual(found["ways"], ["announcement"])
        peer.send("invite two")
        self.assertEqual(peer.event("peer-joined")["name"], "two")
        # A third one hears no broadcast, and asks.
        three.run("iptables", "-A", "INPUT", "-m", "addrtype", "--dst-type", "BROADCAST", "-j", "DROP")
        three.run("ip6tables", "-A", "INPUT", "-p", "udp", "-j", "DROP")
        asking = Peer(three, "--probe", two.address)
        self.assertEqual(asking.event("peer-found", name="two")["ways"], ["announcement"])
        announced.send("quit")
        peer.event("peer-lost", name="two")

    def test_the_doctor_says_that_another_machine_has_the_name_of_this_one(self):
        one, two = self.lab.host("one"), self.lab.host("two")
        two.start_avahi()
        self.assertEqual(self.names_of_two(one), [])
        one.run("hostname", "two")
        [finding] = self.names_of_two(one)
        self.assertEqual(finding["weight"], "doubtful")
        self.assertIn("'two.local'", finding["text"])

    def names_of_two(self, host):
        """The findings of `worldpeer doctor` on names that two machines have; nobody else must be needed to find peers."""
        diagnosis = json.loads(host.run(BIN / "worldpeer", "doctor", "--json"))
        self.assertTrue(diagnosis["canFindPeers"])
        return [finding for finding in diagnosis["findings"] if finding["subject"] == "names"]

    def test_a_corpus_of_malformed_mdns_harms_nobody(self):
        one, two, stranger = self.lab.host("one"), self.lab.host("two"), self.lab.host("stranger")
        one.start_avahi()
        peers = [Peer(one, "--discovery", "avahi"), Peer(two, "--discovery", "embedded")]
        for peer, other in zip(peers, ("two", "one")):
            peer.event("peer-found", name=other)
        stranger.run("python3", pathlib.Path(__file__).with_name("mdns_noise.py"), CORPUS)
        Peer(self.lab.host("newcomer"), "--discovery", "embedded")
        for peer in peers:
            peer.event("peer-found", candidate="sound", seconds=AGREEMENT)
            peer.event("peer-found", name="newcomer", seconds=AGREEMENT)
            strangers = {event["candidate"] for event in peer.events
                         if event["event"] == "peer-found" and not event["name"]}
            # Their own records are whole: what is broken is refused where it is used.
            self.assertLessEqual(strangers, {"sound", "port 0", "half", "address", "cut short", "head"})

    def test_malformed_and_forged_mdns_costs_little_and_hides_nobody(self):
        one, two, stranger = self.lab.host("one"), self.lab.host("two"), self.lab.host("stranger")
        one.start_avahi()
        peers = [Peer(one, "--discovery", "avahi"), Peer(two, "--discovery", "embedded")]
        before = [peer.memory() for peer in peers]
        noise = pathlib.Path(__file__).with_name("mdns_noise.py")
        start = time.monotonic()
        stranger.run("python3", noise, 1, 20000)
        figures.note("20,000 malformed or forged mDNS datagrams took", time.monotonic() - start, "s")
        Peer(self.lab.host("newcomer"), "--discovery", "embedded")
        start = time.monotonic()
        for peer, memory, back_end in zip(peers, before, ("daemon", "embedded")):
            found_at = peer.event("peer-found", seconds=AGREEMENT, name="newcomer")["at"]
            figures.note(f"after them a newcomer is found ({back_end})", found_at - start, "s")
            figures.note(f"memory they cost ({back_end})", peer.memory() - memory, "MiB", 64)
            self.assertLessEqual(peer.memory() - memory, 64)
