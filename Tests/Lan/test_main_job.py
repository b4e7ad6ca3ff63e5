"""The main job on a LAN: find, invite, share a map, place anchors, lose the host, join late."""

import unittest

from lan_test import LanTest
from peer import PORT, Peer, make_map

POINTS = 60_000


class MainJobTest(LanTest):
    def test_three_back_ends_share_a_world_and_survive_the_host(self):
        daemon = self.lab.host("daemon")
        daemon.start_avahi()
        embedded, static = self.lab.host("embedded"), self.lab.host("static")
        room = self.lab.folder / "room.worldmap"
        make_map(room, POINTS)

        listen = ("--listen", f"0.0.0.0:{PORT}", "--accept", "all")
        first = Peer(daemon, "--discovery", "avahi", "--invite", "all", "--map", room, *listen)
        second = Peer(embedded, "--discovery", "embedded", *listen)
        third = Peer(static, "--discovery", "none", "--connect", f"{daemon.address}:{PORT}", *listen)
        peers = [first, second, third]
        self.agree(peers, anchors=0)

        of_map = first.ask("send-map")["anchors"]
        for peer in (second, third):
            peer.ask("wait map")
            self.assertEqual(peer.event("map-received")["points"], POINTS)
        first.ask("tap 0.5 0.6 lamp")
        second.ask("tap 0.4 0.5 'coffee machine'")
        third.ask("tap 0.6 0.5 door")
        for peer in peers:
            peer.ask(f"wait anchors ={of_map + 3}")
        third.ask("move lamp 1 1 1")
        second.ask("rename lamp sun")
        first.ask("remove door")
        self.agree(peers, anchors=of_map + 2)

        _, survivors = self.fail_over(peers, Peer.kill, "SIGKILL of the host of 3")
        survivors[0].ask("place after 0 1 0")
        self.agree(survivors, anchors=of_map + 3)
        self.join_late(survivors, anchors=of_map + 3)

    def join_late(self, members, anchors):
        """A newcomer gets everything and takes over nothing."""
        host = self.host_of(members)
        late = self.start("late", members[0])
        synchronized = late.event("synchronized")
        self.assertEqual(synchronized["digest"], members[0].ask("digest")["digest"])
        self.assertEqual(late.ask("status")["points"], POINTS)
        self.assertEqual(self.agree([*members, late], anchors=anchors)["host"], host.id)
        for peer in [*members, late]:
            self.assertEqual(peer.quit(), 0)


if __name__ == "__main__":
    unittest.main()
