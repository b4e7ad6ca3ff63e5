import Basics
import PeerTransport

/// The way into a session for other ones of its process, which are members through it: a person or a device each that has no
/// network of its own, as a page of a browser.
///
/// A companion connects to this session alone, in memory. It has no address, so no other member dials it, and what it says to them
/// passes on through this session: of 30 companions each has one link. It takes no map and no attachments, which this session
/// has, and never hosts.
///
/// The companions of a door run on its loop: what reaches all of them, as each heartbeat of the host does, wakes one thread and not
/// 30. One that computes for long holds up the others, and not the session.
package final class CompanionDoor: Sendable {
  private let session: Session
  private let network: MemoryNetwork
  private let address: PeerAddress

  /// The door of a session.
  ///
  /// - Throws: ``SessionError`` with the code `io` when the system has no thread or descriptor left.
  package init(of session: Session) throws(SessionError) {
    self.session = session
    network = try .lasting()
    let port = network.core.makePort()
    address = MemoryNetworkCore.address(of: port)
    network.core.run { core in
      core.listen(port) { [weak session] connection, remote in
        guard let session else { return connection.close() }
        session.take(connection, from: remote)
      }
    }
  }

  /// The configuration of a companion.
  package var configuration: Session.Configuration {
    let own = session.configuration
    var configuration = Session.Configuration(service: own.service)
    configuration.discovery.mode = .none
    configuration.transport = .sharing(network.core.loop) { [network, address] in
      CompanionTransport(network, to: address)
    }
    configuration.coder = own.coder
    configuration.authentication.passcode = own.authentication.passcode
    configuration.authentication.authenticator = own.authentication.authenticator
    // The session itself says whether the codes are the same.
    configuration.authentication.codeHandler = { _ in true }
    (configuration.hosting.priority, configuration.hosting.canHost) = (0, false)
    (configuration.limits.mapMemory, configuration.limits.attachments) = (0, 0)
    configuration.endsOnSignals = false
    return configuration
  }

  /// Makes a session with that configuration a member, as this one is.
  ///
  /// - Throws: ``SessionError`` as an invitation does.
  package func enter(_ companion: Session) async throws(SessionError) {
    await session.expect(companion: companion.localPeer.id)
    _ = try await companion.peers.invite(.address(address), expecting: session.localPeer.id)
  }
}

/// One companion's connection to its session; it takes none.
private final class CompanionTransport: Transport {
  private let network: MemoryNetwork
  private let door: PeerAddress
  private let port: UInt16

  init(_ network: MemoryNetwork, to door: PeerAddress) {
    (self.network, self.door) = (network, door)
    port = network.core.makePort()
  }

  /// An address that nobody may dial.
  func listen(
    at address: PeerAddress, _ accept: @escaping @Sendable (any TransportConnection, _ remote: PeerAddress) -> Void
  ) throws -> PeerAddress { PeerAddress(host: "127.0.0.1", port: 0) }

  func stopListening() {}

  func connect(to address: PeerAddress) throws -> any TransportConnection {
    // Every other member is reached through the session.
    guard address == door else { throw TransportFailure.medium("a companion has one link") }
    let connection = MemoryConnection(network.core, from: port, isBeginner: true)
    network.core.run { [door] in $0.connect(connection, to: door.port) }
    return connection
  }
}
