"""Discovery beside other implementations of multicast DNS: Avahi's own programs, and python-zeroconf."""

import json
import os
import pathlib
import subprocess
import threading
import time
import unittest

import figures
from lab import wait_until
from lan_test import AGREEMENT, LanTest
from peer import PORT, Peer

SERVICE = "_sharedworld._tcp"
#: A Python that has python-zeroconf; Scripts/lan.sh makes it.
PYTHON = pathlib.Path(os.environ.get("SHAREDWORLD_ZEROCONF", ".build/lan-python/bin/python")).absolute()
BACK_ENDS = ("avahi", "embedded")


class Zeroconf:
    """A zeroconf_peer.py on a host."""

    def __init__(self, host, *words):
        self.lines = []
        script = pathlib.Path(__file__).with_name("zeroconf_peer.py")
        self._program = host.start(PYTHON, script, *words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._program.stdout:
            self.lines.append({**json.loads(line), "at": time.monotonic()})

    def send(self, line):
        self._program.stdin.write(line + "\n")
        self._program.stdin.flush()

    def event(self, kind, where=lambda line: True, **fields):
        """Waits for a line of a kind with these fields."""
        def find():
            return next((line for line in list(self.lines) if line["event"] == kind
                         and fields.items() <= line.items() and where(line)), None)
        wait_until(find, AGREEMENT, f"python-zeroconf: {kind} {fields}, after {self.lines}")
        return find()


class Browse:
    """A running avahi-browse on a host."""

    def __init__(self, host):
        self.lines = []
        self._program = host.start(
            "stdbuf", "-oL", "avahi-browse", "--resolve", "--parsable", SERVICE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self._program.stdout:
            self.lines.append(line.rstrip("\n").split(";"))

    def wait(self, mark, name, *parts):
        """Waits for a line with this mark (+, = or −) about a name, whose fields contain each of the parts."""
        def find():
            return any(line[0] == mark and line[3] == name and all(part in ";".join(line) for part in parts)
                       for line in list(self.lines))
        wait_until(find, AGREEMENT, f"avahi-browse: {mark} {name} {parts}, after {self.lines[-5:]}")


class InteropLab(LanTest):
    """A host for a peer of each back-end, and one for the other implementation."""

    def setUp(self):
        super().setUp()
        self.hosts = {name: self.lab.host(name) for name in (*BACK_ENDS, "other")}
        self.hosts["avahi"].start_avahi()
        self.other = self.hosts["other"]

    def start_peers(self):
        return {name: Peer(self.hosts[name], "--discovery", name, "--accept", "all") for name in BACK_ENDS}

    def service(self, peers, name):
        """The name of a peer's service, which the other peer has found."""
        watcher = peers["embedded" if name == "avahi" else "avahi"]
        return watcher.event("peer-found", name=name)["candidate"]


class AvahiTest(InteropLab):
    def test_avahi_browse_sees_our_records_their_changes_and_our_goodbye(self):
        self.other.start_avahi()
        browse = Browse(self.other)
        peers = self.start_peers()
        for name in BACK_ENDS:
            service, peer = self.service(peers, name), peers[name]
            host = self.hosts[name]
            browse.wait("+", service)
            browse.wait("=", service, f";{host.address};{peer.port};", '"v=', f'"n={name}"', '"st=open"')
            peer.event("host-changed", host=peer.id)
            peer.ask("lock-session")
            # avahi-browse resolves once; a new one sees the record as it is now.
            wait_until(lambda service=service: any(
                service in line and '"st=locked"' in line for line in self.other.run(
                    "avahi-browse", "--resolve", "--terminate", "--parsable", SERVICE).splitlines()),
                AGREEMENT, "avahi-browse: the changed record")
            peer.quit()
            browse.wait("-", service)

    def test_peers_see_what_avahi_publish_publishes_and_its_goodbye(self):
        self.other.start_avahi()
        peers = self.start_peers()
        publisher = self.other.start(
            "avahi-publish", "--service", "my lamp", SERVICE, PORT, "v=1", "auth=passcode", "st=full", "n=Lampe",
            stderr=subprocess.DEVNULL)
        for peer in peers.values():
            found = peer.event("peer-found", candidate="my lamp")
            self.assertEqual((found["name"], found["standing"], found["passcode"]), ("Lampe", "full", True))
        publisher.terminate()
        ended = time.monotonic()
        for name, peer in peers.items():
            took = peer.event("peer-lost", candidate="my lamp")["at"] - ended
            figures.note(f"avahi-publish ends → lost ({name})", took, "s")

    def test_a_name_that_avahi_publish_wants_too_stays_ours_and_a_name_it_has_is_not_taken(self):
        self.other.start_avahi()
        peers = self.start_peers()
        services = {name: self.service(peers, name) for name in BACK_ENDS}
        for name, service in services.items():
            self.other.start("avahi-publish", "--service", service, SERVICE, PORT, "n=late", stderr=subprocess.DEVNULL)
            watcher = peers["embedded" if name == "avahi" else "avahi"]
            watcher.event("peer-found", candidate=f"{service} #2", name="late")
        for name, service in services.items():
            # Its service is taken now: the peer that starts again is the latecomer.
            peers[name].quit()
            self.other.start("avahi-publish", "--service", service, SERVICE, PORT, "n=first", stderr=subprocess.DEVNULL)
            watcher = peers["embedded" if name == "avahi" else "avahi"]
            watcher.event("peer-found", candidate=service, name="first")
            since = len(watcher.events)
            peers[name] = Peer(self.hosts[name], "--discovery", name)
            watcher.event("peer-found", since=since, name=name, where=lambda event, taken=service: (
                event["candidate"] not in (taken, f"{taken} #2") and event["candidate"].startswith(f"{taken} #")))


@unittest.skipUnless(PYTHON.exists(), f"python-zeroconf is not at {PYTHON}: `make lan` fetches it, and could not reach PyPI")
class ZeroconfTest(InteropLab):
    def setUp(self):
        super().setUp()
        self.type = f"{SERVICE}.local."

    def test_python_zeroconf_sees_our_records_their_changes_and_our_goodbye(self):
        browser = Zeroconf(self.other, "browse", self.type)
        peers = self.start_peers()
        for name in BACK_ENDS:
            service, peer = self.service(peers, name), peers[name]
            added = browser.event("added", name=service)
            self.assertEqual(added["port"], peer.port)
            self.assertIn(self.hosts[name].address, added["addresses"])
            self.assertEqual((added["text"]["n"], added["text"]["st"]), (name, "open"))
            peer.event("host-changed", host=peer.id)
            peer.ask("lock-session")
            browser.event("updated", name=service, where=lambda line: line["text"]["st"] == "locked")
            peer.quit()
            browser.event("removed", name=service)

    def test_peers_see_what_python_zeroconf_publishes_changes_and_withdraws(self):
        peers = self.start_peers()
        publisher = Zeroconf(self.other, "publish", self.type, "lampe", PORT, "v=1", "st=open", "n=Lampe")
        for peer in peers.values():
            self.assertEqual(peer.event("peer-found", candidate="lampe")["name"], "Lampe")
        publisher.send("update v=1 st=full n=Leuchte")
        for peer in peers.values():
            peer.event("peer-found", candidate="lampe", name="Leuchte", standing="full")
        publisher.send("quit")
        ended = time.monotonic()
        for name, peer in peers.items():
            took = peer.event("peer-lost", candidate="lampe")["at"] - ended
            figures.note(f"python-zeroconf withdraws → lost ({name})", took, "s")

    def test_a_name_that_python_zeroconf_wants_too_stays_ours(self):
        peers = self.start_peers()
        for name in BACK_ENDS:
            service = self.service(peers, name)
            rival = Zeroconf(self.other, "publish", self.type, service, PORT, "v=1", "n=rival")
            self.assertNotEqual(rival.event("registered")["name"], service)
            watcher = peers["embedded" if name == "avahi" else "avahi"]
            watcher.event("peer-found", name="rival", candidate=rival.lines[0]["name"])
            rival.send("quit")
            watcher.event("peer-lost", candidate=rival.lines[0]["name"])


if __name__ == "__main__":
    unittest.main()
