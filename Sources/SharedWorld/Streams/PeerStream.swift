import PeerProtocol
import PeerTransport
import WorldModel

/// A stream of bytes between this peer and another one, in both directions.
///
/// Either side writes and reads. The bytes of each direction arrive exactly once and in order, over broken and replaced
/// connections and through other members; where that fails both directions end with a ``SessionError``. A side that
/// does not read holds up the other side's writes to this stream, and nothing else.
///
///     for try await bytes in stream { log.append(contentsOf: bytes) }
///
/// It is a sequence of chunks, whose bounds mean nothing: what was written at once may come in several chunks, and what was
/// written in several calls in one. The sequence ends when the other side has called ``finish()``. It throws ``SessionError``
/// behind the bytes that have arrived, with the code `stream-reset` (the other side has reset the stream; the cause is its
/// ``RemoteError``), `not-connected` (the peer left, restarted or is lost), `ended` (this session has ended) or `cancelled`.
/// An iterator that is released loses no bytes: the next one goes on behind it. One reads at a time.
///
/// A stream that is released resets what has not ended.
public final class PeerStream: AsyncSequence, Sendable {
  /// Bytes of UTF-8 in the name of a stream.
  public static let nameLimit = ProtocolLimits.streamName
  /// Streams that one peer may have opened to another and that have not ended in both directions, or wait to be read.
  public static let limit = ProtocolLimits.streamsOfPeer
  /// Bytes of one direction of a stream that may be on their way or wait to be read.
  public static let window = ProtocolLimits.streamWindow

  /// The name that the side gave it which opened it.
  public let name: String
  /// The peer at the other end.
  public let peer: Peer
  let key: StreamKey
  let session: Session

  init(_ key: StreamKey, named name: String, with peer: Peer, of session: Session) {
    (self.key, self.name, self.peer, self.session) = (key, name, peer, session)
  }

  deinit {
    // Later: whatever releases it may be at work on the session's state.
    session.loop.execute { [weak session, key] in session?.assumeIsolated { $0.release(key) } }
  }

  /// Writes bytes, and waits until they have left this app: while ``window`` bytes wait to be read at the other side, and
  /// while what was written to the peer before is on its way.
  ///
  /// Calls that overlap are done one after the other.
  /// - Throws: ``SessionError`` with the code `cancelled`: nothing of it was written, or a part, and then the stream is
  ///   reset; `invalid-argument` after ``finish()``; or the error that the reader of a stream that has broken gets.
  public func write(_ bytes: [UInt8]) async throws(SessionError) { try await session.write(bytes, to: key) }

  /// Says that this side writes nothing more, behind what it has written; the other direction goes on.
  ///
  /// - Throws: ``SessionError`` with the code `cancelled`, or that of a stream that has broken.
  public func finish() async throws(SessionError) { try await session.write([], isEnd: true, to: key) }

  /// Ends both directions at once: what waits to be read on either side of this end is dropped, calls that wait fail here, and
  /// the other side gets the reason behind the bytes that it has.
  ///
  /// A no-op when the stream is over.
  public func reset(_ reason: RemoteError = RemoteError("reset")) {
    let key = key
    session.onLoop { $0.reset(key, reason) }
  }

  /// The next bytes, at least one; nil after the other side's ``finish()``.
  ///
  /// - Throws: ``SessionError``, as the sequence does; after `cancelled` the stream goes on.
  public func read() async throws(SessionError) -> [UInt8]? { try await session.read(key) }

  /// Accepts it for the app; false when it is over already.
  func accept() async -> Bool { await session.accept(key) }

  /// Reads the bytes.
  public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

  /// Reads bytes chunk by chunk.
  public struct Iterator: AsyncIteratorProtocol {
    let stream: PeerStream

    /// The next bytes; nil after the other side's ``PeerStream/finish()``.
    public mutating func next() async throws(SessionError) -> [UInt8]? { try await stream.read() }

    /// The next bytes; nil after the other side's ``PeerStream/finish()``.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(SessionError) -> [UInt8]? {
      try await stream.read()
    }
  }
}
