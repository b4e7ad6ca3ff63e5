#!/usr/bin/env python3
"""Floods a peer on loopback as a stranger, or a member, would, for SECONDS: attack.py NAME PORT SECONDS

`make bench FILTER=attack` runs it beside two members and measures what it costs them. It prints how much it did.
"""
import hashlib
import os
import random
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "Fixtures" / "Wire"))
from frames import frame, u8, u16, u32, u64, blob, sha, text, varint  # noqa: E402

# A stranger has this many addresses of the loopback network, and holds this many connections at most.
ADDRESSES, CONNECTIONS = 250, 1000


class Stranger:
    """An identity that nobody admitted, and the port it attacks."""

    def __init__(self, port, folder, seconds):
        self.port = port
        self.deadline = time.monotonic() + seconds
        key, certificate, public = (f"{folder}/{name}" for name in ("key.pem", "certificate.pem", "public.der"))
        openssl("req", "-x509", "-newkey", "ed25519", "-nodes", "-keyout", key, "-out", certificate, "-subj", "/CN=x")
        openssl("pkey", "-in", key, "-pubout", "-outform", "DER", "-out", public)
        self.files = (key, certificate)
        self.peer = hashlib.sha256(Path(public).read_bytes()).digest()
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self.context.check_hostname = False
        self.context.verify_mode = ssl.CERT_NONE
        self.context.load_cert_chain(certificate, key)

    def hello(self):
        return frame(1, b"SWLD" + u16(1) + u16(9) + u64(0) + self.peer + u64(random.getrandbits(64)) + text("bench")
                     + text("stranger") + text("") + u8(0))

    def connect(self, number=0, timeout=5):
        """A TCP connection from one of many addresses."""
        client = socket.socket()
        client.settimeout(timeout)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        client.bind((f"127.0.1.{1 + number % ADDRESSES}", 0))
        client.connect(("127.0.0.1", self.port))
        return client

    def tls(self, number=0):
        """A TLS connection from one of many addresses."""
        return self.context.wrap_socket(self.connect(number))

    @property
    def has_time(self):
        return time.monotonic() < self.deadline


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def flood(stranger, attack, workers=4):
    """Runs attack(number) again and again in a few threads, and holds what it returns open; returns how often it ran."""
    counts = [0] * workers

    def work(worker):
        held = []
        number = worker
        while stranger.has_time:
            counts[worker] += 1
            try:
                held.append(attack(number))
            except OSError:
                # Refused: the next address.
                time.sleep(0.001)
            number += workers
            if len(held) > CONNECTIONS // workers:
                connection = held.pop(0)
                if connection:
                    connection.close()

    threads = [threading.Thread(target=work, args=(worker,)) for worker in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts)


def half_open(stranger):
    """Connects and says nothing."""
    return stranger.connect


def junk(stranger):
    """Sends what is no TLS, and stays."""
    def attack(number):
        client = stranger.connect(number)
        client.sendall(os.urandom(4096))
        return client
    return attack


def slow(stranger):
    """Begins a ClientHello and never ends it."""
    def attack(number):
        client = stranger.connect(number)
        client.sendall(bytes([22, 3, 1, 2, 0, 1]))
        return client
    return attack


def handshakes(stranger):
    """Whole TLS handshakes, one after the other."""
    def attack(number):
        stranger.tls(number).close()
    return attack


def draining(stranger):
    """Says a bad hello, reads nothing of the answer, and leaves the socket open."""
    def attack(number):
        client = stranger.tls(number)
        client.sendall(frame(1, b"nonsense"))
        return client
    return attack


def chatter(stranger, burst):
    """Says hello and then sends frames for as long as the connection stands, and reads nothing."""
    def attack(number):
        client = stranger.tls(number)
        client.sendall(stranger.hello())
        while stranger.has_time:
            client.sendall(burst)
    return attack


def invitations(stranger):
    """Invites and cancels in a loop."""
    return chatter(stranger, b"".join(
        frame(8, u64(n) + u32(30_000) + blob(bytes(1000))) + frame(10, u64(n)) for n in range(50)))


