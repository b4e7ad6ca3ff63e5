"""A peer on a TLS connection of its own: the key, the certificate, and the clock."""

import asyncio
import datetime
import hashlib
import secrets
import ssl
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.x509.oid import NameOID

from leaf import Leaf, Phase
from wire import Node


class Ended(Exception):
    """The link has ended; the text holds the reason of its goodbye."""


def make_certificate(key: Ed25519PrivateKey) -> x509.Certificate:
    """A certificate of which only the key counts."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sharedworld")])
    first, last = datetime.datetime(2020, 1, 1), datetime.datetime(9999, 12, 31)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    return builder.serial_number(1).not_valid_before(first).not_valid_after(last).sign(key, None)


def peer_id(certificate: x509.Certificate) -> bytes:
    """The SHA-256 of the SubjectPublicKeyInfo."""
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return hashlib.sha256(certificate.public_key().public_bytes(serialization.Encoding.DER, form)).digest()


def make_context(key: Ed25519PrivateKey, certificate: x509.Certificate) -> ssl.SSLContext:
    """TLS 1.3 with that key; who the other side is, its key says, and hello compares.

    The module `ssl` asks a client for a certificate only to check it against authorities, so that this peer can dial
    but not be dialled: a certificate that signs itself would be refused before anybody sees its key.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    with tempfile.NamedTemporaryFile() as file:  # The module reads keys from files alone; this one is for us alone.
        file.write(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain) + certificate.public_bytes(pem))
        file.flush()
        context.load_cert_chain(file.name)
    return context


class Session:
    """A peer while it is connected. Use `dial`."""

    def __init__(self, peer: Leaf, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.peer = peer
        self._reader, self._writer = reader, writer
        self._changed = asyncio.Event()
        self._started = time.monotonic()

    def _now(self) -> float:
        """Seconds since the start, which is also where session time begins before there is a host."""
        return time.monotonic() - self._started

    async def run(self) -> None:
        """Moves bytes and time until the link ends."""
        self._flush()
        while self.peer.phase != Phase.ENDED:
            with suppress(TimeoutError):
                self._take(await asyncio.wait_for(self._read(), timeout=0.1))
            self.peer.tick(self._now())
            self._flush()

    async def _read(self) -> bytes:
        """Bytes of the other side, none when the connection is over, however it ended."""
        try:
            return await self._reader.read(65_536)
        except OSError:  # TLS also complains of bytes that cross with the end of the connection.
            return b""

    def _take(self, data: bytes) -> None:
        if data:
            self.peer.receive(data, self._now())
        else:
            self.peer.lose()

    def _flush(self) -> None:
        """Sends what waits and wakes those that wait for news."""
        self._writer.write(bytes(self.peer.output))
        self.peer.output.clear()
        self._changed.set()

    async def until(self, condition: Callable[[Leaf], bool], what: str, seconds: float = 20) -> None:
        """Waits until something holds; raises when the link ends before."""
        async with asyncio.timeout(seconds):
            while not condition(self.peer):
                if self.peer.phase == Phase.ENDED:
                    raise Ended(f"{what}: goodbye {self.peer.reason}")
                self._changed.clear()
                await self._changed.wait()

    async def leave(self) -> None:
        """Leaves the session and closes the connection once the goodbye has left."""
        self.peer.leave()
        self._flush()
        self._writer.close()
        with suppress(OSError, ssl.SSLError):  # The other side may have closed first.
            await self._writer.wait_closed()


@asynccontextmanager
async def dial(host: str, port: int, name: str, service: str = "sharedworld") -> AsyncIterator[Session]:
    """Invites the peer at that address, and leaves at the end of the block."""
    key = Ed25519PrivateKey.generate()
    certificate = make_certificate(key)
    reader, writer = await asyncio.open_connection(host, port, ssl=make_context(key, certificate))
    other = x509.load_der_x509_certificate(writer.get_extra_info("ssl_object").getpeercert(binary_form=True))
    me = Node(peer_id(certificate), secrets.randbits(64))
    session = Session(Leaf(me, peer_id(other), name, service, now=0), reader, writer)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(session.run())
        try:
            await session.until(lambda peer: peer.phase == Phase.MEMBER, "joining")
            yield session
        finally:
            await session.leave()
            await running
