import Foundation
import PeerTransport
import Synchronization
import TestSupport
import Testing

@testable import SharedWorld

@Suite("Reads without waiting", .endsHangs)
struct SnapshotTests {
  private static func alone(_ body: @Sendable (Session) async throws -> Void) async throws {
    try await Session.withSession(
      as: TestSessions.identity("alice"), configuration: TestSessions.configuration(), body)
  }

  /// What a thread saw that read all the time.
  private struct Sight: Sendable {
    var faults: [String] = []
    var revisions = 0
    var last: Session.Snapshot?
  }

  /// The digest of the last turn, once that is known.
  private final class Goal: Sendable {
    private let digest = Mutex<SHA256Digest?>(nil)

    func set(_ digest: SHA256Digest) { self.digest.withLock { $0 = digest } }
    func isReached(by snapshot: Session.Snapshot) -> Bool { digest.withLock { $0 == snapshot.digest } }
  }

  /// Reads until a snapshot reaches the goal, and checks what must hold of each.
  private static func watch(_ session: Session, _ pair: (AnchorID, AnchorID), until goal: Goal) -> Sight {
    var sight = Sight()
    var places: [SHA256Digest: Float] = [:]
    while sight.faults.isEmpty, sight.last.map(goal.isReached) != true {
      let snapshot = session.snapshot
      if let last = sight.last, last.revision == snapshot.revision {
        if last !== snapshot { sight.faults.append("two snapshots have the revision \(last.revision)") }
        continue
      }
      if let last = sight.last, last.revision > snapshot.revision {
        sight.faults.append("\(snapshot.revision) came after \(last.revision)")
      }
      let found = [pair.0, pair.1].compactMap { id in
        snapshot.anchors.first { $0.id == id }?.transform.translation.x
      }
      if found.count == 2 {
        if found[0] != found[1] { sight.faults.append("half a turn: \(found)") }
        if let place = places[snapshot.digest], place != found[0] { sight.faults.append("one digest of two states") }
        places[snapshot.digest] = found[0]
      } else if snapshot.revision > 0 {
        sight.faults.append("\(found.count) anchors in revision \(snapshot.revision)")
      }
      if snapshot.state.anchorCount != snapshot.anchors.count { sight.faults.append("another count of anchors") }
      sight.revisions += 1
      sight.last = snapshot
    }
    return sight
  }

  @Test("a thread that reads all the time sees whole turns only, in order, and the last one at the end")
  func wholeTurns() async throws {
    try await Self.alone { session in
      let pair = (AnchorID(), AnchorID())
      try await session.world.place([
        Anchor(id: pair.0, name: "a", transform: .identity), Anchor(id: pair.1, name: "a", transform: .identity),
      ])
      let (sights, seen) = AsyncStream.makeStream(of: Sight.self)
      let goal = Goal()
      let reader = Thread { seen.yield(Self.watch(session, pair, until: goal)) }
      reader.start()
      for number in 1...(Tier.isCheck ? 3_000 : 300) {
        let place = Transform(translation: [Float(number), 0, 0])
        try await session.world.move([(id: pair.0, transform: place), (id: pair.1, transform: place)])
      }
      goal.set(await session.world.digest)
      var iterator = sights.makeAsyncIterator()
      let sight = try #require(await iterator.next())
      #expect(sight.faults.isEmpty)
      #expect(sight.revisions > 1)
      #expect(sight.last?.anchors == (await session.world.anchors))
    }
  }

  @Test("nothing is made before the first read, which shows all")
  func lazy() async throws {
    try await Self.alone { session in
      for number in 0..<100 { try await session.place(Anchor(name: "\(number)", transform: .identity)) }
      // Becoming its own host would make another snapshot.
      try await until { await session.state.host != nil }
      #expect(!session.board.isWanted)
      let first = session.snapshot
      #expect(first.revision == 1 && first.anchors.count == 100)
      let snapshot = await session.makeSnapshot()
      #expect(snapshot.anchors.count == 100 && snapshot.revision <= 2)
      #expect(snapshot.digest == (await session.world.digest) && snapshot === session.snapshot)
    }
  }

  @Test("it shows the last turn at every read, whether the one before was read, and on the session's own thread")
  func fresh() async throws {
    try await Self.alone { session in
      let before = session.snapshot
      for number in 1...50 {
        try await session.place(Anchor(name: "a", transform: .identity))
        if number % 3 != 0 { #expect(session.snapshot.anchors.count == number) }
      }
      try await session.place(Anchor(name: "a", transform: .identity))
      try await session.place(Anchor(name: "a", transform: .identity))
      let (counts, counter) = AsyncStream.makeStream(of: Int.self)
      session.loop.execute { counter.yield(session.snapshot.anchors.count) }
      var iterator = counts.makeAsyncIterator()
      #expect(await iterator.next() == 52)
      #expect(before.anchors.isEmpty)
    }
  }

  @Test("where nobody reads any more, turns cost no snapshot until somebody does")
  func abandoned() async throws {
    try await Self.alone { session in
      let first = await session.makeSnapshot()
      for _ in 0..<200 { try await session.place(Anchor(name: "a", transform: .identity)) }
      let revision = await session.revision
      // One for the first turn, and one for each pause of the time that the rest took.
      #expect(revision < first.revision + 200)
    }
  }

  @Test("it has peers, host, devices and drags as the others have them")
  func others() async throws {
    try await TestSessions.joined { alice, bob in
      let lamp = try await alice.place(Anchor(name: "lamp", transform: .identity), acknowledgement: .everyPresentMember)
      var events = alice.events.makeAsyncIterator()
      try await bob.world.updatePose(Transform(translation: [0, 1, 0]))
      let drag = try await bob.world.beginDrag(lamp)
      try await drag.update(to: Transform(translation: [3, 0, 0]))
      var (isMoved, isDragged) = (false, false)
      while !isMoved || !isDragged, let event = await events.next() {
        if case .participantMoved = event { isMoved = true }
        if case .anchorDragged = event { isDragged = true }
      }
      var snapshot = await alice.makeSnapshot()
      // Again and again, since a drag of which nothing is heard for a second is over.
      try await until {
        try await drag.update(to: Transform(translation: [3, 0, 0]))
        snapshot = await alice.makeSnapshot()
        return snapshot.drags.map(\.transform.translation) == [[3, 0, 0]]
      }
      #expect(snapshot.participants.map(\.peer) == [bob.localPeer])
      #expect(snapshot.drags.map(\.transform.translation) == [[3, 0, 0]])
      #expect(snapshot.state.peers.map(\.peer) == [bob.localPeer])
      #expect(snapshot.state.host == (await alice.state.host))
    }
  }

  @Test("after the end it is what it was last, and says so")
  func ended() async throws {
    let identity = try TestSessions.identity("alice")
    for isAsked in [true, false] {
      let handle = try await Session.start(as: identity, configuration: TestSessions.configuration())
      if isAsked { _ = handle.session.snapshot }
      let lamp = try await handle.session.place(Anchor(name: "lamp", transform: .identity))
      await handle.stop()
      let last = handle.session.snapshot
      #expect(last.hasEnded && last.anchors.map(\.id) == [lamp])
      #expect(await handle.session.makeSnapshot() === last)
    }
  }
}

extension Session {
  /// The number of its latest snapshot.
  fileprivate var revision: UInt64 { worldDesk.snapshots.revision }
}
