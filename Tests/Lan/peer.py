"""Drives a worldpeer by its contract: commands on standard input, JSON events on standard output."""

import json
import os
import pathlib
import signal
import subprocess
import threading
import time

BIN = pathlib.Path(os.environ.get("SHAREDWORLD_BIN", ".build/release"))
#: Where peers listen that others are told to connect to.
PORT = 4711


class PeerError(Exception):
    """A command that failed, or an event that did not come; the text holds what did.

    `code` is that of the command's error, None when nothing was answered.
    """

    def __init__(self, text, code=None):
        super().__init__(text)
        self.code = code


class Peer:
    """A worldpeer on a host of the lab; its events and the commands it got are kept in the host's folder.

    `verb` is what stands before the options, such as the part that it takes in a room.
    """

    def __init__(self, host, *options, verb=()):
        self.host = host
        self.name = host.name
        self.events = []
        self._changed = threading.Condition()
        self._transcript = open(host.folder / "events.jsonl", "a", encoding="utf-8")
        words = [
            BIN / "worldpeer", *verb, "--name", host.name, "--json", "--identity", host.folder / "identity", *options]
        log = open(host.folder / "worldpeer.log", "a", encoding="utf-8")
        with log:
            self._program = host.start(
                *words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, encoding="utf-8")
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        ready = self.event("ready", seconds=20)
        self.id, self.port = ready["peerID"], ready["port"]

    def _read(self):
        for line in self._program.stdout:
            event = json.loads(line)
            event["at"] = time.monotonic()
            with self._changed:
                self.events.append(event)
                self._transcript.write(json.dumps(event) + "\n")
                self._changed.notify_all()
        with self._changed:
            self._transcript.close()

    def event(self, kind, seconds=20, since=0, where=lambda event: True, **fields):
        """Waits for an event of a kind with these fields, for which `where` holds, from number `since` on."""
        looked_at = since

        def find():
            nonlocal looked_at
            while looked_at < len(self.events):
                event = self.events[looked_at]
                if event["event"] == kind and fields.items() <= event.items() and where(event):
                    return event
                looked_at += 1
            return None
        with self._changed:
            found = self._changed.wait_for(find, seconds)
        if found:
            return found
        raise PeerError(f"{self.name}: no {kind} {fields or ''} within {seconds} s; the last events: {self.last()}")

    def last(self):
        """The last few events, for a message."""
        return "\n".join(json.dumps(event) for event in self.events[-8:])

    def send(self, line):
        """Sends a command without waiting for its answer, and gives the number from which on the answer will be."""
        with self._changed:
            since = len(self.events)
            if not self._transcript.closed:
                self._transcript.write(json.dumps({"sent": line, "at": time.monotonic()}) + "\n")
        self._program.stdin.write(line + "\n")
        self._program.stdin.flush()
        return since

    def answer(self, line, since, seconds=40):
        """Waits for the answer to a command that was sent; errors that belong to no command are passed over."""
        verb, looked_at = line.split()[0], since

        def find():
            nonlocal looked_at
            while looked_at < len(self.events):
                event = self.events[looked_at]
                if event["event"] in ("answer", "error") and event.get("command") == verb:
                    return event
                looked_at += 1
            return None
        with self._changed:
            answer = self._changed.wait_for(find, seconds)
        if not answer:
            raise PeerError(f"{self.name}: {line}: no answer within {seconds} s; the last events: {self.last()}")
        if answer["event"] == "error":
            raise PeerError(f"{self.name}: {line}: {answer['code']}: {answer['message']}", answer["code"])
        return answer

    def ask(self, line, seconds=40):
        """Sends a command and gives its answer."""
        return self.answer(line, self.send(line), seconds)

    def memory(self):
        """The memory that is its own now (MiB)."""
        pages = pathlib.Path(f"/proc/{self._program.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE") / 2**20

    def descriptors(self):
        """The descriptors that are open now."""
        return len(list(pathlib.Path(f"/proc/{self._program.pid}/fd").iterdir()))

    def processor_time(self, thread):
        """The processor time that its threads of a name have used (seconds)."""
        tasks = pathlib.Path(f"/proc/{self._program.pid}/task").iterdir()
        return sum(
            int((task / "schedstat").read_text(encoding="ascii").split()[0]) / 1e9
            for task in tasks if (task / "comm").read_text(encoding="ascii").strip() == thread)

    def signal(self, number):
        """Sends a signal to the worldpeer itself, not to what started it."""
        os.kill(self._program.pid, number)

    def kill(self):
        """Ends it without a goodbye; gives the moment."""
        moment = time.monotonic()
        self.signal(signal.SIGKILL)
        self._program.wait()
        return moment

    def end(self):
        """Ends it, however the test went, and gives its descriptors back."""
        if self._program.poll() is None:
            self.kill()
        self._reader.join()
        for stream in (self._program.stdin, self._program.stdout):
            stream.close()

    def quit(self):
        """Ends it politely and gives its exit status."""
        self.send("quit")
        return self._program.wait(timeout=20)


def make_map(path, points, seed=1):
    """Writes a made-up room to a .worldmap file."""
    subprocess.run(
        [BIN / "worldmap", "generate", "--points", str(points), "--seed", str(seed), path],
        check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
