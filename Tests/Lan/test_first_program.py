"""The first programs of the pages, in Swift and C, as those say: two runs meet by a code, or one meets a worldpeer."""

import os
import re
import subprocess
import unittest

from lab import wait_until
from lan_test import LanTest
from peer import BIN, Peer

#: How long two peers may take to find each other and to share an anchor (seconds).
MEETING = 30
CODE = re.compile(r"[a-z]+(-[a-z]+){3}")


class FirstProgram:
    """The program on a host, with what it has printed so far."""

    def __init__(self, host, *arguments):
        self.path = host.folder / "first-program.log"
        # A pipe would hold lines back until it is full.
        words = ["stdbuf", "-oL", BIN.absolute() / "FirstProgram", host.name, *arguments]
        environment = {**os.environ, "XDG_STATE_HOME": str(host.folder / "state")}
        with open(self.path, "w", encoding="utf-8") as log:
            self.program = host.start(
                *words, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=environment)

    def lines(self):
        return self.path.read_text(encoding="utf-8").splitlines()

    def until(self, words):
        """Waits for a line with these words, and gives it."""
        wait_until(lambda: any(words in line for line in self.lines()), MEETING, f"{self.path}: {words}")
        return next(line for line in self.lines() if words in line)

    @property
    def code(self):
        return CODE.search(self.until("the code of the kitchen is "))[0]


class FirstProgramTest(LanTest):
    def test_two_runs_share_an_anchor_and_one_sees_the_other_leave_at_ctrl_c(self):
        kitchen, porch = self.lab.host("kitchen"), self.lab.host("porch")
        first = FirstProgram(kitchen)
        second = FirstProgram(porch, first.code.upper().replace("-", " "))
        first.until("lamp of porch placed by another peer")
        second.until("lamp of kitchen placed by another peer")
        second.program.send_signal(2)
        self.assertEqual(second.program.wait(MEETING), 0)
        first.until("porch is gone: left")

    def test_it_shares_a_room_with_worldpeer(self):
        kitchen, porch = self.lab.host("kitchen"), self.lab.host("porch")
        first = FirstProgram(kitchen)
        peer = Peer(porch, "--code", first.code, verb=("join", "kitchen"))
        peer.event("anchor-added", seconds=MEETING, where=lambda event: event["name"] == "lamp of kitchen")
        peer.send("place cup 1 0 0")
        first.until("cup placed by another peer")

    def test_a_stranger_with_another_code_is_refused_in_words_and_gets_nothing(self):
        kitchen, stranger = self.lab.host("kitchen"), self.lab.host("stranger")
        first = FirstProgram(kitchen)
        self.assertTrue(first.code)
        other = FirstProgram(stranger)
        other.until("is not invited any more: the passcodes of the two peers differ")
        for program in (first, other):
            self.assertFalse([line for line in program.lines() if "joined" in line or "by another peer" in line])


if __name__ == "__main__":
    unittest.main()
