"""What the tests of sessions on a LAN have in common: a lab, peers in one session, and what they must agree on."""

import pathlib
import shutil
import subprocess
import time
import unittest

import figures
from lab import Lab, wait_until
from peer import PORT, Peer

#: Where the transcripts of the last run lie, a folder for each test.
TRANSCRIPTS = pathlib.Path(".build/lan")
#: A lost host should be replaced within this time (seconds), from the kill to the last survivor's event; no test fails
#: for it, since a busy machine takes longer.
FAILOVER = 3.5
#: How long peers may take to agree once nothing breaks any more (seconds). They take far less; a busy machine more.
AGREEMENT = 60
#: How long an anchor should take from `place` to the receiver's event while other bytes fill the link (ms): half, and 99 %.
HALF, NEARLY_ALL = 8, 20
#: An anchor that takes so many times longer waits behind those bytes.
BEHIND = 10


class LanTest(unittest.TestCase):
    """A test with a lab of its own; its time is noted."""

    def setUp(self):
        name = self.id().rpartition(".")[2]
        start = time.monotonic()
        self.addCleanup(lambda: figures.note(name, time.monotonic() - start, "s"))
        folder = TRANSCRIPTS.absolute() / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.lab = Lab(folder)
        self.addCleanup(self.lab.close)

    def start(self, name, *members, options=(), megabits=None):
        """Starts a peer on a new host, whose link may be limited (megabits a second); it joins the members."""
        host = self.lab.host(name)
        if megabits:
            host.limit(megabits)
        return self.start_on(host, [member.host for member in members], options)

    def start_on(self, host, others=(), options=()):
        """Starts a peer on a host; it invites the peers on the others."""
        connect = [word for other in others for word in ("--connect", f"{other.address}:{PORT}")]
        return Peer(
            host, "--discovery", "none", "--accept", "all", "--listen", f"0.0.0.0:{PORT}", *connect, *options)

    def start_session(self, count):
        """Starts peers on new hosts and waits until they are one session."""
        peers = [self.start("peer1")]
        for number in range(2, count + 1):
            peers.append(self.start(f"peer{number}", peers[0]))
        self.agree(peers)
        return peers

    def agree(self, peers, anchors=None, seconds=AGREEMENT):
        """Waits until exactly these peers are together, with one host among them, one epoch and one digest.

        Gives the peers' common status; `anchors` is how many there must be.
        """
        views = []

        def same():
            views[:] = [view(peer.ask("status")) for peer in peers]
            return all(each == views[0] for each in views)
        expected = sorted(peer.id for peer in peers)

        def holds():
            return (same() and views[0]["roster"] == expected and views[0]["host"] in expected
                    and anchors in (None, views[0]["anchors"]))
        try:
            wait_until(holds, seconds, "agreement")
        except TimeoutError as error:
            self.fail(f"{error}, of {anchors if anchors is not None else 'any'} anchors:\n" + "\n".join(
                f"  {peer.name} ({peer.id[:8]}): {short(each)}" for peer, each in zip(peers, views)))
        return views[0]

    def host_of(self, peers):
        """The one among agreeing peers that hosts."""
        host = peers[0].ask("host")["host"]
        return next(peer for peer in peers if peer.id == host)

    def fail_over(self, peers, break_host, what):
        """Breaks the host and gives it and the others, once these have a new one; notes how long that took.

        `break_host` takes the host and gives the moment at which it was broken.
        """
        old = peers[0].ask("host")
        host = next(peer for peer in peers if peer.id == old["host"])
        others = [peer for peer in peers if peer is not host]
        since = [len(peer.events) for peer in others]
        broken = break_host(host)
        changes = [
            peer.event("host-changed", seconds=10, since=start, where=lambda news: news["host"] not in (None, host.id))
            for peer, start in zip(others, since)]
        took = max(news["at"] for news in changes) - broken
        figures.note(f"failover, {what}", took, "s", FAILOVER)
        self.assertEqual(len({news["host"] for news in changes}), 1)
        self.assertGreater(changes[0]["epoch"], old["epoch"])
        return host, others

    def merge(self, peers, heal, what, anchors):
        """Joins what was apart, waits until all agree, and notes how long that took; gives the common status."""
        since = [len(peer.events) for peer in peers]
        healed = time.monotonic()
        heal()
        status = self.agree(peers, anchors)
        agreed = time.monotonic()
        changes = [event["at"] for peer, start in zip(peers, since)
                   for event in peer.events[start:] if event["event"] == "host-changed"]
        figures.note(f"{what} → one host", max(changes, default=healed) - healed, "s")
        figures.note(f"{what} → equal digests", agreed - healed, "s")
        return status

    def time_raw_tcp(self, holders, receiver):
        """How long messages of two hosts take to a receiver that all of them send bulk data (ms)."""
        program = pathlib.Path(__file__).with_name("raw_tcp.py")
        taker = receiver.start(
            "python3", program, "receive", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.assertEqual(taker.stdout.readline(), "listening\n")
        senders = [host.start("python3", program, "flood", receiver.address) for host in holders]
        senders += [host.start("python3", program, "write", receiver.address) for host in holders[1:]]
        for sender in senders:
            self.assertEqual(sender.wait(), 0)
        return [float(line) for line in taker.communicate()[0].split()]

    def check_latency(self, what, times, raw):
        """Holds times from `place` to the receiver's event (ms) to ten times what they should be: the limits, or a multiple
        of raw TCP in the same run."""
        for percent, limit, multiple in ((50, HALF, 2), (99, NEARLY_ALL, 4)):
            took, least = figures.percentile(times, percent), figures.percentile(raw, percent)
            figures.note(f"raw TCP beside bulk connections, p{percent}", least, "ms")
            limit = max(limit, round(multiple * least, 1))
            figures.note(f"placed → told beside {what}, p{percent}", took, "ms", limit)
            with self.subTest(percent=percent):
                self.assertLessEqual(took, BEHIND * limit)

    def names(self, peer):
        """The names of the anchors a peer has."""
        return sorted(anchor["name"] for anchor in peer.ask("anchors")["anchors"])


def view(status):
    """What peers must agree on."""
    return {
        "host": status["host"], "epoch": status["epoch"], "digest": status["digest"], "anchors": status["anchors"],
        "roster": sorted(peer["peerID"] for peer in status["roster"]),
    }


def short(status):
    """A view in a few words."""
    roster = " ".join(peer[:8] for peer in status["roster"])
    return (f"host {(status['host'] or 'none')[:8]} epoch {status['epoch']} digest {status['digest'][:8]} "
            f"anchors {status['anchors']} with {roster}")
