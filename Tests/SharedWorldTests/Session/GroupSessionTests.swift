import TestSupport
import Testing

@testable import SharedWorld

@Suite("Groups of sessions", .endsHangs)
struct GroupSessionTests {
  @Test("messages and objects to a group reach those in it, and an empty group is no error")
  func delivered() async throws {
    try await TestSessions.joined { alice, bob in
      let bobID = bob.localPeer.id
      try await alice.send([1], to: .group("red"))
      try await bob.messages.join(group: "red")
      let (peer, groups) = try await alice.first {
        if case .groupsChanged(let peer, let groups) = $0 { (peer, groups) } else { nil }
      }
      #expect(peer.id == bobID && groups == ["red"])
      #expect(await alice.messages.groups == ["red": [bobID]])
      let labels = bob.messages.of(LabelEvent.self)
      try await alice.messages.sendNow([2], to: .group("red"))
      try await alice.send(LabelEvent(text: "x"), to: .group("red"), at: "draw")
      let bytes = try await bob.first { if case .message(let bytes, _) = $0 { bytes } else { nil } }
      #expect(bytes == [2])
      var iterator = labels.makeAsyncIterator()
      #expect(await iterator.next()?.object.text == "x")
      try await bob.messages.leave(group: "red")
      #expect(await bob.messages.groups.isEmpty)
    }
  }

  @Test("a name that no group can have is refused, and so is one group too many")
  func refused() async throws {
    try await TestSessions.joined { alice, _ in
      for name in ["", "a\n", String(repeating: "a", count: 64)] {
        let error = await #expect(throws: SessionError.self) { try await alice.messages.join(group: name) }
        #expect(error?.code == .invalidArgument)
      }
      for number in 1...16 { try await alice.messages.join(group: "\(number)") }
      let error = await #expect(throws: SessionError.self) { try await alice.messages.join(group: "17") }
      #expect(error?.code == .limitExceeded)
    }
  }
}
