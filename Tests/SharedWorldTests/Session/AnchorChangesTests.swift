import TestSupport
import Testing

@testable import SharedWorld

@Suite("Changes of anchors for one reader", .endsHangs)
struct AnchorChangesTests {
  /// Reads until `count` changes have come.
  private func read(_ count: Int, from changes: inout AnchorChanges.Iterator) async -> [AnchorChange] {
    var seen: [AnchorChange] = []
    while seen.count < count, let element = await changes.next() {
      if case .change(let change) = element { seen.append(change) }
    }
    return seen
  }

  @Test("a late reader begins with what is there, and then sees each change once, with author and origin")
  func eachOnce() async throws {
    try await TestSessions.joined { alice, bob in
      let lamp = try await alice.place(Anchor(name: "lamp"), acknowledgement: .everyPresentMember)
      var changes = bob.world.changes().makeAsyncIterator()
      #expect(await read(1, from: &changes).map(\.kind) == [.present])
      #expect(await changes.next() == .current)
      try await alice.move(lamp, to: Transform(translation: [1, 0, 0]), acknowledgement: .everyPresentMember)
      try await bob.world.rename(lamp, to: "desk lamp")
      try await bob.remove(lamp)
      let seen = await read(3, from: &changes)
      #expect(seen.map(\.kind) == [.updated, .updated, .removed])
      #expect(seen.map(\.author) == [alice.localPeer, bob.localPeer, bob.localPeer])
      #expect(seen.map(\.origin) == [.remote, .local, .local])
      #expect(seen.map(\.sessionTime) == seen.map(\.sessionTime).sorted())
      #expect(seen.last?.anchor.name == "desk lamp")
    }
  }

  @Test("behind a filter an anchor comes and goes as it meets the conditions")
  func filtered() async throws {
    try await TestSessions.two { alice, _ in
      let near = AnchorFilter(namePrefix: "l", region: .init(center: .zero, radius: 2))
      var changes = alice.world.changes(matching: near).makeAsyncIterator()
      #expect(await changes.next() == .current)
      let lamp = try await alice.place(Anchor(name: "lamp", transform: Transform(translation: [1, 0, 0])))
      try await alice.place(Anchor(name: "table"))
      try await alice.move(lamp, to: Transform(translation: [0, 1, 0]))
      try await alice.move(lamp, to: Transform(translation: [0, 3, 0]))
      try await alice.move(lamp, to: Transform(translation: [0, 4, 0]))
      try await alice.move(lamp, to: .identity)
      try await alice.world.rename(lamp, to: "torch")
      let kinds = await read(5, from: &changes).map(\.kind)
      #expect(kinds == [.added, .updated, .removed, .added, .removed])
    }
  }

  @Test("behind a filter for an owner an anchor comes and goes as it changes hands")
  func owned() async throws {
    try await TestSessions.two { alice, _ in
      let lamp = try await alice.place(Anchor(name: "lamp"))
      var changes = alice.world.changes(matching: AnchorFilter(owner: alice.localPeer.id)).makeAsyncIterator()
      #expect(await changes.next() == .current)
      _ = try await alice.world.requestOwnership(of: lamp)
      try await alice.move(lamp, to: Transform(translation: [1, 0, 0]))
      try await alice.world.releaseOwnership(of: lamp)
      let seen = await read(3, from: &changes)
      #expect(seen.map(\.kind) == [.added, .updated, .removed])
      #expect(seen.map(\.owner) == [alice.localPeer, alice.localPeer, nil])
    }
  }

  @Test("a reader that falls too far behind begins anew with what is there")
  func overrun() async throws {
    try await TestSessions.two { alice, _ in
      var changes = alice.world.changes().makeAsyncIterator()
      #expect(await changes.next() == .current)
      // Each comes and is moved, which is two changes, however often: half as many again as the limit allows.
      let anchors = (0..<Session.Events.capacity * 3 / 4).map { Anchor(name: "\($0)") }
      try await alice.world.place(anchors)
      for round in 1...2 {
        let there = Transform(translation: [Float(round), 0, 0])
        try await alice.world.move(anchors.map { (id: $0.id, transform: there) })
      }
      #expect(await changes.next() == .restarted)
      let seen = await read(anchors.count, from: &changes)
      #expect(seen.allSatisfy { $0.kind == .present && $0.anchor.transform.translation == [2, 0, 0] })
      #expect(await changes.next() == .current)
    }
  }

  @Test("a reader that waits while more comes than it may hold is told at once to begin anew")
  func overrunWhileWaiting() async {
    let mailbox = ChangeMailbox(filter: .all) { Peer(id: $0, name: "") }
    mailbox.begin([], isRestart: false)
    #expect(await mailbox.take() == [.current])
    async let waiting = mailbox.take()
    let change = AnchorChange(present: Anchor(name: "lamp"), owner: nil, at: SessionTime(milliseconds: 0))
    mailbox.put(Array(repeating: change, count: Session.Events.capacity + 1))
    #expect(await waiting == [])
    mailbox.begin([], isRestart: true)
    #expect(await mailbox.take() == [.restarted, .current])
  }

  @Test("the end of the session ends the reading")
  func ended() async throws {
    try await TestSessions.two { alice, _ in
      var changes = alice.world.changes().makeAsyncIterator()
      #expect(await changes.next() == .current)
      await alice.leave()
      #expect(await changes.next() == nil)
      var late = alice.world.changes().makeAsyncIterator()
      #expect(await late.next() == .current)
      #expect(await late.next() == nil)
    }
  }
}
