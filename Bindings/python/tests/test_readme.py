"""The first program of the page does what the page says."""

import asyncio
import os
import pathlib
import re
import subprocess
import sys
import unittest

import sharedworld as sw
from sharedworld.events import AnchorAdded, InvitationFailed, PeerLeft

from peers import LIMIT, LOOPBACK, PeerTest

PAGE = pathlib.Path(__file__).resolve().parents[1] / "README.md"
CODE = "kitten-lemon-violin-acorn"


class FirstProgramTest(PeerTest):
    def program(self):
        """The first program of the page, which promises to be short."""
        found = re.search(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), flags=re.S | re.M)[1]
        self.assertLessEqual(len([line for line in found.splitlines() if line.strip()]), 8)
        return found

    def room(self, name, **fields):
        """A session in the kitchen, on loopback alone."""
        settings = {"discovery": LOOPBACK.discovery, "listen_host": LOOPBACK.listen_host, **fields}
        return sw.Session(sw.Identity.load_or_create(name, self.folder), sw.Config(room="kitchen", **settings))

    async def start(self, *words, place):
        """Starts the program as it stands; `sitecustomize` has it listen on loopback alone, and names a place there."""
        (self.folder / "sitecustomize.py").write_text(f"""
import sharedworld as sw
from sharedworld import rooms
make = rooms.Config
def config(**fields):
    return make(**{{**fields, "discovery": sw.Discovery.NONE, "listen_host": "127.0.0.1", "place": {place!r}}})
rooms.Config = config
""", encoding="utf-8")
        places = [str(self.folder), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": ":".join(places), "XDG_STATE_HOME": str(self.folder)}
        program = await asyncio.create_subprocess_exec(
            sys.executable, "-c", self.program(), *words, env=environment, stdout=subprocess.PIPE)
        self.addCleanup(lambda: program.returncode is None and program.kill())
        return program

    async def line(self, program, words):
        """The next line with these words."""
        async with asyncio.timeout(LIMIT):
            while line := (await program.stdout.readline()).decode():
                if words in line:
                    return line
        raise AssertionError(f"the program ended before '{words}'")

    async def test_it_joins_by_the_code_and_leaves_at_a_signal(self):
        async with self.room("ann", code=CODE) as ann:
            ann.place("cup", (1, 2, 3))
            porch = await self.start("porch", "Kitten lemon, violin ACORN", place=f"127.0.0.1:{ann.port}")
            await self.event(ann, AnchorAdded, lambda event: event.anchor.name == "lamp of porch")
            await self.line(porch, "cup")
            porch.terminate()
            left = await self.event(ann, PeerLeft)
            self.assertEqual(left.reason, "left")
            self.assertEqual(await porch.wait(), 0)

    async def test_it_hosts_and_tells_the_code(self):
        porch = await self.start("porch", place=None)
        code = (await self.line(porch, "the code is")).split()[-1]
        self.assertRegex(code, "^[a-z]+(-[a-z]+){3}$")

    async def test_another_code_is_refused_in_words(self):
        async with self.room("ann", code=CODE) as ann:
            async with self.room("bob", code="kitten-lemon-violin-apron", place=f"127.0.0.1:{ann.port}") as bob:
                failed = await self.event(bob, InvitationFailed)
                self.assertEqual(failed.status, sw.Code.PASSCODE_REFUSED)
                self.assertIn("passcodes", failed.reason)
                self.assertEqual((ann.peers, bob.peers), ([], []))

    def test_a_call_that_makes_no_sense_is_refused(self):
        for call in (lambda: sw.join("kitchen", name="bob"), lambda: sw.host("sharedworld://a:1/b#", name="bob")):
            with self.assertRaises(sw.SharedWorldError) as caught:
                call()
            self.assertEqual(caught.exception.code, sw.Code.INVALID_ARGUMENT)


if __name__ == "__main__":
    unittest.main()
