/// One session's place on a network in memory.
final class MemoryTransport: Transport {
  private let network: MemoryNetwork
  private let port: UInt16

  init(_ network: MemoryNetwork) {
    self.network = network
    port = network.core.makePort()
  }

  func listen(
    at address: PeerAddress, _ accept: @escaping @Sendable (any TransportConnection, _ remote: PeerAddress) -> Void
  ) throws -> PeerAddress {
    network.core.run { [port] in $0.listen(port, accept) }
    return MemoryNetworkCore.address(of: port)
  }

  func stopListening() { network.core.run { [port] in $0.stopListening(port) } }

  func connect(to address: PeerAddress) throws -> any TransportConnection {
    let connection = MemoryConnection(network.core, from: port, isBeginner: true)
    network.core.run { $0.connect(connection, to: address.port) }
    return connection
  }
}

/// One end of a connection in memory; its state is that of the network's loop, hence the unchecked conformance.
final class MemoryConnection: TransportConnection, @unchecked Sendable {
  /// The port of this end's peer.
  let port: UInt16
  /// Whether this end has begun the connection.
  let isBeginner: Bool
  private let core: MemoryNetworkCore
  /// Whether it ends by one of its ends alone.
  var isLasting: Bool { core.isLasting }

  // Of the network's loop alone.
  /// The other end; nil once this one has ended.
  var other: MemoryConnection?
  private(set) var isReceiving = true
  /// How long what this end receives is on its way; nil before the connection began.
  var delays: MemoryDelays?
  private var handler: (@Sendable (TransportEvent) -> Void)?
  /// Events from before ``open(_:)``.
  private var early: [TransportEvent] = []
  private var hasEnded = false

  init(_ core: MemoryNetworkCore, from port: UInt16, isBeginner: Bool = false) {
    (self.core, self.port, self.isBeginner) = (core, port, isBeginner)
  }

  func open(_ handler: @escaping @Sendable (TransportEvent) -> Void) {
    core.run { _ in
      self.handler = handler
      for event in exchange(&self.early, with: []) { handler(event) }
    }
  }

  func send(_ bytes: [UInt8]) {
    core.run { core in
      if let other = self.other { core.send(.received(bytes), to: other) }
    }
  }

  func setReceiving(_ isReceiving: Bool) {
    core.run { core in
      self.isReceiving = isReceiving
      core.deliver()
    }
  }

  func close() {
    core.run { core in
      if !self.hasEnded { core.close(self) }
    }
  }

  /// Tells the session an event; on the network's loop.
  func tell(_ event: TransportEvent) {
    guard !hasEnded else { return }
    handler.map { $0(event) } ?? early.append(event)
  }

  /// Tells nothing any more, and returns the other end; on the network's loop.
  @discardableResult
  func end() -> MemoryConnection? {
    (hasEnded, handler, early) = (true, nil, [])
    return other.take()
  }
}
