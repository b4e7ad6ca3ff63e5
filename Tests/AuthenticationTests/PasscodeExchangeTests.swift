import Basics
import Testing

@testable import Authentication

@Suite("The proof of a passcode")
struct PasscodeExchangeTests {
  private static let alice = SHA256Digest(hashing: Array("alice".utf8)).bytes
  private static let bob = SHA256Digest(hashing: Array("bob".utf8)).bytes
  private static let mallory = SHA256Digest(hashing: Array("mallory".utf8)).bytes

  /// The secrets of a connection; the exporter names the connection, the randomness the side.
  private static func secrets(_ connection: UInt8, _ side: UInt8) -> ChannelSecrets {
    ChannelSecrets(
      exporter: [UInt8](repeating: connection, count: 32),
      entropy: SecretBytes(copying: (0..<64).map { $0 ^ side &* 31 }))
  }

  /// Both sides of one connection from `dialler` to `acceptor`.
  private static func pair(
    _ dialler: [UInt8] = alice, _ acceptor: [UInt8] = bob, connection: UInt8 = 1, passcode: String = "sesame 1",
    other: String = "sesame 1"
  ) throws -> (PasscodeExchange, PasscodeExchange) {
    (
      try PasscodeExchange(
        .initiator, passcode: Passcode(passcode), initiator: dialler, responder: acceptor,
        secrets: secrets(connection, 1)),
      try PasscodeExchange(
        .responder, passcode: Passcode(other), initiator: dialler, responder: acceptor, secrets: secrets(connection, 2))
    )
  }

  @Test("the bucket is the first four bits of an HMAC, as Protocol/passcode.md has it")
  func bucket() throws {
    // From another implementation (Python's hmac).
    #expect(try Passcode("sesame 1").bucket(for: "sharedworld") == 0x2)
    #expect(try Passcode("sesame 2").bucket(for: "sharedworld") == 0x8)
    #expect(try Passcode("room 1 x").bucket(for: "sharedworld") == 0xb)
  }

  @Test("sends the bytes of the vectors, and both sides are sure then and not before")
  func vectors() throws {
    func side(_ role: ExchangeRole, _ name: String) throws -> PasscodeExchange {
      try PasscodeExchange(
        role, passcode: Passcode(utf8: try Vectors.bytes("room-passcode")),
        initiator: try Vectors.bytes("room-initiator"), responder: try Vectors.bytes("room-responder"),
        secrets: ChannelSecrets(
          exporter: try Vectors.bytes("room-exporter"),
          entropy: SecretBytes(copying: try Vectors.bytes("room-entropy-\(name)"))))
    }
    var (first, second) = (try side(.initiator, "initiator"), try side(.responder, "responder"))
    let share = try first.begin()
    #expect(share == (try Vectors.bytes("room-share")))
    let answer = try second.receive(share: share)
    #expect(answer.share + answer.tag == (try Vectors.bytes("room-answer")))
    #expect(!first.isProven && !second.isProven && second.isGuessOpen)
    let proof = try first.receive(answer: answer)
    #expect(proof == (try Vectors.bytes("room-proof")))
    #expect(first.isProven && !second.isProven)
    try second.receive(proof: proof)
    #expect(second.isProven && !second.isGuessOpen)
  }

  @Test("fails at the side that dialled, which shows nothing of its own, when the passcodes differ in one character")
  func wrongPasscode() throws {
    for other in ["sesame 2", "sesame 1 ", "Sesame 1"] {
      var (first, second) = try Self.pair(other: other)
      let answer = try second.receive(share: try first.begin())
      #expect(throws: CPaceFailure.wrongPasscode) { try first.receive(answer: answer) }
      #expect(!first.isProven && second.isGuessOpen)
      #expect(throws: CPaceFailure.wrongPasscode) { try second.receive(proof: answer.tag) }
      #expect(!second.isProven && !second.isGuessOpen)
    }
  }

