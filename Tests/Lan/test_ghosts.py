"""Services that are listed although nobody is there."""

import figures
from lan_test import LanTest
from peer import Peer

#: An entry of a peer that is gone goes within this time, from the crash (seconds), once a dial has failed.
GHOST = 10


class GhostTest(LanTest):
    def test_a_killed_peer_that_is_invited_goes_from_the_list(self):
        one, two, three = [self.lab.host(name) for name in ("one", "two", "three")]
        one.start_avahi()
        three.start_avahi()
        victim = Peer(two, "--discovery", "embedded")
        Peer(three, "--discovery", "avahi")
        for back_end in ("avahi", "embedded"):
            watcher = Peer(one.seat(back_end), "--discovery", back_end)
            watcher.event("peer-found", name="two")
            watcher.event("peer-found", name="three")
            killed = victim.kill()
            since = watcher.send("invite two")
            failure = watcher.event("error", since=since)
            self.assertEqual(failure["code"], "unreachable")
            self.assertRegex(failure["message"], "nobody answers at|did not answer in time")
            took = watcher.event("peer-lost", name="two")["at"] - killed
            figures.note(f"kill -9, then a failed dial → lost ({back_end})", took, "s", GHOST)
            self.assertLessEqual(took, GHOST)
            since = len(watcher.events)
            victim = Peer(two, "--discovery", "embedded")
            watcher.event("peer-found", since=since, name="two")
            self.assertNotIn("three", [event["name"] for event in watcher.events if event["event"] == "peer-lost"])

    def test_a_killed_member_goes_from_the_list_though_nobody_dials_it(self):
        one, two = [self.lab.host(name) for name in ("one", "two")]
        victim = Peer(two, "--discovery", "embedded", "--accept", "all")
        watcher = Peer(one, "--discovery", "embedded")
        watcher.event("peer-found", name="two")
        watcher.send("invite two")
        watcher.event("peer-joined", name="two")
        killed = victim.kill()
        took = watcher.event("peer-lost", name="two")["at"] - killed
        figures.note("kill -9 of a member → lost", took, "s", GHOST)
        self.assertLessEqual(took, GHOST)
