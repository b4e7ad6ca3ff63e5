"""Tests of another program beside worldpeer, on the loopback interface of this machine."""

import asyncio
import os
import pathlib
import subprocess
import tempfile
import unittest

from peer import Peer, make_map

#: Marks a test that `make check` alone runs: one of several of a kind.
thorough = unittest.skipUnless(os.environ.get("TIER", "check") == "check", "make check runs it")


class Loopback:
    """This machine as a host, for peers that need no network of their own."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder / name
        self.folder.mkdir()

    def start(self, *words, **options):
        return subprocess.Popen(words, **options)


class LoopbackTest(unittest.IsolatedAsyncioTestCase):
    """A folder, and worldpeers that end with the test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sharedworld-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    async def asyncSetUp(self):
        # unittest has the loop report what takes 0.1 s; a worldpeer takes longer to start.
        asyncio.get_running_loop().set_debug(False)

    def worldpeer(self, name="swift", *options):
        """Starts a worldpeer that lets everybody in."""
        host = Loopback(name, self.folder)
        peer = Peer(host, "--discovery", "none", "--listen", "127.0.0.1:0", "--accept", "all", *options)
        self.addCleanup(peer.end)
        return peer

    def room(self, points):
        """Makes up a room, and gives the path of its map."""
        path = self.folder / "room.worldmap"
        make_map(path, points)
        return path

    async def ask(self, peer, line):
        """Asks a worldpeer while the loop goes on."""
        return await asyncio.to_thread(peer.ask, line)

    async def heard(self, peer, kind, **fields):
        """Waits for an event of a worldpeer while the loop goes on."""
        return await asyncio.to_thread(peer.event, kind, **fields)
