public import WorldModel

extension Session.Streams {
  /// Opens a stream of bytes to a member, and waits until its app has accepted it.
  ///
  /// The peer accepts with ``Session/Streams/incoming(named:)``. Both sides may write and read then.
  /// - Parameters:
  ///   - name: 1 to ``PeerStream/nameLimit`` bytes of UTF-8 without control characters; several streams may have one name.
  ///   - peer: A member.
  ///   - timeout: How long the peer's app may take, the way there and back included.
  /// - Throws: ``SessionError`` with the code `unhandled` (nothing there accepts streams of this name), `request-timed-out`,
  ///   `limit-exceeded` (``PeerStream/limit`` streams to the peer have not ended), `stream-reset` (the peer's app let go of it),
  ///   `unknown-peer`, `not-connected` (the peer is gone), `invalid-argument`, `cancelled` or `ended`.
  public nonisolated(nonsending) func open(
    named name: String, to peer: PeerID, timeout: Duration = .seconds(10)
  ) async throws(SessionError) -> PeerStream {
    try await session.openStream(named: name, to: peer, timeout: timeout)
  }

  /// The streams that other peers open to this one under some names, from now on.
  ///
  ///     for await stream in session.streams.incoming(named: "log") { group.addTask { try await copy(stream) } }
  ///
  /// An opener learns at once that nothing here accepts streams of its name. To refuse a stream after a look at its name
  /// and peer, call ``PeerStream/reset(_:)``.
  /// - Parameter pattern: A name, where `*` between slashes stands for any one word and `**` at the end for any words.
  public func incoming(named pattern: String = "**") -> IncomingStreams {
    IncomingStreams(mailbox: session.hub.streams.subscribe(to: pattern))
  }
}
