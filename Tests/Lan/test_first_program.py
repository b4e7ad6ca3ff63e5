"""The program of Getting started, as that says: processes that find, authorise and invite each other, or a worldpeer."""

import os
import subprocess
import unittest

from lab import wait_until
from lan_test import LanTest
from peer import BIN, Peer

#: How long two peers may take to find each other and to share an anchor (seconds).
MEETING = 30


class FirstProgram:
    """The program on a host, with what it has printed so far."""

    def __init__(self, host, *arguments):
        self.path = host.folder / "first-peer.log"
        # A pipe would hold lines back until it is full.
        words = ["stdbuf", "-oL", BIN.absolute() / "FirstPeer", host.name, *arguments]
        environment = {**os.environ, "XDG_STATE_HOME": str(host.folder / "state")}
        with open(self.path, "w", encoding="utf-8") as log:
            self.program = host.start(
                *words, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=environment)

    def lines(self):
        return self.path.read_text(encoding="utf-8").splitlines()


class FirstProgramTest(LanTest):
    def id_of(self, host):
        """The id that the program prints when it is given none."""
        first = FirstProgram(host)
        self.assertEqual(first.program.wait(MEETING), 0)
        [line] = first.lines()
        self.assertTrue(line.startswith(f"{host.name} is "))
        return line.split()[-1]

    def test_two_processes_meet_and_share_an_anchor(self):
        kitchen, porch = self.lab.host("kitchen"), self.lab.host("porch")
        ids = {host: self.id_of(host) for host in (kitchen, porch)}
        for host, friend in ((kitchen, porch), (porch, kitchen)):
            host.first = FirstProgram(host, ids[friend])
        for host, friend in ((kitchen, porch), (porch, kitchen)):
            expected = [f"{host.name} is {ids[host]}", f"{friend.name} is here", f"received the lamp of {friend.name}"]
            wait_until(lambda: host.first.lines() == expected, MEETING, f"{host.name}: {expected}")

    def test_it_shares_a_session_with_worldpeer(self):
        kitchen, porch = self.lab.host("kitchen"), self.lab.host("porch")
        peer = Peer(porch, "--service", "first-peer", "--accept", "all")
        first = FirstProgram(kitchen, peer.id)
        peer.event("anchor-added", seconds=MEETING, where=lambda event: event["name"] == "lamp of kitchen")
        peer.send("place cup 1 0 0")
        wait_until(lambda: first.lines()[1:] == ["porch is here", "received the cup"], MEETING, "kitchen has the cup")

    def test_a_stranger_that_accepts_the_invitation_gets_nothing(self):
        kitchen, stranger = self.lab.host("kitchen"), self.lab.host("stranger")
        absent = self.lab.host("absent")
        waiting = FirstProgram(kitchen, self.id_of(absent))
        accepting = FirstProgram(stranger, self.id_of(kitchen))
        wait_until(
            lambda: any("is not the peer we wait for" in line for line in waiting.lines()), MEETING, "the other key is seen")
        for program in (waiting, accepting):
            self.assertFalse([line for line in program.lines() if "is here" in line or line.startswith("received")])


if __name__ == "__main__":
    unittest.main()
