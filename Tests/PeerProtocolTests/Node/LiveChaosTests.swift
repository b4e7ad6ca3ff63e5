import AnchorReplication
import PeerProtocol
import Simulator
import Testing
import WorldModel

/// Drags, poses, wishes and waits of all nodes while links break and processes die.
@Suite("Drags, ownership and acknowledgements under faults")
struct LiveChaosTests {
  /// What the apps have begun.
  private struct Apps {
    var random: SeededRandom
    var drags: [Int: DragID] = [:]
    /// The numbers of wishes and waits, by node, that have to end.
    var open: [Int: Set<UInt64>] = [:]
    var next: UInt64 = 1

    /// Lets one app do one thing.
    mutating func act(on lamp: AnchorID, in session: inout TestSession) throws {
      let index = random.below(session.simulation.count)
      guard session.simulation.node(index) != nil else { return }
      next += 1
      let (number, choice, x) = (next, random.below(7), Float(next))
      let drag = drags[index]
      var begun: DragID?
      try session.perform(index) { node, now in
        switch choice {
        case 0: begun = try? node.beginDrag(lamp, at: now)
        case 1: if let drag { try? node.drag(drag, to: .at(x), at: now) }
        case 2: if let drag { try? node.endDrag(drag, at: now) }
        case 3: try node.updatePose(.at(x), at: now)
        case 4:
          let id = OwnershipRequestID(rawValue: number)
          node.wish(id, .own(lease: nil), of: lamp, timeout: .seconds(3), at: now)
        case 5:
          let id = AcknowledgementID(rawValue: number)
          node.awaitAcknowledgement(id, .host, timeout: .seconds(3), at: now)
        default:
          _ = try? node.edit(at: now) { set, time throws(AnchorError) in try set.move(lamp, to: .at(-x), at: time) }
          let id = AcknowledgementID(rawValue: number)
          node.awaitAcknowledgement(id, .everyPresentMember, timeout: .seconds(3), at: now)
        }
      }
      if let begun { drags[index] = begun }
      if choice >= 4 { open[index, default: []].insert(number) }
    }
  }

  private func fault(_ random: inout SeededRandom, in session: inout TestSession) -> Int? {
    let count = session.simulation.count
    let (one, other) = (random.below(count), random.below(count))
    switch random.below(6) {
    case 0 where one != other: session.apply(.cut(one, other))
    case 1 where one != other: session.apply(.mend(one, other))
    case 2 where one != other: session.apply(.reset(one, other))
    case 3:
      session.apply(.crash(one, silently: random.below(2) == 0))
      return one
    default: session.apply(.start(one))
    }
    return nil
  }

  @Test("every wish and wait ends, every drag is over, and all hold the same", arguments: 1...10)
  func comesToRest(_ seed: Int) throws {
    var session = try TestSession(4)
    let lamp = try session.place(0)
    session.forgetEvents()
    var apps = Apps(random: SeededRandom(seed: UInt64(seed)))
    var random = SeededRandom(seed: UInt64(seed) + 1000)
    for _ in 0..<150 {
      try apps.act(on: lamp, in: &session)
      if random.below(10) == 0, let dead = fault(&random, in: &session) {
        apps.open[dead] = nil
        apps.drags[dead] = nil
      }
      session.run(.milliseconds(Int64(random.below(200))))
    }
    session.apply(.heal)
    for index in 0..<4 { session.apply(.start(index)) }
    for (index, drag) in apps.drags.sorted(by: { $0.key < $1.key }) {
      try session.perform(index) { node, now in try? node.endDrag(drag, at: now) }
    }
    session.run(.seconds(60))
    let digest = try session.digest(0)
    for index in 0..<4 {
      #expect(try session.digest(index) == digest)
      #expect(settled(index, in: session).isSuperset(of: apps.open[index] ?? []))
      let node = try session.node(index)
      #expect(node.livePoses.allSatisfy { $0.subject == .participant })
      #expect(node.deadline.map { $0 > session.simulation.localTime(index) } ?? false)
    }
  }

  /// The numbers of wishes and waits whose end a node's app was told.
  private func settled(_ index: Int, in session: TestSession) -> Set<UInt64> {
    Set(
      session.simulation.monitor.events[index].compactMap { event in
        switch event {
        case .acknowledged(let id, _): id.rawValue
        case .ownershipSettled(let id, _): id.rawValue
        default: nil
        }
      })
  }
}
