import PeerTransport

/// A way to make connections between peers, which a session uses instead of TCP.
///
/// A connection carries bytes, in order and both ways; the session runs TLS on it, so it need be neither secret nor proven. Each
/// session has a transport of its own, made by ``SessionTransport/custom(_:)``. Peers name each other by addresses of an IP address
/// and a port, which a transport may make up: they travel in the records of members, and each is that of one peer.
public protocol Transport: AnyObject, Sendable {
  /// Begins to take connections; `accept` is called from any thread with each, and with the address of the other side.
  ///
  /// - Parameters:
  ///   - address: ``Session/Configuration/listen``; port 0 asks for any.
  ///   - accept: Receives each connection, which is open.
  /// - Returns: The address that leads here, with an address of IPv4 or IPv6.
  /// - Throws: Any error, with which the session's start fails.
  func listen(
    at address: PeerAddress, _ accept: @escaping @Sendable (any TransportConnection, _ remote: PeerAddress) -> Void
  ) throws -> PeerAddress

  /// Takes no connections any more; those that are open stay.
  func stopListening()

  /// Begins to connect to a peer; ``TransportEvent/opened`` or ``TransportEvent/failed(_:)`` follows within 5 s, or the session gives
  /// the connection up.
  ///
  /// - Throws: Any error, for what cannot even be tried.
  func connect(to address: PeerAddress) throws -> any TransportConnection
}

/// One end of a connection.
///
/// Its methods are called from one thread and must not block. It begins with ``open(_:)``.
public protocol TransportConnection: AnyObject, Sendable {
  /// Begins to tell what happens; `handler` may be called from any thread, for one event at a time.
  ///
  /// Events from before this call are told first.
  func open(_ handler: @escaping @Sendable (TransportEvent) -> Void)

  /// Sends bytes; ``TransportEvent/sent(_:)`` follows when they have left, until when the session hands over no more than 256 KiB.
  func send(_ bytes: [UInt8])

  /// Lets ``TransportEvent/received(_:)`` come, as at first, or not, while the session does not read.
  ///
  /// A connection that goes on and on is ended.
  func setReceiving(_ isReceiving: Bool)

  /// Ends the connection; what was sent still arrives if it can. Nothing is told afterwards.
  func close()
}

/// An event of a connection.
@nonexhaustive
public enum TransportEvent: Sendable {
  /// The connection that this side began is open.
  case opened
  /// Bytes have come.
  case received([UInt8])
  /// So many of the bytes have left that were handed over and had not.
  case sent(Int)
  /// The other side has ended the connection.
  case closed
  /// The connection is broken, or could not be made.
  case failed(any Error)
}

/// The kind of connections that a session makes.
public struct SessionTransport: Sendable {
  /// Makes the transport of one session; nil for TCP.
  let make: (@Sendable () throws -> any Transport)?
  /// The network in memory that also does discovery.
  let memory: MemoryNetwork?
  /// The loop that sessions share, which outlives them; nil where each has its own.
  let sharedLoop: EventLoop?

  private init(
    make: (@Sendable () throws -> any Transport)?, memory: MemoryNetwork? = nil, sharedLoop: EventLoop? = nil
  ) {
    (self.make, self.memory, self.sharedLoop) = (make, memory, sharedLoop)
  }

  /// The loop of a new session.
  func makeLoop() throws(TransportFailure) -> EventLoop {
    if let sharedLoop { return sharedLoop }
    return try EventLoop(clock: memory?.clock ?? .machine)
  }

  /// TCP over IPv4 and IPv6.
  public static let tcp = SessionTransport(make: nil)

  /// Connections and discovery in this process alone, for an app's own tests.
  public static func inMemory(_ network: MemoryNetwork) -> SessionTransport {
    SessionTransport(make: { MemoryTransport(network) }, memory: network)
  }

  /// An app's own, which `make` makes once for each session.
  ///
  /// Discovery works as it does for TCP, or is switched off.
  public static func custom(_ make: @escaping @Sendable () throws -> any Transport) -> SessionTransport {
    SessionTransport(make: make)
  }

  /// Connections of sessions that share a loop, which outlives them.
  static func sharing(
    _ loop: EventLoop, _ make: @escaping @Sendable () throws -> any Transport
  ) -> SessionTransport {
    SessionTransport(make: make, sharedLoop: loop)
  }
}
