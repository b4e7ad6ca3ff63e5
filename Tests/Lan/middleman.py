"""A host between two peers: listens, dials the victim, and passes on what comes, for as long as it is there.

    middleman.py PORT HOST:PORT plain          passes the bytes on and ends no TLS
    middleman.py PORT HOST:PORT pass KEY CERT  ends TLS with a key of its own on both sides, and passes the frames on;
                                               the victim's tag comes back to it as the proof of the passcode
    middleman.py PORT HOST:PORT play KEY CERT  the same, but exchanges a code itself with either side

It prints one JSON object a line: `listening`, `frame` with the type of each that a side has sent, and its own `code`s.
TLS is libssl's, since the module `ssl` neither takes the certificate of a client that nobody signed nor gives keying
material.
"""

import ctypes
import hashlib
import hmac
import json
import os
import select
import socket
import ssl
import struct
import sys

HELLO, GOODBYE, PASSCODE_ANSWER, PASSCODE_PROOF, COMMITMENT, NONCE, REVEAL = 1, 2, 14, 15, 18, 19, 20
#: The size of a tag of the passcode, with which an answer ends.
TAG = 64
#: Where the id of the sender stands in a hello: magic, two versions, capabilities, each of a fixed size.
ID = slice(4 + 2 + 2 + 8, 4 + 2 + 2 + 8 + 32)
LABEL = b"EXPORTER-sharedworld-code"
SIZE = 65_536


def tell(**news):
    print(json.dumps(news), flush=True)


class Libssl:
    """The few calls of libssl that a peer needs; `ssl` has loaded it."""

    ANYBODY = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p)(lambda good, store: 1)

    def __init__(self, key, certificate):
        self.lib = ctypes.CDLL("libssl.so.3")
        for name in ("TLS_method", "SSL_CTX_new", "SSL_new"):
            getattr(self.lib, name).restype = ctypes.c_void_p
        method = ctypes.c_void_p(self.lib.TLS_method())
        self.context = ctypes.c_void_p(self.lib.SSL_CTX_new(method))
        pem = 1
        for call, path in ((self.lib.SSL_CTX_use_certificate_file, certificate),
                           (self.lib.SSL_CTX_use_PrivateKey_file, key)):
            if call(self.context, os.fsencode(path), pem) != 1:
                raise SystemExit(f"{path}: libssl refuses it")
        # As a peer does: the other side has to show a key, whoever it is.
        self.lib.SSL_CTX_set_verify(self.context, 1 | 2, self.ANYBODY)


class Side:
    """One connection of the two, in TLS if there is a libssl."""

    def __init__(self, connection, libssl=None, accepts=False):
        self.connection, self.libssl = connection, libssl
        self.begun, self.id, self.has_ended = b"", None, False
        if not libssl:
            return
        lib = libssl.lib
        self.tls = ctypes.c_void_p(lib.SSL_new(libssl.context))
        lib.SSL_set_fd(self.tls, connection.fileno())
        if (lib.SSL_accept if accepts else lib.SSL_connect)(self.tls) != 1:
            raise OSError("no TLS connection")

    def read(self):
        """What has come; nothing at the end."""
        if not self.libssl:
            return self.connection.recv(SIZE)
        buffer = ctypes.create_string_buffer(SIZE)
        count = self.libssl.lib.SSL_read(self.tls, buffer, SIZE)
        return buffer.raw[:max(count, 0)]

    def write(self, data):
        if not self.libssl:
            self.connection.sendall(data)
        elif data and self.libssl.lib.SSL_write(self.tls, data, len(data)) <= 0:
            raise OSError("the connection has ended")

    def end(self):
        """Nothing more will be written."""
        if self.libssl:
            self.libssl.lib.SSL_shutdown(self.tls)
        self.connection.shutdown(socket.SHUT_WR)

    @property
    def has_more(self):
        return bool(self.libssl) and self.libssl.lib.SSL_pending(self.tls) > 0

    def exporter(self):
        out = ctypes.create_string_buffer(32)
        done = self.libssl.lib.SSL_export_keying_material(
            self.tls, out, ctypes.c_size_t(32), LABEL, ctypes.c_size_t(len(LABEL)), b"", ctypes.c_size_t(0), 1)
        if done != 1:
            raise OSError("no keying material")
        return out.raw

    def frames(self, data):
        """The whole frames up to here: type and body."""
        self.begun += data
        while len(self.begun) >= 5:
            size, kind = struct.unpack_from("<IB", self.begun)
            if len(self.begun) < 5 + size:
                return
            body, self.begun = self.begun[5:5 + size], self.begun[5 + size:]
            yield kind, body

    def say(self, kind, body):
        self.write(struct.pack("<IB", len(body), kind) + body)


