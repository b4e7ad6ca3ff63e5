import SharedWorld
import TestSupport
import Testing

@Suite("The events of the parts of a session", .endsHangs)
struct PartEventTests {
  @Test("the events of a handle are those that are about it, in order, and end with the session")
  func ofMessages() async throws {
    try await TestSessions.joined { alice, bob in
      var (messages, all) = (bob.messages.events.makeAsyncIterator(), bob.events.makeAsyncIterator())
      try await alice.send([1])
      let lamp = try await alice.place(Anchor(name: "lamp"), acknowledgement: .everyPresentMember)
      try await alice.send([2])
      var read: [[UInt8]] = []
      while read.count < 2, case .message(let bytes, from: alice.localPeer)? = await messages.next() {
        read.append(bytes)
      }
      #expect(read == [[1], [2]])
      let added = try await all.first { if case .anchorAdded(let anchor, _) = $0 { anchor.id } else { nil } }
      #expect(added == lamp)
      await bob.leave()
      #expect(await messages.next() == nil)
    }
  }
}