  @Test("a man in the middle who passes every message on between two TLS connections achieves nothing")
  func manInTheMiddle() throws {
    // Alice has dialled mallory, who has dialled bob. The keys differ, and so do the connections.
    for (exporterOfBob, dialler, acceptor) in [
      (UInt8(2), Self.mallory, Self.mallory), (1, Self.mallory, Self.mallory), (2, Self.alice, Self.bob),
    ] {
      var (first, _) = try Self.pair(Self.alice, acceptor, connection: 1)
      var (_, second) = try Self.pair(dialler, Self.bob, connection: exporterOfBob)
      let answer = try second.receive(share: try first.begin())
      #expect(throws: CPaceFailure.wrongPasscode) { try first.receive(answer: answer) }
      #expect(!first.isProven && !second.isProven)
    }
  }

  @Test("what was recorded of one connection is worth nothing on another one between the same two")
  func replay() throws {
    var (first, second) = try Self.pair(connection: 1)
    let share = try first.begin()
    let answer = try second.receive(share: share)
    let proof = try first.receive(answer: answer)
    try second.receive(proof: proof)
    // To the side that accepts, by one that has recorded the dialler.
    var (_, again) = try Self.pair(connection: 2)
    _ = try again.receive(share: share)
    #expect(throws: CPaceFailure.wrongPasscode) { try again.receive(proof: proof) }
    // To the side that dials, by one that has recorded the acceptor.
    var (dialler, _) = try Self.pair(connection: 2)
    _ = try dialler.begin()
    #expect(throws: CPaceFailure.wrongPasscode) { try dialler.receive(answer: answer) }
  }

  @Test("a side that is sent its own messages back believes nothing")
  func reflection() throws {
    var (first, second) = try Self.pair()
    let share = try first.begin()
    #expect(throws: CPaceFailure.wrongPasscode) {
      try first.receive(answer: PasscodeExchange.Answer(share: share, tag: [UInt8](repeating: 0, count: 64)))
    }
    // The tag of the answer is over what the answering side sent: it is no proof of the other one.
    let answer = try second.receive(share: share)
    #expect(throws: CPaceFailure.wrongPasscode) { try second.receive(proof: answer.tag) }
  }

  @Test("a step that is not due ends the run, and no later one revives it")
  func reordering() throws {
    let tag = [UInt8](repeating: 1, count: 64)
    var (first, second) = try Self.pair()
    #expect(throws: CPaceFailure.outOfOrder) { try second.begin() }
    (first, second) = try Self.pair()
    #expect(throws: CPaceFailure.outOfOrder) { try second.receive(proof: tag) }
    let share = try first.begin()
    #expect(throws: CPaceFailure.outOfOrder) { try second.receive(share: share) }
    #expect(throws: CPaceFailure.outOfOrder) { try first.begin() }
    (first, second) = try Self.pair()
    let answer = try second.receive(share: try first.begin())
    #expect(throws: CPaceFailure.outOfOrder) { try first.receive(share: share) }
    #expect(throws: CPaceFailure.outOfOrder) { try first.receive(answer: answer) }
    (first, second) = try Self.pair()
    let proof = try first.receive(answer: try second.receive(share: try first.begin()))
    try second.receive(proof: proof)
    #expect(throws: CPaceFailure.outOfOrder) { try second.receive(proof: proof) }
    #expect(!second.isProven)
  }

  @Test("Fault 9: a share that is no element, or the identity, ends the run on both sides")
  func invalidShares() throws {
    for name in ["invalid-encoding", "invalid-identity"] {
      let share = try Vectors.bytes(name)
      var (first, second) = try Self.pair()
      #expect(throws: CPaceFailure.invalidShare) { try second.receive(share: share) }
      _ = try first.begin()
      let answer = PasscodeExchange.Answer(share: share, tag: [UInt8](repeating: 0, count: 64))
      #expect(throws: CPaceFailure.invalidShare) { try first.receive(answer: answer) }
      #expect(!first.isProven && !second.isProven)
    }
  }

  @Test("every flipped bit of a message is noticed")
  func flips() throws {
    for bit in stride(from: 0, to: 64 * 8, by: 7) {
      func flip(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        bytes[bit / 8 % bytes.count] ^= 1 << UInt8(bit % 8)
        return bytes
      }
      var (first, second) = try Self.pair()
      let answer = try second.receive(share: try first.begin())
      var copy = first
      #expect(throws: CPaceFailure.self) {
        try copy.receive(answer: PasscodeExchange.Answer(share: flip(answer.share), tag: answer.tag))
      }
      copy = first
      #expect(throws: CPaceFailure.self) {
        try copy.receive(answer: PasscodeExchange.Answer(share: answer.share, tag: flip(answer.tag)))
      }
      let proof = try first.receive(answer: answer)
      #expect(throws: CPaceFailure.wrongPasscode) { try second.receive(proof: flip(proof)) }
    }
  }

  @Test("runs with other randomness share no message")
  func freshness() throws {
    var (first, _) = try Self.pair()
    var other = try PasscodeExchange(
      .initiator, passcode: Passcode("sesame 1"), initiator: Self.alice, responder: Self.bob,
      secrets: Self.secrets(1, 9))
    #expect(try first.begin() != other.begin())
  }
}

