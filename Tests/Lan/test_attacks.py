"""Floods of a stranger that need a LAN, and what they cost two members.

`make bench FILTER=attack` has the others, and runs this one for its figures.
"""

import os
import pathlib
import statistics
import time
import unittest

import figures
from lab import QUIET
from lan_test import AGREEMENT, LanTest
from peer import PORT, Peer

#: Anchors that one member places, and how many a second.
COUNT, RATE = 1000, 200
#: How much memory (MiB), and how many descriptors, a flood may add to a member.
MEMORY, DESCRIPTORS = 64, 40
#: The threads that handle what anybody multicasts, the share of a processor that each may use, and its savings (seconds).
READERS, SHARE, SAVINGS = ("sharedworld-sd", "sharedworld-sl"), 1 / 32, 0.004
#: How often the members are measured without the flood and with it, in turn; the median counts.
ROUNDS = 3
#: How much later than without the flood the anchors may come, 99 % of them.
NEARLY_ALL = 2


class AttackTest(LanTest):
    def latencies(self, sender, receiver):
        """How long anchors of one member take to the other (ms)."""
        since = len(receiver.events)
        placed = {each["id"]: each["clock"] for each in sender.ask(f"burst {COUNT} {RATE}")["placed"]}
        receiver.event(
            "anchor-added", AGREEMENT, since, lambda event: event["id"] == max(placed, key=placed.get))
        told = [event for event in receiver.events[since:] if event["event"] == "anchor-added"]
        self.assertEqual(len(told), COUNT)
        return [1000 * (event["clock"] - placed[event["id"]]) for event in told]

    def test_a_flood_of_mdns_costs_members_little(self):
        # A stranger has a machine of its own: where there are two processors, the last one is its alone.
        processors = sorted(os.sched_getaffinity(0))
        *own, its = processors if len(processors) > 1 else processors * 2
        self.addCleanup(os.sched_setaffinity, 0, processors)
        os.sched_setaffinity(0, own)
        one, two = (
            Peer(self.lab.host(name), "--discovery", "embedded", "--accept", "all", "--listen", f"0.0.0.0:{PORT}")
            for name in ("one", "two"))
        stranger = self.lab.host("stranger")
        two.ask(f"invite {one.host.address}:{PORT}")
        self.agree([one, two])
        before = [(peer.memory(), peer.descriptors()) for peer in (one, two)]
        rounds = [self.round(one, two, stranger, its) for _ in range(ROUNDS)]
        after = [(peer.memory(), peer.descriptors()) for peer in (one, two)]
        for peer, (memory, descriptors), (memory_then, descriptors_then) in zip((one, two), before, after):
            figures.note(f"memory under a flood of mDNS, {peer.name}", memory_then - memory, "MiB", MEMORY)
            self.assertLessEqual(memory_then - memory, MEMORY)
            self.assertLessEqual(descriptors_then - descriptors, DESCRIPTORS)
        # Other programs use the processors too, so this is a figure and no condition.
        early, late, share = (statistics.median(each) for each in zip(*rounds))
        figures.note("processor time of a thread under a flood of mDNS", 100 * share, "%")
        figures.note("anchors under a flood of mDNS ÷ without, p99", late / early, "×", NEARLY_ALL)
        self.note_rows(before, after, late, early)

    def round(self, one, two, stranger, processor):
        """What anchors take without a flood and with one, which a processor of its own makes (ms, p99).

        And the largest share of a processor that a reader used meanwhile.
        """
        idle = self.latencies(one, two)
        noise = stranger.start(
            "taskset", "--cpu-list", processor, "python3", pathlib.Path(__file__).with_name("mdns_noise.py"), 1, 10**9,
            **QUIET)
        start, used = time.monotonic(), self.processor_times(one, two)
        flooded = self.latencies(one, two)
        elapsed = time.monotonic() - start
        self.assertIsNone(noise.poll(), "the flood has ended before the measurement")
        shares = {
            reader: (seconds - used[reader]) / elapsed for reader, seconds in self.processor_times(one, two).items()}
        # The few messages that are read at once may overdraw the account.
        self.assertLessEqual(max(shares.values()), 1.1 * (SHARE + SAVINGS / elapsed), shares)
        noise.kill()
        noise.wait()
        return figures.percentile(idle, 99), figures.percentile(flooded, 99), max(shares.values())

    @staticmethod
    def processor_times(*peers):
        """What the readers of peers have used of a processor (seconds)."""
        return {(peer, thread): peer.processor_time(thread) for peer in peers for thread in READERS}

    def note_rows(self, before, after, late, early):
        """Notes the rows of `make bench`: those of the member that it cost more."""
        for column, (what, unit, baseline) in enumerate(
                (("memory", "MiB more", "before, MiB"), ("descriptors", "more", "before"))):
            was, became = max(
                ((one[column], other[column]) for one, other in zip(before, after)), key=lambda pair: pair[1] - pair[0])
            figures.bench(f"attack-{what}/mdns", became - was, unit, baseline, was, became / was)
        figures.bench("attack-latency-p99/mdns", 1000 * late, "µs", "without the flood", 1000 * early, late / early)


if __name__ == "__main__":
    unittest.main()
