"""worldpeer in a room: one terminal hosts it, another one asks for its code and joins."""

import pathlib
import re
import sys
import unittest

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "Lan"), str(TESTS / "Terminal")]

from loopback import Loopback, LoopbackTest  # noqa: E402
from pane import Pane  # noqa: E402
from peer import BIN, Peer  # noqa: E402

QUIET = "--discovery none --listen 127.0.0.1:0"


class RoomTest(LoopbackTest):
    def open(self, words):
        """Starts worldpeer in a new terminal."""
        pane = Pane(self, self.folder, 100, 30)
        pane.type(f"{BIN.resolve() / 'worldpeer'} {words}", "Enter")
        return pane

    def host(self):
        """A terminal that hosts the kitchen, with the code and the port of the room."""
        pane = self.open(f"host Kitchen --name ada {QUIET}")
        text = "\n".join(pane.until("is ready on port"))
        code = re.search("on another device: worldpeer join kitchen --code ([a-z]+(?:-[a-z]+){3})$", text, re.M)[1]
        return pane, code, re.search("ready on port (\\d+)", text)[1]

    def leave(self, pane):
        pane.keys("C-c")
        pane.until("Ctrl-C again")
        pane.keys("C-c")
        pane.until("^\\$ $")

    async def test_a_code_is_asked_for_and_lets_in(self):
        ada, code, port = self.host()
        bob = self.open(f"join kitchen --name bob {QUIET} --connect 127.0.0.1:{port}")
        bob.until("the code of kitchen:")
        bob.type(code.upper().replace("-", " "), "Enter")
        bob.until("ada joined")
        ada.type("place lamp 1 0 0", "Enter")
        bob.until("lamp")
        self.leave(bob)
        ada.until("bob.*left")
        self.leave(ada)

    async def test_another_code_is_refused_in_words(self):
        ada, _, port = self.host()
        bob = self.open(f"join kitchen --name bob --code kitten-lemon {QUIET} --connect 127.0.0.1:{port}")
        bob.until("passcodes of the two peers differ")
        self.leave(bob)
        self.leave(ada)

    async def test_without_a_terminal_the_code_is_an_option(self):
        _, code, port = self.host()
        words = ("--discovery", "none", "--listen", "127.0.0.1:0", "--connect", f"127.0.0.1:{port}")
        peer = Peer(Loopback("carol", self.folder), "--code", code, *words, verb=("join", "kitchen"))
        self.addCleanup(peer.end)
        await self.heard(peer, "peer-joined", name="ada")

    async def test_alone_it_explains_itself_in_five_lines(self):
        pane = self.open("; echo status $?")
        lines = [line for line in pane.until("status 0") if "worldpeer" in line and not line.startswith("$")]
        self.assertEqual(len(lines), 5)


if __name__ == "__main__":
    unittest.main()
