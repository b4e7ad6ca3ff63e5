"""Drives a worldpeer by its contract: commands on standard input, JSON events on standard output."""

import collections
import json
import os
import pathlib
import signal
import subprocess
import threading
import time

BIN = pathlib.Path(os.environ.get("SHAREDWORLD_BIN", ".build/release"))


class PeerError(Exception):
    """A command that failed, or an event that did not come; the text holds what did."""


class Peer:
    """A worldpeer on a host of the lab."""

    def __init__(self, host, *options):
        self.host = host
        self.name = host.name
        self.events = []
        self._answers = collections.deque()
        self._changed = threading.Condition()
        words = [BIN / "worldpeer", "--name", host.name, "--json", "--identity", host.folder / "identity", *options]
        log = open(host.folder / "worldpeer.log", "a", encoding="utf-8")
        with log:
            self._program = host.start(
                *words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, encoding="utf-8")
        threading.Thread(target=self._read, daemon=True).start()
        self.id = self.event("ready", seconds=20)["peerID"]

    def _read(self):
        for line in self._program.stdout:
            event = json.loads(line)
            event["at"] = time.monotonic()
            with self._changed:
                self.events.append(event)
                if event["event"] in ("answer", "error"):
                    self._answers.append(event)
                self._changed.notify_all()

    def event(self, kind, seconds=20, since=0, **fields):
        """Waits for an event of a kind with these fields among those from number `since` on."""
        def find():
            return next((e for e in self.events[since:] if e["event"] == kind and fields.items() <= e.items()), None)
        with self._changed:
            if self._changed.wait_for(find, seconds):
                return find()
        raise PeerError(f"{self.name}: no {kind} {fields or ''} within {seconds} s; the last events: {self.last()}")

    def last(self):
        """The last few events, for a message."""
        return "\n".join(json.dumps(event) for event in self.events[-8:])

    def send(self, line):
        """Sends a command without waiting for its answer."""
        self._program.stdin.write(line + "\n")
        self._program.stdin.flush()

    def ask(self, line, seconds=40):
        """Sends a command and gives its answer; errors that belong to no command are passed over."""
        verb = line.split()[0]
        with self._changed:
            self._answers.clear()
            self.send(line)
            def find():
                return next((a for a in self._answers if a.get("command") == verb), None)
            if self._changed.wait_for(find, seconds):
                answer = find()
                if answer["event"] == "error":
                    raise PeerError(f"{self.name}: {line}: {answer['code']}: {answer['message']}")
                return answer
        raise PeerError(f"{self.name}: {line}: no answer within {seconds} s; the last events: {self.last()}")

    def kill(self, number=signal.SIGKILL):
        """Sends a signal to the worldpeer itself, not to what started it."""
        os.kill(self._program.pid, number)

    def quit(self):
        """Ends it politely and gives its exit status."""
        self.send("quit")
        return self._program.wait(timeout=20)


def make_map(path, points, seed=1):
    """Writes a made-up room to a .worldmap file."""
    subprocess.run(
        [BIN / "worldmap", "generate", "--points", str(points), "--seed", str(seed), path],
        check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
