import AnchorReplication
import Basics
import PeerProtocol
import TestSupport
import Testing
import WorldModel

@testable import PeerTransport

/// What a member costs the others that asks again and again for what is dear.
@Suite("Attack: a member that costs much", .endsHangs)
struct MemberCostTests {
  /// A vector of a few bytes that asks for the whole of the other side's.
  private static var question: [UInt8] {
    var message = ByteWriter()
    message.write(UInt8(1))
    message.write(SHA256Digest(hashing: []))
    VersionVector().encode(into: &message)
    var parts = SnapshotChunks(message.bytes)
    var frame = ByteWriter()
    frame.writeFrame(.vector) { _ = parts.next(limit: ProtocolLimits.statePart, into: &$0) }
    return frame.bytes
  }

  /// A clock of which every look takes a millisecond more.
  ///
  /// Each arrival costs two at least, on every machine. The time that passes counts too, so that a rest ends and the link does not
  /// end for silence; the processor's does not, which on a busy machine is others' as well.
  private final class SlowClock {
    private var looks: UInt64 = 0

    var clocks: WorkClocks { WorkClocks(time: { MonotonicClock.now + self.look() }, processorTime: look) }

    private func look() -> UInt64 {
      looks += 1
      return looks * 1_000_000
    }

    /// Lets the test look without a cost.
    func standingStill<Answer>(_ ask: () -> Answer) -> Answer {
      let before = looks
      defer { looks = before }
      return ask()
    }
  }

  @Test(.thorough)
  func `a member that asks a dear question in a loop is not read, and the anchors of another one arrive`()
    async throws
  {
    let (victim, honest, liar) = (try DrivenPeer("victim"), try DrivenPeer("honest"), try DrivenPeer("liar"))
    // The victim's loop alone looks at it.
    nonisolated(unsafe) let clock = SlowClock()
    let address = try await victim.start { driver in
      driver.intake.meter = WorkMeter(clock.clocks)
      // A member has some hundreds of arrivals, and earns fewer than a flood makes on the busiest machine; a rest is short.
      driver.intake.limits = WorkBudget.Limits(burst: 1_000_000_000, debt: 10_000_000, share: 100)
    }
    for peer in [honest, liar] {
      _ = try await peer.start()
      await peer.join(victim, at: address)
    }
    let link = await victim.use { driver in
      driver.transport.links.values.first { $0.channel.peer == liar.id }?.id
    }
    let attacked = try #require(link ?? nil)
    func isOverdrawn() async -> Bool {
      await victim.use { driver in clock.standingStill { driver.intake.isOverdrawn(attacked) } } == true
    }

    // More than the budget, as long as the sockets take it; frames are sent whole, between those of the liar's own node.
    let questions = Array(repeatElement(Self.question, count: 100).joined())
    let asking = Task {
      while !Task.isCancelled {
        await liar.use { driver in
          for (id, link) in driver.transport.links where link.channel.peer == victim.id && link.queuedBytes < 16_384 {
            _ = driver.transport.send(id, questions.span.bytes)
          }
        }
        await Task.yield()
      }
    }
    // Anchors arrive before and after the liar is stopped. They are few: the honest member has a budget too.
    for count in 1...40 {
      // The node says nothing of it, so there is nothing else to wait for.
      while count == 20, await !isOverdrawn() {
        try Task.checkCancellation()
        await Task.yield()
      }
      await honest.use { driver in
        _ = driver.handle(.edit(.place(Anchor(name: "\(count)", transform: .identity))))
      }
      await victim.wait { $0.read { node, _ in node.anchors.count } == count }
    }
    // It may rest for a moment, as everybody does who sends much at once; the liar asks all the while.
    while await victim.use({ driver in
      clock.standingStill {
        driver.transport.links.values.allSatisfy { $0.id == attacked || !driver.intake.isOverdrawn($0.id) }
      }
    }) != true {
      try Task.checkCancellation()
      await Task.yield()
    }
    asking.cancel()
    for peer in [honest, liar, victim] { await peer.stop() }
  }

  @Test func `a connection from outside is on the terms of strangers until its peer is a member`() async throws {
    let (victim, honest, stranger) = (try DrivenPeer("victim"), try DrivenPeer("honest"), try TestPeer())
    let address = try await victim.start { $0.intake.limits.burst = 1 << 60 }
    _ = try await honest.start()
    await honest.join(victim, at: address)
    _ = try await stranger.start()
    let (member, other) = (honest.id, stranger.identity.peerID)
    var (overdrawn, dials): (Set<PeerID>?, UInt64) = (nil, 0)
    while overdrawn == nil {
      // On a busy machine a handshake may take all the time that strangers have: then there is another one.
      if await stranger.endedCount >= dials {
        dials += 1
        let (dial, known) = (DialID(rawValue: dials), await stranger.events.count)
        try await stranger.use { $0.connect(dial, to: address) }
        // Before that a look at the victim would only take the processor from the handshake.
        try await stranger.wait { $0.events.count > known }
      }
      overdrawn =
        await victim.use { driver -> Set<PeerID>? in
          // Until a link is open its handshake has the channel, on another thread.
          let links = driver.transport.links.values.filter {
            $0.phase == .open && ($0.channel.peer == member || $0.channel.peer == other)
          }
          guard links.count == 2 else { return nil }
          // Each look at the time takes longer than strangers may cost at once.
          var time = MonotonicClock.now
          let look = {
            time += 2 * WorkBudget.Limits.strangers.burst.magnitude
            return time
          }
          driver.intake.meter = WorkMeter(WorkClocks(time: look, processorTime: { time }))
          // The member first: while time passes the debt of the stranger is paid.
          for link in links.sorted(by: { $0.channel.peer == member && $1.channel.peer != member }) {
            driver.linkReceived(link.id, [UInt8(0)].span.bytes)
          }
          let now = time
          driver.intake.meter = WorkMeter(WorkClocks(time: { now }, processorTime: { now }))
          return Set(links.filter { driver.intake.isOverdrawn($0.id) }.compactMap(\.channel.peer))
        } ?? nil
    }
    #expect(overdrawn == [other])
    for peer in [honest, victim] { await peer.stop() }
    await stranger.stop()
  }
}

extension TestPeer {
  /// How many of its dials have failed, or have led to links that are closed.
  fileprivate var endedCount: Int {
    events.count { event in
      switch event {
      case .closed, .dialFailed: true
      case .opened, .stranger, .paused, .resumed: false
      }
    }
  }
}