class Codes:
    """This host's own part in the exchange of a code with either side (Documentation/Protocol/code.md)."""

    def __init__(self, own, inbound, outbound):
        self.own, self.inbound, self.outbound = own, inbound, outbound
        self.nonce = os.urandom(32)

    def begin(self):
        """Commits to a nonce, as the one who dialled."""
        digest = hashlib.sha256(b"wm-sas-c" + self.nonce + self.outbound.exporter()).digest()
        self.outbound.say(COMMITMENT, digest)

    def receive(self, side, kind, body):
        """Takes a step of the exchange with a side; whether it was one."""
        if kind == COMMITMENT and side is self.inbound:
            side.say(NONCE, self.nonce)
        elif kind == NONCE and side is self.outbound:
            side.say(REVEAL, self.nonce)
            tell(event="code", side="outbound", code=code(self.nonce, body, side.exporter(), self.own, side.id))
        elif kind == REVEAL and side is self.inbound:
            tell(event="code", side="inbound", code=code(body, self.nonce, side.exporter(), side.id, self.own))
        else:
            return False
        return True


def code(first, second, exporter, dialler, listener):
    """The six digits of a run."""
    secret = hmac.digest(exporter, first + second, "sha256")
    key = hmac.digest(secret, b"wm-sas" + dialler + listener + b"\x01", "sha256")
    return f"{int.from_bytes(key[:8], 'little') % 1_000_000:06}"


def own_id(certificate):
    """The id of this host's key: the SHA-256 of its SubjectPublicKeyInfo, which ends an Ed25519 key's 44 bytes."""
    with open(certificate, encoding="ascii") as file:
        der = ssl.PEM_cert_to_DER_cert(file.read())
    # SEQUENCE { SEQUENCE { OID 1.3.101.112 } BIT STRING }, RFC 8410.
    start = der.index(bytes.fromhex("302a300506032b6570032100"))
    return hashlib.sha256(der[start:start + 44]).digest()


class Relay:
    """Passes on what either side sends, until both have ended."""

    def __init__(self, inbound, outbound, own=None, plays=False):
        self.inbound, self.outbound, self.own = inbound, outbound, own
        self.codes = Codes(own, inbound, outbound) if plays else None

    def run(self):
        open_sides = [self.inbound, self.outbound]
        while open_sides:
            ready = [side for side in open_sides if side.has_more]
            if not ready:
                connections = select.select([side.connection for side in open_sides], [], [])[0]
                ready = [side for side in open_sides if side.connection in connections]
            for side in ready:
                other = self.outbound if side is self.inbound else self.inbound
                data = side.read()
                if not data:
                    open_sides.remove(side)
                    other.end()
                elif self.own is None:
                    other.write(data)
                else:
                    for kind, body in side.frames(data):
                        self.take(kind, body, side, other)

    def take(self, kind, body, side, other):
        """Takes a frame of one side."""
        reason = {"reason": body[0]} if kind == GOODBYE else {}
        tell(event="frame", side="inbound" if side is self.inbound else "outbound", type=kind, **reason)
        if kind == HELLO:
            side.id = body[ID]
            # Each side hears the other's name, under the key that it is shown.
            other.say(HELLO, body[:ID.start] + self.own + body[ID.stop:])
            if self.codes and side is self.outbound:
                self.codes.begin()
        elif not (self.codes and self.codes.receive(side, kind, body)):
            if kind == PASSCODE_ANSWER:
                side.say(PASSCODE_PROOF, body[-TAG:])
            other.say(kind, body)


def main():
    port, victim, mode, *files = sys.argv[1:]
    host, victim_port = victim.rsplit(":", 1)
    libssl, own = (Libssl(*files), own_id(files[1])) if mode != "plain" else (None, None)
    listener = socket.create_server(("0.0.0.0", int(port)))
    tell(event="listening")
    while True:
        accepted, _ = listener.accept()
        with accepted, socket.create_connection((host, int(victim_port))) as dialled:
            try:
                Relay(Side(accepted, libssl, accepts=True), Side(dialled, libssl), own, plays=mode == "play").run()
            except OSError as error:
                tell(event="ended", reason=str(error))


if __name__ == "__main__":
    main()
