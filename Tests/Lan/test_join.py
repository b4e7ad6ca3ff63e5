"""Whether somebody hosts at every moment while a peer joins another one that is alone."""

import unittest

import figures
from lan_test import LanTest

#: How long either may be without a host once they have met (seconds).
WITHOUT = 0.3
RUNS = 5


def without_host(peer):
    """How long a peer had no host from its meeting with the other one on (seconds)."""
    met = next(event["at"] for event in peer.events if event["event"] == "peer-joined")
    missing, since, host = 0.0, met, None
    for event in list(peer.events):
        if event["event"] != "host-changed":
            continue
        if host is None and event["at"] > met:
            missing += event["at"] - since
        host, since = event["host"], max(met, event["at"])
    return missing


class JoinTest(LanTest):
    def test_a_guest_that_dials_a_lone_host_at_its_start_leaves_neither_without_a_host(self):
        missing = []
        for number in range(RUNS):
            host = self.start(f"host{number}")
            host.event("host-changed", host=host.id)
            guest = self.start(f"guest{number}", host)
            self.assertEqual(self.agree([host, guest])["host"], host.id)
            missing += [without_host(peer) for peer in (host, guest)]
            # At the one that hosted before nothing has happened.
            self.assertEqual(sum(event["event"] == "host-changed" for event in host.events), 1)
            for peer in (guest, host):
                peer.quit()
        figures.series("a guest dials a lone host → without a host", missing, "s", WITHOUT)


if __name__ == "__main__":
    unittest.main()
