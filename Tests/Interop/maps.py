"""One map, fetched from one holder and offered again: Documentation/Protocol/maps.md."""

import ctypes
import ctypes.util
import hashlib
from collections.abc import Callable

from wire import Reader, Refused, check, u8, u32

ANNOUNCE, MANIFEST_REQUEST, MANIFEST, REQUEST, PIECE, CANCEL, HAVE = range(48, 55)
#: The largest chunk, and the largest part of one in a frame (bytes).
CHUNK, PIECE_BYTES = 262_144, 16_256
#: Names of chunks in a manifest frame, and chunks that may be asked for at a time.
NAMES, ASKED = 450, 8

Send = Callable[[int, bytes], None]


def load_zstd() -> ctypes.CDLL | None:
    """The C library with which worldpeer itself expands chunks; without it a holder has to send them raw."""
    name = ctypes.util.find_library("zstd")
    if not name:
        return None
    library = ctypes.CDLL(name)
    library.ZSTD_getFrameContentSize.argtypes = (ctypes.c_char_p, ctypes.c_size_t)
    library.ZSTD_getFrameContentSize.restype = ctypes.c_ulonglong
    library.ZSTD_decompress.argtypes = (ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t)
    library.ZSTD_decompress.restype = ctypes.c_size_t
    return library


ZSTD = load_zstd()


def expand(codec: int, stored: bytes, size: int) -> bytes:
    """The raw bytes of a chunk that has to have that size."""
    if codec == 0:
        return stored
    if codec != 1 or ZSTD is None:
        raise Refused("a chunk of a codec that was not agreed on")
    check(ZSTD.ZSTD_getFrameContentSize(stored, len(stored)) == size, "a chunk of another size")
    raw = ctypes.create_string_buffer(size)
    check(ZSTD.ZSTD_decompress(raw, size, stored, len(stored)) == size, "a damaged chunk")
    return raw.raw


