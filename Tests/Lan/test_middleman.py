"""A host between two peers that listens under the address of one of them, with a key of its own."""

import json
import subprocess
import threading
import unittest
from pathlib import Path

from lab import run, wait_until
from lan_test import LanTest
from peer import PORT, Peer

#: How long two people have a code before them, with time for a busy machine (seconds).
WHILE = 60
HELLO, GOODBYE, PING, PONG = 1, 2, 4, 5
PASSCODE_SHARE, PASSCODE_ANSWER = 13, 14
COMMITMENT, NONCE, REVEAL = 18, 19, 20
#: The reason of a goodbye because of a passcode.
REFUSED = 16


class Middleman:
    """A middleman.py on a host of its own, and what it has told."""

    def __init__(self, lab, victim, mode):
        self.host = lab.host("mallory")
        self.news = []
        files = []
        if mode != "plain":
            files = [self.host.folder / name for name in ("key.pem", "certificate.pem")]
            run("openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-keyout", files[0], "-out", files[1],
                "-subj", "/CN=mallory")
        self._program = self.host.start(
            "python3", Path(__file__).with_name("middleman.py"), PORT, f"{victim.address}:{PORT}", mode, *files,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self._read, daemon=True).start()
        wait_until(lambda: self.told("listening"), WHILE, "the middleman listens")

    def _read(self):
        for line in self._program.stdout:
            self.news.append(json.loads(line))

    def told(self, event, **fields):
        """What it has told of one kind."""
        return [news for news in list(self.news) if {"event": event, **fields}.items() <= news.items()]

    @property
    def frames(self):
        """The types of the frames that came, but those that every link has."""
        types = [news["type"] for news in self.told("frame")]
        return [kind for kind in types if kind not in (HELLO, GOODBYE, PING, PONG)]


class MiddlemanTest(LanTest):
    def meet(self, mode, options):
        """Two peers with these options, of which the second dials the host between them."""
        bob = self.start("bob", options=options)
        mallory = Middleman(self.lab, bob.host, mode)
        host = self.lab.host("alice")
        alice = Peer(
            host, "--discovery", "none", "--accept", "all", "--listen", f"0.0.0.0:{PORT}", "--connect",
            f"{mallory.host.address}:{PORT}", *options)
        return alice, bob, mallory

    def room(self):
        """The options of a peer of a room with a passcode."""
        file = self.lab.folder / "passcode"
        file.write_text("sesame 1\n", encoding="ascii")
        file.chmod(0o600)
        return "--passcode-file", file

    def check_apart(self, *peers):
        """Nobody has joined anybody."""
        for peer in peers:
            self.assertEqual(peer.ask("status")["peers"], 0, peer.name)
            self.assertFalse([event for event in peer.events if event["event"] == "peer-joined"], peer.name)

    def test_through_a_plain_relay_peers_of_a_room_meet(self):
        alice, bob, _ = self.meet("plain", self.room())
        alice.event("peer-joined", WHILE, name="bob")
        bob.event("peer-joined", WHILE, name="alice")

    def test_through_a_plain_relay_people_see_the_same_code(self):
        alice, bob, _ = self.meet("plain", ("--trust", "code"))
        codes = [alice.event("code", WHILE, name="bob")["code"], bob.event("code", WHILE, name="alice")["code"]]
        self.assertEqual(codes[0], codes[1])
        for peer, other in ((alice, "bob"), (bob, "alice")):
            peer.ask(f"confirm {other}")
        for peer, other in ((alice, "bob"), (bob, "alice")):
            peer.event("code-ended", WHILE, confirmed=True)
            peer.event("peer-joined", WHILE, name=other)

    def test_with_a_passcode_both_peers_refuse_a_man_in_the_middle(self):
        alice, bob, mallory = self.meet("pass", self.room())
        alice.event("error", WHILE, code="passcode-refused")
        # Bob was shown his own tag as a proof. Neither an invitation nor an admission was sent.
        for side in ("inbound", "outbound"):
            wait_until(
                lambda: mallory.told("frame", side=side, type=GOODBYE, reason=REFUSED), WHILE, f"a refusal {side}")
        self.assertEqual(mallory.frames[:2], [PASSCODE_SHARE, PASSCODE_ANSWER])
        self.assertLessEqual(set(mallory.frames), {PASSCODE_SHARE, PASSCODE_ANSWER})
        self.check_apart(alice, bob)

    def test_people_who_compare_codes_see_that_a_man_in_the_middle_has_one_with_each(self):
        alice, bob, mallory = self.meet("play", ("--trust", "code"))
        shown = [alice.event("code", WHILE, name="bob")["code"], bob.event("code", WHILE, name="alice")["code"]]
        self.assertNotEqual(shown[0], shown[1])
        # The man in the middle has both: he has played his part to the end.
        wait_until(lambda: len(mallory.told("code")) == 2, WHILE, "both codes")
        self.assertEqual(
            shown, [mallory.told("code", side=side)[0]["code"] for side in ("inbound", "outbound")])
        bob.ask("reject alice")
        for peer in (alice, bob):
            peer.event("code-ended", WHILE, confirmed=False)
        alice.event("error", WHILE, code="code-refused")
        self.check_apart(alice, bob)

    def test_a_man_in_the_middle_who_passes_the_steps_of_a_code_on_is_refused_before_the_second_screen(self):
        alice, bob, mallory = self.meet("pass", ("--trust", "code"))
        alice.event("code", WHILE, name="bob")
        # Bob refuses the reveal, which does not fit the connection that he has.
        alice.event("code-ended", WHILE, confirmed=False)
        self.assertEqual(mallory.frames[:3], [COMMITMENT, NONCE, REVEAL])
        self.assertFalse([event for event in bob.events if event["event"] == "code"])
        self.check_apart(alice, bob)


if __name__ == "__main__":
    unittest.main()
