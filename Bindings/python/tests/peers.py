"""What the tests share: worldpeers and Python peers on the loopback interface."""

import asyncio
import pathlib
import sys

import sharedworld as sw

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(TOP / "Tests" / "Lan"))

from loopback import LoopbackTest  # noqa: E402

LOOPBACK = sw.Config(
    discovery=sw.Discovery.NONE, listen_host="127.0.0.1", invitations=sw.Invitations.ACCEPT)
#: How long anything may take (seconds).
LIMIT = 30


class PeerTest(LoopbackTest):
    """Python peers beside worldpeers."""

    def session(self, name, config=LOOPBACK):
        return sw.Session(sw.Identity.load_or_create(name, self.folder), config)

    async def event(self, session, kind, where=lambda event: True):
        """The next event of a kind for which `where` holds."""
        async with asyncio.timeout(LIMIT):
            async for event in session:
                if isinstance(event, kind) and where(event):
                    return event
        raise AssertionError(f"the session ended before {kind.__name__}")