class SharedMap:
    """A map on its way here, and then on offer."""

    def __init__(self, announcement: bytes, send: Send) -> None:
        reader = Reader(announcement)
        self.id, epoch, revision = reader.take(32), reader.u64(2**62), reader.u64(2**62)
        self._size, self._count, provider, self._bits = reader.u64(2**29), reader.u32(), reader.take(32), reader.u8(3)
        reader.end()
        fits = self._count <= 65_536 and self._count <= self._size <= self._count * CHUNK
        check(fits, "a map whose size does not fit its chunks")
        #: Of two maps of a session the one of higher rank is the current one.
        self.rank = (epoch, revision, provider, self.id)
        #: The whole map, once it is verified; None before.
        self.bytes: bytes | None = None
        self._announcement, self._send = announcement, send
        self._sizes: list[int] = []
        self._hashes: list[bytes] = []
        self._chunks: dict[int, bytes] = {}
        self._partial: dict[int, bytes] = {}
        self._asked: set[int] = set()

    @property
    def is_whole_and_for_all(self) -> bool:
        """Whether the sender of the announcement has all of it, and has not shared it with this peer alone."""
        return self._bits == 0 and self._count > 0

    @property
    def status(self) -> bytes:
        """Map id, stage and percentage, as a status frame has them."""
        verified = sum(len(chunk) for chunk in self._chunks.values())
        return self.id + u8(1 if self.bytes is None else 2) + u8(100 * verified // self._size)

    def begin(self) -> None:
        self._send(MANIFEST_REQUEST, self.id + u32(0))

    def receive(self, kind: int, reader: Reader) -> None:
        """Handles a frame about this map, of which the id was read."""
        handler = {
            MANIFEST_REQUEST: self._name_chunks, MANIFEST: self._take_names, REQUEST: self._serve,
            PIECE: self._take_piece}.get(kind)
        # A cancel finds nothing to stop, since requests are served at once; what the holder has, it announced.
        if handler:
            handler(reader)

    def _take_names(self, reader: Reader) -> None:
        if reader.u32() != len(self._sizes):
            return
        check(reader.left % 36 == 0 and reader.left <= NAMES * 36, "a manifest of broken names")
        while reader.left:
            self._sizes.append(reader.u32())
            self._hashes.append(reader.take(32))
        if len(self._sizes) < self._count:
            return self._send(MANIFEST_REQUEST, self.id + u32(len(self._sizes)))
        check(hashlib.sha256(self._manifest).digest() == self.id, "a manifest that does not hash to the map id")
        check(sum(self._sizes) == self._size and all(0 < size <= CHUNK for size in self._sizes), "sizes do not add up")
        self._ask()

    @property
    def _manifest(self) -> bytes:
        # Epoch, revision and size stand in the announcement as they do in the manifest.
        return self._announcement[32:56] + b"".join(self._names(0, self._count))

    def _names(self, first: int, end: int) -> list[bytes]:
        return [u32(self._sizes[chunk]) + self._hashes[chunk] for chunk in range(first, end)]

    def _ask(self) -> None:
        """Asks for the next chunks, so that 8 are on their way."""
        open_chunks = (chunk for chunk in range(self._count) if chunk not in self._chunks and chunk not in self._asked)
        fresh = [chunk for chunk, _ in zip(open_chunks, range(ASKED - len(self._asked)))]
        self._asked.update(fresh)
        if fresh:
            self._send(REQUEST, self.id + b"".join(u32(chunk) for chunk in fresh))

    def _take_piece(self, reader: Reader) -> None:
        chunk, codec, stored_size = reader.u32(), reader.u8(1), reader.u32()
        offset, data = reader.u32(), reader.rest()
        check(stored_size <= CHUNK and 0 < len(data) <= min(PIECE_BYTES, stored_size - offset), "an impossible piece")
        if chunk not in self._asked:
            return
        stored = b"" if offset == 0 else self._partial.get(chunk, b"")
        if len(stored) != offset:
            return
        self._partial[chunk] = stored + data
        if len(stored) + len(data) == stored_size:
            self._verify(chunk, expand(codec, self._partial.pop(chunk), self._sizes[chunk]))

    def _verify(self, chunk: int, raw: bytes) -> None:
        check(len(raw) == self._sizes[chunk], "a chunk of another size")
        check(hashlib.sha256(raw).digest() == self._hashes[chunk], "a chunk with another hash")
        self._chunks[chunk] = raw
        self._asked.discard(chunk)
        if len(self._chunks) % max(8, self._count // 64) == 0:
            self._send(HAVE, self.id + self._have)
        if len(self._chunks) < self._count:
            return self._ask()
        self.bytes = b"".join(self._chunks[number] for number in range(self._count))
        self._send(ANNOUNCE, self._announcement)

    @property
    def _have(self) -> bytes:
        bits = sum(1 << chunk for chunk in self._chunks)
        return bits.to_bytes((self._count + 7) // 8, "little")

    def _name_chunks(self, reader: Reader) -> None:
        first = reader.u32()
        reader.end()
        if first < len(self._sizes):
            names = self._names(first, min(first + NAMES, len(self._sizes)))
            self._send(MANIFEST, self.id + u32(first) + b"".join(names))

    def _serve(self, reader: Reader) -> None:
        while reader.left:
            chunk = reader.u32()
            raw = self._chunks.get(chunk, b"")
            for offset in range(0, len(raw), PIECE_BYTES):
                head = self.id + u32(chunk) + u8(0) + u32(len(raw)) + u32(offset)
                self._send(PIECE, head + raw[offset:offset + PIECE_BYTES])


class MapExchange:
    """The current map of the session; the one link of this peer leads to the one holder that it knows."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.current: SharedMap | None = None

    @property
    def status(self) -> bytes:
        return self.current.status if self.current else bytes(34)

    def receive(self, kind: int, body: bytes) -> None:
        """Handles a frame from the holder; a later map replaces the one before."""
        if kind == ANNOUNCE:
            announced = SharedMap(body, self._send)
            if announced.is_whole_and_for_all and (self.current is None or announced.rank > self.current.rank):
                self.current = announced
                announced.begin()
            return
        reader = Reader(body)
        identifier = reader.take(32)
        if self.current and identifier == self.current.id:
            self.current.receive(kind, reader)
