"""A peer on a TLS connection of its own: the key, the certificate, and the clock."""

import asyncio
import datetime
import hashlib
import secrets
import ssl
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from .member import Member, Phase
from .wire import Node


class Ended(Exception):
    """The link has ended; the text holds the reason of its goodbye."""


def peer_id(key: Ed25519PublicKey) -> bytes:
    """The SHA-256 of the SubjectPublicKeyInfo."""
    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()


def make_context(key: Ed25519PrivateKey) -> ssl.SSLContext:
    """TLS 1.3 with a certificate of which only the key counts; who the other side is, its key says too.

    The module `ssl` asks a client for a certificate only to check it against authorities, so that this peer can dial
    but not be dialled: a certificate that signs itself would be refused before anybody sees its key.
    """
    name, first, last = x509.Name([]), datetime.datetime(2020, 1, 1), datetime.datetime(9999, 12, 31)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    certificate = builder.serial_number(1).not_valid_before(first).not_valid_after(last).sign(key, None)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    with tempfile.NamedTemporaryFile() as file:  # The module reads keys from files alone; this one is for us alone.
        file.write(pem + certificate.public_bytes(Encoding.PEM))
        file.flush()
        context.load_cert_chain(file.name)
    return context


class Session(asyncio.Protocol):
    """A peer while it is connected: moves bytes and time. Use `dial`."""

    def __init__(self, make_peer: Callable[[bytes], Member]) -> None:
        self._make_peer = make_peer
        self._loop = asyncio.get_running_loop()
        self._started = self._loop.time()
        self._changed, self._closed = asyncio.Event(), asyncio.Event()

    def connection_made(self, transport: asyncio.Transport) -> None:
        certificate = transport.get_extra_info("ssl_object").getpeercert(binary_form=True)
        self.peer = self._make_peer(peer_id(x509.load_der_x509_certificate(certificate).public_key()))
        self._transport = transport
        self._tick()

    def data_received(self, data: bytes) -> None:
        self.peer.receive(data, self._now())
        self._flush()

    def connection_lost(self, error: Exception | None) -> None:
        self.data_received(b"")
        self._closed.set()

    def _now(self) -> float:
        """Seconds since the start."""
        return self._loop.time() - self._started

    def _tick(self) -> None:
        self.peer.tick(self._now())
        self._flush()
        if not self._closed.is_set():
            self._loop.call_later(0.1, self._tick)

    def _flush(self) -> None:
        """Sends what waits, closes a link that has ended, and wakes those that wait for news."""
        self._transport.write(bytes(self.peer.output))
        self.peer.output.clear()
        if self.peer.phase == Phase.ENDED:
            self._transport.close()
        self._changed.set()

    async def until(self, condition: Callable[[Member], bool], what: str, seconds: float = 20) -> None:
        """Waits until something holds; raises when the link ends before."""
        async with asyncio.timeout(seconds):
            while not condition(self.peer):
                if self.peer.phase == Phase.ENDED:
                    raise Ended(f"{what}: goodbye {self.peer.reason}")
                self._changed.clear()
                await self._changed.wait()

    async def leave(self) -> None:
        """Leaves the session and waits until the goodbye has left."""
        self.peer.end()
        self._flush()
        await self._closed.wait()


@asynccontextmanager
async def dial(host: str, port: int, name: str, service: str = "sharedworld",
               kind: Callable[..., Member] = Member) -> AsyncIterator[Session]:
    """Invites the peer at that address, and leaves at the end of the block."""
    key = Ed25519PrivateKey.generate()
    me = Node(peer_id(key.public_key()), secrets.randbits(64))
    _, session = await asyncio.get_running_loop().create_connection(
        lambda: Session(lambda other: kind(me, other, name, service)), host, port, ssl=make_context(key))
    try:
        await session.until(lambda peer: peer.phase == Phase.MEMBER, "joining")
        yield session
    finally:
        await session.leave()
