import SharedWorld
import PeerCLI

extension Program {
  static let waitTimedOut = "wait-timed-out"
  /// How often a condition is looked at: digests change without an event of their own.
  private static let interval = Duration.milliseconds(20)

  func wait(for condition: Command.Condition, seconds: Double) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while true {
      let (holds, now) = await check(condition)
      if holds { return }
      guard ContinuousClock.now < deadline else {
        throw ProgramFailure(Self.waitTimedOut, "after \(seconds) s: \(now)")
      }
      try await Task.sleep(for: Self.interval)
    }
  }

  /// Whether a condition holds, and what is there instead.
  private func check(_ condition: Command.Condition) async -> (holds: Bool, now: String) {
    switch condition {
    case .peers(let count):
      let peers = await session.state().connectedPeers
      return (count.holds(for: peers), "\(peers) peers are connected")
    case .host: return (await session.state().host != nil, "there is no host")
    case .map: return (await session.state().mapID != nil, "there is no map")
    case .anchors(let count):
      let anchors = await session.state().anchorCount
      return (count.holds(for: anchors), "there are \(anchors) anchors")
    case .anchor(let name):
      return (await session.anchors().contains { $0.name == name }, "there is no anchor '\(name)'")
    case .digest(let digits):
      let digest = await session.digest().description
      return (digest.hasPrefix(digits), "the digest is \(digest)")
    }
  }
}

extension Session.State {
  /// How many peers can be reached.
  var connectedPeers: Int { peers.count { $0.state == .connected } }
}