@Suite("Passcodes")
struct PasscodeTests {
  @Test("have 6 to 64 characters of printable ASCII")
  func bounds() throws {
    _ = try Passcode("123456")
    _ = try Passcode(String(repeating: "x", count: 64))
    #expect(throws: Passcode.Defect.tooShort) { try Passcode("12345") }
    #expect(throws: Passcode.Defect.tooLong) { try Passcode(String(repeating: "x", count: 65)) }
    #expect(throws: Passcode.Defect.notPrintable(place: 3)) { try Passcode("paßword") }
    #expect(throws: Passcode.Defect.notPrintable(place: 7)) { try Passcode("123456\n") }
  }

  @Test("that are generated are taken as they are, and use all of their 40 bits")
  func generated() throws {
    var random = SeededRandom(seed: 1)
    var seen: [Set<Character>] = Array(repeating: [], count: 9)
    for _ in 0..<2_000 {
      let text = Passcode.generatedText(using: &random)
      _ = try Passcode(text)
      for (place, character) in text.enumerated() { seen[place].insert(character) }
    }
    #expect(seen.map(\.count) == [32, 32, 32, 32, 1, 32, 32, 32, 32])
    #expect(Passcode.generatedBits == 8 * 5)
  }

  @Test("of words that are generated are taken as they are, and use all of their 40 bits")
  func generatedCodes() throws {
    var random = SeededRandom(seed: 1)
    var seen: [Set<Substring>] = Array(repeating: [], count: 4)
    for _ in 0..<20_000 {
      let text = Passcode.generatedCode(using: &random)
      _ = try Passcode(text)
      #expect(Passcode.normalized(code: text) == text)
      let words = text.split(separator: "-")
      #expect(words.count == seen.count)
      for (place, word) in words.enumerated() { seen[place].insert(word) }
    }
    #expect(seen.map(\.count) == Array(repeating: 1 << 10, count: 4))
    #expect(Passcode.generatedBits == CodeWords.bits * 4)
  }

  @Test("of words are one code, however they are typed")
  func typed() throws {
    for text in ["Kitten lemon, violin acorn", " KITTEN-LEMON--violin_acorn.\n", "kitten/lemon/violin/acorn"] {
      #expect(Passcode.normalized(code: text) == "kitten-lemon-violin-acorn")
    }
    #expect(Passcode.normalized(code: "Room 12") == "room-12")
    #expect(throws: Passcode.Defect.self) { try Passcode(Passcode.normalized(code: "küche 12")) }
  }

  @Test("are made of short words that nobody takes for each other")
  func words() {
    let words = CodeWords.all
    #expect(words.count == 1 << CodeWords.bits && Set(words).count == words.count)
    #expect(words.allSatisfy { (3...6).contains($0.count) && $0.allSatisfy { ("a"..."z").contains($0) } })
    for word in words {
      for other in words where other != word {
        #expect(!other.hasPrefix(word), "\(word) begins \(other)")
        let isFar = other.count != word.count || zip(word, other).count { $0 != $1 } > 1
        #expect(isFar, "\(word) is nearly \(other)")
      }
    }
  }
}
