"""A session of as many processes as it may have members, all started at once on this machine's few cores."""

import os
import threading
import time
import unittest

import figures
from lan_test import LanTest

#: As many as a session holds.
PEERS = int(os.environ.get("MANY_PEERS") or 64)
#: How long all may take from the first start until they agree (seconds).
JOINED = 60
#: For how long nothing may happen then (seconds).
HOLD = float(os.environ.get("MANY_SECONDS") or 60)
#: What happens where a session does not hold.
TROUBLES = ("host-changed", "peer-left", "peer-reconnecting", "divergence")


class ManyTest(LanTest):
    def test_all_members_of_a_full_session_join_at_once_and_stay(self):
        hosts = [self.lab.host(f"peer{number}") for number in range(1, PEERS + 1)]
        start = time.monotonic()
        peers = self.start_all(hosts)
        self.agree(peers, seconds=JOINED)
        figures.note(f"{PEERS} processes start at once → one session", time.monotonic() - start, "s", JOINED)
        since, used = [len(peer.events) for peer in peers], self.processor_time(peers)
        time.sleep(HOLD)
        figures.note(f"{PEERS} processes at rest, each", (self.processor_time(peers) - used) / HOLD / PEERS * 100, "%")
        for peer, number in zip(peers, since):
            self.assertEqual([event for event in peer.events[number:] if event["event"] in TROUBLES], [])
        self.agree(peers)

    def start_all(self, hosts):
        """Starts a peer on each host, all at once; they invite the first one."""
        peers = [None] * len(hosts)

        def start(number):
            peers[number] = self.start_on(hosts[number], hosts[:min(number, 1)])
        starters = [threading.Thread(target=start, args=(number,)) for number in range(len(hosts))]
        for starter in starters:
            starter.start()
        for starter in starters:
            starter.join()
        self.assertNotIn(None, peers)
        return peers

    def processor_time(self, peers):
        """The processor time that the threads of their sessions have used (seconds)."""
        return sum(peer.processor_time("sharedworld") for peer in peers)


if __name__ == "__main__":
    unittest.main()
