"""Faults that real networks and processes have, one test each, named by its number in Documentation/faults.md."""

import re
import signal
import time
import unittest

import figures
from lab import wait_until
from lan_test import LanTest
from peer import PORT, Peer

#: For how long the host stands still (seconds).
STANDSTILL = 10


class FaultTest(LanTest):
    def test_15_a_killed_and_restarted_avahi_daemon_ends_no_session(self):
        hosts = [self.lab.host("one"), self.lab.host("two")]
        for host in hosts:
            host.start_avahi()
        one, two = [Peer(host, "--discovery", "avahi", "--accept", "all", "--invite", "all") for host in hosts]
        self.agree([one, two])
        since = len(one.events)

        one.host.kill_avahi_daemon()
        one.event("discovery", since=since, backend=None)
        one.ask("place lamp 0 0 0")
        two.ask("place door 0 0 0")
        self.agree([one, two], anchors=2)
        one.host.start_avahi_daemon()
        restarted = time.monotonic()
        resumed = one.event("discovery", since=since, backend="avahi")
        figures.note("avahi-daemon is back → discovery resumes", resumed["at"] - restarted, "s")
        newcomer = Peer(self.lab.host("newcomer"), "--discovery", "embedded", "--accept", "all")
        one.event("peer-found", since=since, name="newcomer")
        newcomer.event("peer-found", name="one")
        self.agree([one, two, newcomer], anchors=2)
        for peer in (one, two):
            broken = [event for event in peer.events[since:] if event["event"] in ("peer-reconnecting", "peer-left")]
            self.assertEqual(broken, [])

    def test_17_the_survivor_of_two_hosts_and_accepts_joins(self):
        peers = self.start_session(2)
        peers[0].ask("place lamp 0 0 0")
        self.agree(peers, anchors=1)
        _, [survivor] = self.fail_over(peers, Peer.kill, "SIGKILL of the host of 2")
        survivor.ask("place door 0 0 0")
        guest = self.start("guest", survivor)
        status = self.agree([survivor, guest], anchors=2)
        self.assertEqual(status["host"], survivor.id)

        guest.kill()
        survivor.event("peer-left", peerID=guest.id)
        another = self.start("another", survivor)
        after = self.agree([survivor, another], anchors=2)
        self.assertEqual((after["host"], after["epoch"]), (status["host"], status["epoch"]))

    def test_18_after_a_split_of_2_and_6_the_host_of_the_6_and_the_anchors_of_all_remain(self):
        peers = self.start_session(8)
        old = self.host_of(peers)
        old.ask("place contested 0 0 0")
        old.ask("place lamp 0 0 0")
        self.agree(peers, anchors=2)
        # The smaller side keeps the older host, so that the larger one's has won by size alone.
        small = [old, next(peer for peer in peers if peer is not old)]
        large = [peer for peer in peers if peer not in small]

        self.lab.split([peer.host for peer in small])
        for peer in peers:
            peer.ask(f"place 'by {peer.name}' 0 0 0")
        small[0].ask("remove contested")
        large[0].ask("rename contested kept")
        small[1].ask("rename lamp sun")
        large[1].ask("move lamp 1 2 3")
        self.assertEqual(self.agree(small)["host"], old.id)
        elected = self.agree(large)["host"]

        status = self.merge(peers, self.lab.heal, "split of 2 and 6 heals", anchors=9)
        self.assertEqual(status["host"], elected)
        names = sorted(["sun", *(f"by {peer.name}" for peer in peers)])
        for peer in peers:
            self.assertEqual(self.names(peer), names)
            sun = next(anchor for anchor in peer.ask("anchors")["anchors"] if anchor["name"] == "sun")
            self.assertEqual(sun["position"], [1, 2, 3])

    def test_a_removal_in_a_half_holds_after_the_split_though_the_only_other_witness_is_gone(self):
        peers = self.start_session(6)
        remover = self.host_of(peers)
        witness, *rest = [peer for peer in peers if peer is not remover]
        self.lab.split([remover.host, witness.host])
        self.agree([remover, witness])
        # That of a peer that hosts the other half does not hold: KNOWN-ISSUES.md.
        other_host = self.agree(rest)["host"]
        victim = next(peer for peer in rest if peer.id != other_host)
        rest.remove(victim)

        remover.ask("kick " + victim.name)
        self.agree([remover, witness])
        witness.kill()
        remover.event("peer-left", peerID=witness.id)
        victim.ask("place lamp 0 0 0")
        healed = time.monotonic()
        self.lab.heal()
        ended = victim.event("error", code="ended")["at"]
        figures.note("split heals → a peer that was removed in the other half is out", ended - healed, "s")
        status = self.agree([remover, *rest], anchors=1)
        self.assertNotEqual(status["host"], remover.id)

    def test_19_a_host_that_stood_still_comes_back_and_nothing_is_lost(self):
        peers = self.start_session(4)

        def stop(host):
            for number in range(20):
                host.ask(f"place 'before {number}' 0 0 0")
            self.stopped = time.monotonic()
            host.signal(signal.SIGSTOP)
            return self.stopped
        host, others = self.fail_over(peers, stop, "SIGSTOP of the host of 4")
        for peer in others:
            peer.ask(f"place 'by {peer.name}' 0 0 0")
        elected = self.agree_without(host, others)
        # The length of the standstill is the fault itself; nothing is waited for by it.
        time.sleep(max(0, self.stopped + STANDSTILL - time.monotonic()))
        status = self.merge(peers, lambda: host.signal(signal.SIGCONT), "the stopped host goes on", anchors=23)
        self.assertEqual(status["host"], elected)

    def agree_without(self, stopped, others):
        """Waits until the others see that the stopped one is away, and gives their host."""
        for peer in others:
            peer.ask(f"wait peers ={len(others) - 1}")
        host = self.host_of(others)
        self.assertIsNot(host, stopped)
        return host.id

    def test_a_peer_that_changes_its_address_is_told_of_and_reached_at_the_new_one(self):
        one = self.start("one")
        two = self.start("two", one)
        self.agree([one, two])
        # Only the other side may dial from here on.
        one.host.run("iptables", "-A", "OUTPUT", "-p", "tcp", "--syn", "-j", "DROP")
        one.host.run("ip", "address", "add", "10.77.0.99/24", "dev", "eth0")
        added = time.monotonic()
        wait_until(lambda: "10.77.0.99" in one.ask("link")["link"], 20, "the link has the new address")
        figures.note("a new address → in the invitation link", time.monotonic() - added, "s", 2)
        since = len(two.events)
        # The kernel drops the first address, with it the connection; the other one stays.
        one.host.run("sh", "-c", "echo 1 >/proc/sys/net/ipv4/conf/eth0/promote_secondaries")
        one.host.run("ip", "address", "del", f"{one.host.address}/24", "dev", "eth0")
        removed = time.monotonic()
        one.ask("place lamp 0 0 0")
        two.event("anchor-added", since=since, seconds=40)
        figures.note("an address is taken away → an anchor arrives by the other", time.monotonic() - removed, "s")
        self.assertEqual([event for event in two.events[since:] if event["event"] == "peer-left"], [])

    def test_a_temporary_ipv6_address_and_a_second_network_are_told_of_and_dialled(self):
        every_family = ("--discovery", "none", "--accept", "all", "--listen", f"[::]:{PORT}")
        one = Peer(self.lab.host("one"), *every_family)
        two = Peer(self.lab.host("two"), *every_family, "--connect", f"{one.host.address}:{PORT}")
        self.agree([one, two])
        host = one.host
        # An address that the kernel makes up beside a stable one and replaces from time to time (RFC 8981).
        host.run("sh", "-c", "echo 2 >/proc/sys/net/ipv6/conf/eth0/use_tempaddr")
        host.run("ip", "address", "add", "2001:db8:77::1/64", "dev", "eth0", "mngtmpaddr")
        # A network that appears later, as that of a VPN.
        host.run("ip", "link", "add", "vpn0", "type", "veth", "peer", "name", "vpn1")
        host.run("ip", "address", "add", "10.88.0.1/24", "dev", "vpn0")
        for end in ("vpn0", "vpn1"):
            host.run("ip", "link", "set", end, "up")
        added = time.monotonic()
        temporary = re.search(r"inet6 (\S+)/64", host.run("ip", "-6", "-o", "address", "show", "temporary")).group(1)
        for address in (f"[{temporary}]:", "[2001:db8:77::1]:", "10.88.0.1:"):
            wait_until(lambda: address in one.ask("link")["link"], 20, f"the link has {address}")
        figures.note("three new addresses, one temporary → in the link", time.monotonic() - added, "s", 2)
        # Nothing but the temporary address leads to it from here on.
        two.host.run("ip", "address", "add", "2001:db8:77::2/64", "dev", "eth0")
        host.run("iptables", "-A", "INPUT", "-p", "tcp", "-j", "REJECT", "--reject-with", "tcp-reset")
        for stable in ("2001:db8:77::1", "fe80::/10"):
            host.run("ip6tables", "-A", "INPUT", "-p", "tcp", "-d", stable, "-j", "DROP")
        host.run("ip6tables", "-A", "OUTPUT", "-p", "tcp", "--syn", "-j", "DROP")
        since = len(two.events)
        one.ask("place lamp 0 0 0")
        two.event("anchor-added", since=since, seconds=40)
        self.assertEqual([event for event in two.events[since:] if event["event"] == "peer-left"], [])


if __name__ == "__main__":
    unittest.main()
