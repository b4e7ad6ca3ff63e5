"""What the tests share: worldpeers and Python peers on the loopback interface."""

import asyncio
import pathlib
import sys
import tempfile
import unittest

import sharedworld as sw

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(TOP / "Tests" / "Lan"))

from peer import Loopback, Peer, make_map  # noqa: E402

LOOPBACK = sw.Config(
    discovery=sw.Discovery.NONE, listen_host="127.0.0.1", invitations=sw.Invitations.ACCEPT)
#: How long anything may take (seconds).
LIMIT = 30


class PeerTest(unittest.IsolatedAsyncioTestCase):
    """A folder, and peers that end with the test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sharedworld-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    async def asyncSetUp(self):
        # unittest has the loop report what takes 0.1 s; a worldpeer takes longer to start.
        asyncio.get_running_loop().set_debug(False)

    def session(self, name, config=LOOPBACK):
        return sw.Session(sw.Identity.load_or_create(name, self.folder), config)

    def worldpeer(self, name, *options):
        host = Loopback(name, self.folder)
        peer = Peer(host, "--discovery", "none", "--listen", "127.0.0.1:0", "--accept", "all", *options)
        self.addCleanup(peer.end)
        return peer

    def room(self, points):
        path = self.folder / "room.worldmap"
        make_map(path, points)
        return path

    async def event(self, session, kind, where=lambda event: True):
        """The next event of a kind for which `where` holds."""
        async with asyncio.timeout(LIMIT):
            async for event in session:
                if isinstance(event, kind) and where(event):
                    return event
        raise AssertionError(f"the session ended before {kind.__name__}")

    async def agree(self, *sessions):
        """Waits until all sessions hold the same anchors."""
        async with asyncio.timeout(LIMIT):
            while len({session.digest for session in sessions}) > 1:
                await asyncio.sleep(0.02)
