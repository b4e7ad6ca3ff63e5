"""Traps of DNS-SD and of Avahi that need a LAN; Documentation/discovery-traps.md has them all."""

import subprocess

from lab import run
from lan_test import AGREEMENT, LanTest
from peer import PORT, Peer


class TrapTest(LanTest):
    def test_avahi_writes_nothing_to_standard_error(self):
        for mode in ("avahi", "embedded"):
            host = self.lab.host(mode)
            host.start_avahi()
            peer = Peer(host, "--discovery", mode)
            peer.event("discovery", backend=mode)
            peer.quit()
            self.assertEqual((host.folder / "worldpeer.log").read_text(encoding="utf-8"), "")

    def test_a_name_that_another_app_of_the_machine_has_is_not_taken(self):
        host, other = self.lab.host("one"), self.lab.host("two")
        host.start_avahi()
        watcher = Peer(other, "--discovery", "embedded")
        first = Peer(host, "--discovery", "avahi")
        service = watcher.event("peer-found", name="one")["candidate"]
        first.quit()
        host.start("avahi-publish", "--service", service, "_sharedworld._tcp", PORT, "n=app", stderr=subprocess.DEVNULL)
        watcher.event("peer-found", candidate=service, name="app")
        Peer(host, "--discovery", "avahi")
        watcher.event("peer-found", candidate=f"{service} #2", name="one")

    def test_without_a_daemon_one_back_end_says_so_and_the_other_works(self):
        host = self.lab.host("one")
        waiting = Peer(host.seat("waiting"), "--discovery", "avahi")
        self.assertIn("avahi-daemon is not running", waiting.event("discovery", backend=None)["reason"])
        Peer(host.seat("automatic")).event("discovery", backend="embedded")
        host.start_avahi()
        waiting.event("discovery", backend="avahi", seconds=AGREEMENT)
        waiting.event("peer-found", name="automatic")

    def test_several_embedded_responders_and_a_daemon_share_one_host_and_its_addresses(self):
        host, other = self.lab.host("one"), self.lab.host("other")
        host.start_avahi()
        modes = {"first": "embedded", "second": "embedded", "third": "embedded", "client": "avahi"}
        peers = {name: Peer(host.seat(name), "--discovery", mode, "--accept", "all") for name, mode in modes.items()}
        watcher = Peer(other, "--discovery", "embedded")
        for name in modes:
            watcher.event("peer-found", name=name)
            for peer in (peers[each] for each in modes if each != name):
                peer.event("peer-found", name=name)
            # Its addresses are on the network too: nobody has fought for them until all withdrew.
            watcher.send(f"invite {name}")
            watcher.event("peer-joined", peerID=peers[name].id, seconds=AGREEMENT)
        self.assertNotIn("peer-lost", [event["event"] for event in watcher.events])

    def test_a_peer_on_two_networks_is_one_entry_until_it_has_left_both(self):
        hosts = [self.lab.host(name) for name in ("one", "two")]
        for number, host in enumerate(hosts):
            run("ip", "link", "add", f"second{number}", "type", "veth", "peer", "name", "eth1", "netns",
                str(host.holder.pid))
            self.addCleanup(run, "ip", "link", "delete", f"second{number}")
            run("ip", "link", "set", f"second{number}", "master", "apart", "up")
            host.run("ip", "address", "add", f"10.78.0.{number + 1}/24", "dev", "eth1")
            host.run("ip", "link", "set", "eth1", "up")
        hosts[0].start_avahi(interfaces="eth0,eth1")
        watchers = [Peer(hosts[0].seat(mode), "--discovery", mode) for mode in ("avahi", "embedded")]
        guest = Peer(hosts[1], "--discovery", "embedded")
        for watcher in watchers:
            watcher.event("peer-found", name="two")
        hosts[1].run("ip", "link", "set", "eth1", "down")
        watchers[0].ask("status")
        guest.quit()
        for watcher in watchers:
            watcher.event("peer-lost", name="two")
            entries = [event["event"] for event in watcher.events if event.get("name") == "two"]
            self.assertEqual(entries, ["peer-found", "peer-lost"])