def pings(stranger):
    """Asks for answers that it does not read."""
    return chatter(stranger, frame(4, u64(0)) * 500)


def key_updates(stranger):
    """Asks for new keys of the connection again and again (RFC 8446 §4.6.3)."""
    key, certificate = stranger.files

    def attack(number):
        client = subprocess.Popen(
            ["openssl", "s_client", "-connect", f"127.0.0.1:{stranger.port}", "-cert", certificate, "-key", key],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, bufsize=0)
        try:
            while stranger.has_time and client.poll() is None:
                # s_client takes a line that comes alone for a command; K asks both sides for new keys.
                client.stdin.write(b"K\n")
                time.sleep(0.0002)
        finally:
            client.kill()
            client.wait()
    return attack


def member(stranger, make_burst):
    """Is let in, and sends what costs for as long as the connection stands; reads what comes, as others do."""
    def attack(number):
        client = stranger.tls(number)
        client.sendall(stranger.hello() + frame(8, u64(1) + u32(30_000) + blob(b"")))
        received = b""
        while frame(9, u64(1) + u8(1)) not in received:
            received += client.recv(65_536) or fail("the peer lets nobody in")
        client.sendall(frame(3, b""))
        while stranger.has_time:
            client.sendall(make_burst())
            read_all(client)
    return attack


def fail(why):
    raise OSError(why)


def read_all(client):
    """Reads what has come, and waits for nothing."""
    timeout = client.gettimeout()
    client.settimeout(0)
    try:
        while client.recv(65_536):
            pass
    except ssl.SSLWantReadError:
        pass
    finally:
        client.settimeout(timeout)


def questions(stranger):
    """Asks for the whole vector of the other side, with a vector of nothing."""
    vector = u8(1) + sha(b"") + varint(0)
    burst = frame(33, u32(len(vector)) + u32(0) + vector) * 100
    return member(stranger, lambda: burst)


def operations(stranger):
    """Sends operations that wait: each of an actor of its own, on an anchor that nobody has placed."""
    def run():
        # The name of an anchor that another actor has placed.
        operation = u8(0x84) + u64(1 << 16) + os.urandom(16) + u64(1) + u64(0) + text("x")
        return u8(1) + os.urandom(16) + u64(1) + u16(1) + u32(len(operation)) + operation
    return member(stranger, lambda: frame(32, b"".join(run() for _ in range(400))))


def departures(stranger):
    """Invents peers that have left."""
    def record():
        return os.urandom(32) + u32(1) + u8(1) + os.urandom(8) + text("x") + u8(0)
    return member(stranger, lambda: frame(6, varint(128) + b"".join(record() for _ in range(128))))


def announcements(stranger):
    """Announces maps of as many chunks as there may be, each newer than the one before."""
    revisions = iter(range(1, 1 << 40))

    def announcement():
        size, chunks = u64(1 << 28), u32(65_536)
        return frame(48, os.urandom(32) + u64(1) + u64(next(revisions)) + size + chunks + stranger.peer + u8(0))
    return member(stranger, lambda: b"".join(announcement() for _ in range(100)))


ATTACKS = {
    "half-open": half_open, "junk": junk, "slow": slow, "handshakes": handshakes, "draining": draining,
    "invitations": invitations, "pings": pings, "key-updates": key_updates, "member-questions": questions,
    "member-operations": operations, "member-departures": departures, "member-announcements": announcements,
}


def main():
    if len(sys.argv) != 4 or sys.argv[1] not in ATTACKS:
        sys.exit(f"usage: attack.py {'|'.join(ATTACKS)} PORT SECONDS")
    name, port, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        stranger = Stranger(port, folder, seconds)
        # A member has one connection: of two the other side would end one. Those that ping fill every place for strangers.
        workers = 1 if name.startswith("member-") else 32 if name == "pings" else 4
        print(flood(stranger, ATTACKS[name](stranger), workers))


if __name__ == "__main__":
    main()
