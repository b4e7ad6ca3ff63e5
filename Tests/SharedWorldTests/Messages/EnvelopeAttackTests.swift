import PeerProtocol
import TestSupport
import Testing

@testable import SharedWorld

@Suite("Envelopes of a member that misbehaves", .endsHangs)
struct EnvelopeAttackTests {
  @Test("fault 26: malformed ones come back or are ignored, forged words about messages change nothing, and it goes on")
  func malformed() async throws {
    try await TestSessions.joined { alice, bob in
      let labels = alice.messages.of(LabelEvent.self)
      let sent = try await alice.send(LabelEvent(text: "x"), to: .peer(bob.localPeer.id), at: "draw")
      let envelope = LetterTests.plain
      let error = RemoteError("forged")
      let forged: [Letter] = [
        .returned(.unhandled, "forged", message: sent, start: 1), .answer(1, start: 1, envelope),
        .failure(1, start: 1, .unhandled, error), .withdrawal(1),
      ]
      for letter in forged { _ = try await bob.transmit(Parcel(letter.bytes, as: .envelope, to: .all)) }
      for bytes: [UInt8] in [[77], [1], [3, 0], [4], [5], []] {
        _ = try await bob.transmit(Parcel(bytes, as: .envelope, to: .all))
      }
      var wrong: [MessageID] = []
      for bytes: [UInt8] in [[0], [0, 9], [2, 1]] {
        wrong.append(try await bob.transmit(Parcel(bytes, as: .envelope, to: .all)))
      }
      try await bob.send(LabelEvent(text: "good"), to: .all, at: "draw")
      try await bob.send([9])
      var label = labels.makeAsyncIterator()
      #expect(await label.next()?.object.text == "good")
      // What bob wrote of alice's message is not among what alice is told, but that it read no labels is. That comes
      // before or after bob's last message, because alice's own may still be on its way.
      var (returned, isLast) = ([MessageReturn](), false)
      var events = alice.events.makeAsyncIterator()
      while !isLast || returned.isEmpty, let event = await events.next() {
        if case .messageReturned(let one) = event { returned.append(one) }
        if case .message([9], _) = event { isLast = true }
      }
      #expect(returned.map(\.text) == ["nothing reads LabelEvent at draw"])
      var others = bob.events.makeAsyncIterator()
      for message in wrong {
        let back = try await others.first { if case .messageReturned(let one) = $0 { one } else { nil } }
        #expect(back.message == message && back.reason == .malformed && back.receiver == alice.localPeer)
      }
    }
  }

  @Test("a request under a number that is being answered is ignored, and one that is withdrawn is not answered")
  func numbers() async throws {
    try await TestSessions.joined { alice, bob in
      let questions = bob.messages.requests(LabelEvent.self)
      let request = Letter.request(1, LetterTests.plain)
      for letter in [request, request, .withdrawal(1), request] {
        _ = try await alice.transmit(Parcel(letter.bytes, as: .envelope, to: .all))
      }
      try await alice.send([9])
      _ = try await bob.first { if case .message([9], _) = $0 { true } else { nil } }
      var letters = questions.letters.makeAsyncIterator()
      let first = await letters.next()
      let second = await letters.next()
      #expect(first?.request?.settle() == false)
      #expect(second?.request?.settle() == true)
    }
  }
}
