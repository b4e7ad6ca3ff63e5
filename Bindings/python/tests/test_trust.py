"""New passcodes, passcodes in files and files of known peers."""

import dataclasses
import re
import unittest
from datetime import date

import sharedworld as sw

from peers import LOOPBACK, PeerTest


class TrustTest(PeerTest):
    def test_a_new_passcode_is_another_each_time(self):
        passcodes = {sw.generate_passcode() for _ in range(3)}
        self.assertEqual(len(passcodes), 3)
        for passcode in passcodes:
            self.assertRegex(passcode, re.compile("[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}"))

    async def test_a_passcode_is_read_from_a_file(self):
        passcode, file = sw.generate_passcode(), self.folder / "passcode"
        file.write_text(f"{passcode}\n")
        file.chmod(0o600)
        by_file = dataclasses.replace(LOOPBACK, passcode_file=file)
        by_text = dataclasses.replace(LOOPBACK, passcode=passcode)
        async with self.session("ann", by_file) as ann, self.session("bob", by_text) as bob:
            await ann.invite("127.0.0.1", bob.port)
        file.chmod(0o644)
        with self.assertRaises(sw.SharedWorldError) as caught:
            async with self.session("ann", by_file):
                pass
        self.assertEqual(caught.exception.code, sw.Code.INSECURE_IDENTITY)

    async def test_known_peers_are_listed_and_removed(self):
        file = self.folder / "known-peers"
        self.assertEqual(sw.known_peers(file), [])
        peer = sw.ID(bytes(range(32)))
        file.write_text(f"{peer} 2026-11-22 kitchen table\n")
        file.chmod(0o600)
        self.assertEqual(sw.known_peers(file), [sw.KnownPeer(peer, date(2026, 11, 22), "kitchen table")])
        sw.remove_known_peer(peer, file)
        self.assertEqual(sw.known_peers(file), [])
        with self.assertRaises(sw.SharedWorldError) as caught:
            sw.remove_known_peer(peer, file)
        self.assertEqual(caught.exception.code, sw.Code.UNKNOWN_PEER)


if __name__ == "__main__":
    unittest.main()
