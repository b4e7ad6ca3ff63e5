"""The map of the session, fetched from the one neighbour: maps.md and chunks.md in Documentation/Protocol."""

import hashlib
from collections.abc import Callable, Mapping

from .frames import Frame
from .wire import Reader, check, u32

#: The largest chunk, the largest part of one in a frame (bytes), and the most chunks that may be asked for at a time.
CHUNK, PIECE_BYTES, ASKED = 262_144, 16_256, 8
#: The family of maps, before the id in a frame about chunks.
MAP = b"\x00"

#: Functions that expand a chunk, given its stored bytes and its size, by codec.
Codecs = Mapping[int, Callable[[bytes, int], bytes]]
#: Enough for a peer that does not state the capability *zstd chunks*.
RAW: Codecs = {0: lambda stored, _: stored}


class MapFetch:
    """The latest map on its way here. Nobody fetches it from a peer with one link, which leads to a holder."""

    def __init__(self, send: Callable[[int, bytes], None], codecs: Codecs) -> None:
        self._send, self._codecs = send, codecs
        self.id, self._rank = b"", ()
        #: The whole map, once all of its chunks are here.
        self.data: bytes | None = None

    def announce(self, body: bytes) -> None:
        """Begins to fetch a map if it is later than the one before."""
        reader = Reader(body)
        identifier, epoch, revision = reader.take(32), reader.u64(2**62), reader.u64(2**62)
        size, count, provider, bits = reader.u64(2**29), reader.u32(), reader.take(32), reader.u8(3)
        reader.end()
        check(count <= 65_536 and count <= size <= count * CHUNK, "a map of impossible size")
        # The later map is the one of higher rank. A bit says that the sender has a part alone, or shares it with this
        # peer alone.
        rank = (epoch, revision, provider, identifier)
        if bits == 0 and count > 0 and rank > self._rank:
            self.id, self._rank, self.size, self._count = identifier, rank, size, count
            # Epoch, revision and size stand in the announcement as they do in the manifest.
            self._manifest, self._names, self.data = body[32:56], [], None
            #: The verified chunks by number, and those that are not whole yet; which of them were asked for.
            self.chunks: dict[int, bytes] = {}
            self._partial: dict[int, bytes] = {}
            self._asked: set[int] = set()
            self._send(Frame.MANIFEST_REQUEST, MAP + self.id + u32(0))

    def take_names(self, body: bytes) -> None:
        """Records the sizes and hashes of some chunks, and asks for more, or for the first chunks."""
        reader = Reader(body)
        if reader.take(33) != MAP + self.id or reader.u32() != len(self._names):
            return
        self._manifest += body[reader.at:]
        while reader.left:
            self._names.append((reader.u32(), reader.take(32)))
        if len(self._names) < self._count:
            return self._send(Frame.MANIFEST_REQUEST, MAP + self.id + u32(len(self._names)))
        sizes = [size for size, _ in self._names]
        check(hashlib.sha256(self._manifest).digest() == self.id, "a manifest that does not hash to the map id")
        check(sum(sizes) == self.size and all(0 < size <= CHUNK for size in sizes), "sizes do not add up")
        self._request_chunks()

    def _request_chunks(self) -> None:
        """Asks for the next chunks, once all are here that were asked for."""
        first = len(self.chunks)
        self._asked = set(range(first, min(first + ASKED, self._count)))
        self._send(Frame.CHUNK_REQUEST, MAP + self.id + b"".join(map(u32, sorted(self._asked))))

    def take_piece(self, body: bytes) -> None:
        """Records a part of a chunk that was asked for, and verifies the chunk after its last part."""
        reader = Reader(body)
        content, chunk, codec, stored_size = reader.take(33), reader.u32(), reader.u8(1), reader.u32()
        offset, data = reader.u32(), reader.rest()
        check(stored_size <= CHUNK and 0 < len(data) <= min(PIECE_BYTES, stored_size - offset), "an impossible piece")
        if content == MAP + self.id and chunk in self._asked and offset in (0, len(self._partial.get(chunk, b""))):
            # A piece at offset 0 restarts its chunk.
            self._partial[chunk] = self._partial.get(chunk, b"")[:offset] + data
            if offset + len(data) == stored_size:
                self._verify(chunk, codec)

    def _verify(self, chunk: int, codec: int) -> None:
        size, name = self._names[chunk]
        check(codec in self._codecs, "a chunk of a codec that was not agreed on")
        raw = self._codecs[codec](self._partial.pop(chunk), size)
        check(len(raw) == size and hashlib.sha256(raw).digest() == name, "a chunk with another hash")
        self.chunks[chunk] = raw
        self._asked.discard(chunk)
        if len(self.chunks) == self._count:
            self.data = b"".join(self.chunks[number] for number in range(self._count))
        elif not self._asked:
            self._request_chunks()
