import AnchorReplication
import Basics
import PeerProtocol
import WorldModel

@testable import PeerTransport

/// A node on a loop of its own that accepts every invitation and lets a test wait for what it has.
actor DrivenPeer {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let identity: TLSIdentity
  private let name: String
  private var driver: NodeDriver?
  private var waiters: [(isDone: (NodeDriver) -> Bool, done: CheckedContinuation<Void, Never>)] = []

  init(_ name: String) throws {
    loop = try EventLoop(name: name)
    identity = try TLSIdentity()
    self.name = name
  }

  nonisolated var id: PeerID { identity.peerID }

  /// Begins to listen and returns where; `prepare` has the driver before anybody is linked.
  func start(_ prepare: (NodeDriver) -> Void = { _ in }) throws -> SocketAddress {
    let configuration = NodeConfiguration(peerID: id, incarnation: 1, name: name, service: "swtest", seed: 1)
    let driver = try NodeDriver(loop: loop, identity: identity, configuration: configuration)
    driver.onEvents = { [unowned self] events in self.assumeIsolated { $0.take(events) } }
    self.driver = driver
    prepare(driver)
    return .loopback(port: try driver.listen(on: .loopback(port: 0)))
  }

  /// Runs `body` with the driver, on the loop.
  func use<R: Sendable>(_ body: (NodeDriver) -> R) -> R? { driver.map(body) }

  /// Waits until `isDone` holds after some event of the node.
  func wait(until isDone: @escaping @Sendable (NodeDriver) -> Bool) async {
    if let driver, isDone(driver) { return }
    await withCheckedContinuation { waiters.append((isDone, $0)) }
  }

  /// Invites the peer there, and waits until each is a member for the other: until then it takes few frames.
  func join(_ peer: DrivenPeer, at address: SocketAddress) async {
    driver?.handle(
      .invite(InvitationID(rawValue: 1), [address], context: [], timeout: .seconds(60)))
    let id = peer.id
    await wait { $0.read { node, _ in node.isMember(id) } }
    let own = self.id
    await peer.wait { $0.read { node, _ in node.isMember(own) } }
  }

  func stop() async {
    guard let driver else { return }
    self.driver = nil
    await withCheckedContinuation { done in driver.shutDown { done.resume() } }
    loop.stop()
  }

  private func take(_ events: [NodeEvent]) {
    for event in events {
      if case .invitationReceived(let id, _, _, _) = event { driver?.handle(.answer(id, .accept)) }
    }
    guard let driver else { return }
    for waiter in exchange(&waiters, with: []) {
      if waiter.isDone(driver) { waiter.done.resume() } else { waiters.append(waiter) }
    }
  }
}
