"""The first program of the page does what the page says."""

import asyncio
import os
import pathlib
import re
import subprocess
import sys
import unittest

import sharedworld as sw
from sharedworld.events import AnchorAdded, Message, PeerJoined

from peers import LIMIT, PeerTest

PAGE = pathlib.Path(__file__).resolve().parents[1] / "README.md"


class FirstProgramTest(PeerTest):
    def program(self):
        """The first program of the page, which promises to be short."""
        found = re.search(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), flags=re.S | re.M)[1]
        self.assertLessEqual(len(found.splitlines()), 30)
        return found

    async def hear(self, session, expected):
        """Waits for a peer, an anchor and a message with these texts, in whatever order they come."""
        async with asyncio.timeout(LIMIT):
            while expected:
                match await anext(session):
                    case PeerJoined(name=text) | AnchorAdded(anchor=sw.Anchor(name=text)):
                        expected.discard(text)
                    case Message(data=data):
                        expected.discard(data.decode())

    async def test_it_meets_a_peer(self):
        # It runs as it stands; `sitecustomize` has it listen on loopback alone, and shows it a candidate there.
        async with self.session("ann") as ann:
            (self.folder / "sitecustomize.py").write_text(f"""
import dataclasses, sharedworld as sw
from sharedworld.events import CandidateFound
make, invite, take = sw.Config, sw.Session.invite, sw.Session.next_event
sw.Config = lambda **fields: make(discovery=sw.Discovery.NONE, listen_host="127.0.0.1", **fields)
sw.Session.invite_candidate = lambda self, candidate: invite(self, "127.0.0.1", int(candidate))
waiting = [CandidateFound("{ann.port}", None, None, sw.Recognition.UNTRACKED)]
sw.Session.next_event = lambda self: waiting.pop() if waiting else take(self)
""", encoding="utf-8")
            places = [str(self.folder), *filter(None, [os.environ.get("PYTHONPATH")])]
            environment = {**os.environ, "PYTHONPATH": ":".join(places), "XDG_STATE_HOME": str(self.folder)}
            program = await asyncio.create_subprocess_exec(
                sys.executable, "-c", self.program(), "porch", env=environment, stdout=subprocess.PIPE)
            try:
                await self.hear(ann, {"porch", "lamp of porch", "hello from porch"})
                ann.place("cup", (1, 2, 3))
                await ann.send(b"hello from ann")
                with sw.Map.from_points([(0, 0, 0), (1, 1, 1)]) as cloud:
                    await ann.share_map(cloud)
                expected = {"ann is here", "cup at (1.0, 2.0, 3.0)", "hello from ann", "a map of 2 points"}
                async with asyncio.timeout(LIMIT):
                    while expected:
                        expected.discard((await program.stdout.readline()).decode().strip())
            finally:
                program.terminate()
                await program.wait()


if __name__ == "__main__":
    unittest.main()
