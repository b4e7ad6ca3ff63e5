"""How long discovery takes: LAN_RUNS runs of each figure (default 3; `make lan LAN_RUNS=20` for the figures that count)."""

import itertools
import os
import pathlib
import subprocess
import threading
import time
import unittest

import figures
from lab import run, wait_until
from lan_test import AGREEMENT, LanTest
from peer import Peer

RUNS = int(os.environ.get("LAN_RUNS") or 3)
BACK_ENDS = ("avahi", "embedded")
#: When a crowd is at rest, and for how long it is watched (seconds).
CALM, REST = 40, 20
#: How many others start before the watchers are waited for.
GROUP = 25
HERE = pathlib.Path(__file__).parent
#: Bars (seconds).
FIRST, LEAVE, GHOST, CROWD = 1, 1.2, 10, 3


def lost(peer, since, name):
    """When a service with this name was lost."""
    return peer.event("peer-lost", since=since, name=name, seconds=AGREEMENT)["at"]


class Counter:
    """The times of the mDNS packets that cross the bridge."""

    def __init__(self):
        self.times = []
        run("ip", "link", "set", "lan", "promisc", "on")
        self._program = subprocess.Popen(
            ["python3", HERE / "mdns_count.py", "lan"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self._program.stdout.readline()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._program.stdout:
            self.times.append(float(line))

    def between(self, start, end):
        return sum(start <= moment < end for moment in list(self.times))

    def close(self):
        self._program.kill()
        self._program.wait()
        self._program.stdout.close()


class PairTest(LanTest):
    """Two hosts, one back-end after the other."""

    def setUp(self):
        super().setUp()
        self.one, self.two = self.lab.host("one"), self.lab.host("two")
        for host in (self.one, self.two):
            host.start_avahi()

    def peer(self, host, back_end, number, *options):
        return Peer(host.seat(f"{back_end}{number}"), "--discovery", back_end, *options)

    def test_found_joined_and_left(self):
        observer = Peer(self.lab.host("observer"), "--discovery", "embedded")
        for back_end in BACK_ENDS:
            finds, joins, leaves = [], [], []
            for number in range(RUNS):
                watcher = self.peer(self.one, back_end, number, "--accept", "all")
                # It has just announced itself, and repeats no record within the next half second.
                observer.event("peer-found", name=watcher.name)
                start = time.monotonic()
                guest = self.peer(self.two, back_end, f"guest{number}")
                found = guest.event("peer-found", name=watcher.name, seconds=AGREEMENT)["at"]
                finds.append(found - start)
                start = time.monotonic()
                guest.send(f"invite {watcher.name}")
                joins.append(guest.event("peer-joined", peerID=watcher.id, seconds=AGREEMENT)["at"] - start)
                watcher.event("peer-found", name=guest.name, seconds=AGREEMENT)
                since, left = len(watcher.events), time.monotonic()
                guest.quit()
                leaves.append(lost(watcher, since, guest.name) - left)
                watcher.quit()
            figures.series(f"start → has found a peer that has just announced itself ({back_end})", finds, "s", FIRST)
            figures.series(f"invite, just after → joined ({back_end})", joins, "s", FIRST)
            figures.series(f"quit → noticed ({back_end})", leaves, "s", LEAVE)
            for values, limit in ((finds, FIRST), (joins, FIRST), (leaves, LEAVE)):
                self.assertLessEqual(figures.percentile(values, 50), limit)

    def test_killed_and_back_again(self):
        for back_end in BACK_ENDS:
            watcher = self.peer(self.one, back_end, "")
            ghosts, returns = [], []
            place = self.two.seat(back_end)
            guest = Peer(place, "--discovery", back_end)
            service = watcher.event("peer-found", name=place.name, seconds=AGREEMENT)["candidate"]
            for _ in range(RUNS):
                since = len(watcher.events)
                killed = guest.kill()
                watcher.send(f"invite {service}")
                ghosts.append(lost(watcher, since, place.name) - killed)
                start = time.monotonic()
                guest = Peer(place, "--discovery", back_end)
                returns.append(watcher.event("peer-found", since=since, name=place.name)["at"] - start)
                entries = [each["candidate"] for each in watcher.ask("nearby")["candidates"]
                           if each["name"] == place.name]
                self.assertEqual(entries, [service])
            figures.series(f"kill -9, and a dial → noticed ({back_end})", ghosts, "s", GHOST)
            figures.series(f"start after kill -9 → found as one entry ({back_end})", returns, "s")
            self.assertLessEqual(max(ghosts), GHOST)

    def test_a_fifth_of_all_packets_is_lost(self):
        for host, program in itertools.product((self.one, self.two), ("iptables", "ip6tables")):
            host.run(program, "-A", "INPUT", "-i", "eth0", "-m", "statistic", "--mode", "random", "--probability", "0.2",
                     "-j", "DROP")
        for back_end in BACK_ENDS:
            finds = []
            for number in range(RUNS):
                start = time.monotonic()
                pair = [self.peer(host, back_end, f"lossy{number}") for host in (self.one, self.two)]
                name = pair[0].name
                finds.append(max(peer.event("peer-found", name=name, seconds=AGREEMENT)["at"] for peer in pair) - start)
                for peer in pair:
                    peer.kill()
            figures.series(f"20 % loss: start → both have found the other ({back_end})", finds, "s")

    def test_500_starts_of_others_leave_nothing_behind(self):
        watchers = {back_end: self.peer(self.one, back_end, "") for back_end in BACK_ENDS}

        def guests(count):
            """Lets them come and go; gives what every watcher then has open, and its memory."""
            since = {back_end: len(watcher.events) for back_end, watcher in watchers.items()}
            # A watcher has a share of the processor: a slow one catches up with a group before its socket drops the next.
            for first in range(0, count, GROUP):
                self.two.run("python3", HERE / "mdns_starts.py", first, GROUP)
                for watcher in watchers.values():
                    wait_until(lambda watcher=watcher: not [
                        each for each in watcher.ask("nearby")["candidates"] if each["candidate"].startswith("guest")],
                        AGREEMENT, "no guest is listed")
            for back_end, watcher in watchers.items():
                found = {event["candidate"] for event in watcher.events[since[back_end]:] if event["event"] == "peer-found"}
                self.assertGreater(len(found), count // 2)
            return {back_end: (peer.descriptors(), peer.memory()) for back_end, peer in watchers.items()}

        before = guests(100)
        after = guests(500)
        for back_end in BACK_ENDS:
            opened, grown = (after[back_end][index] - before[back_end][index] for index in range(2))
            figures.note(f"500 starts of others: descriptors ({back_end})", opened, "")
            figures.note(f"500 starts of others: memory ({back_end})", grown, "MiB", 4)
            self.assertLessEqual(opened, 2)
            self.assertLessEqual(grown, 4)


class CrowdTest(LanTest):
    def test_30_peers_find_each_other(self):
        hosts = [self.lab.host(f"host{number}") for number in range(30)]
        counter = Counter()
        self.addCleanup(counter.close)
        times, packets, rates = [], [], []
        for number in range(max(1, RUNS // 4)):
            start = time.monotonic()
            with_peers = start_all([host.seat(f"run{number}-{host.name}") for host in hosts])
            last = max(self.everybody(peer, 29) for peer in with_peers)
            ready = max(peer.events[0]["at"] for peer in with_peers)
            times.append(last - ready)
            packets.append(counter.between(start, last))
            # By then avahi's browsers ask less and less often (RFC 6762 §5.2).
            rest = time.monotonic() + CALM
            time.sleep(CALM + REST)
            rates.append(counter.between(rest, rest + REST) / REST)
            for peer in with_peers:
                peer.quit()
        figures.series("30 peers, the last one is ready → each has found all", times, "s", CROWD)
        figures.series("30 peers: packets until then", packets, "")
        figures.series("30 peers: packets at rest", rates, "/s")

    def everybody(self, peer, count):
        """When a peer had found so many services."""
        def is_last(event):
            return len({each["candidate"] for each in peer.events if each["event"] == "peer-found"}) >= count
        peer.event("peer-found", seconds=AGREEMENT, where=is_last)
        moments = {}
        for event in peer.events:
            if event["event"] == "peer-found":
                moments.setdefault(event["candidate"], event["at"])
        return sorted(moments.values())[count - 1]


def start_all(places):
    """Starts a peer of the embedded back-end on every place at once."""
    peers = [None] * len(places)

    def start(index):
        peers[index] = Peer(places[index], "--discovery", "embedded")
    threads = [threading.Thread(target=start, args=(index,)) for index in range(len(places))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return peers


if __name__ == "__main__":
    unittest.main()
