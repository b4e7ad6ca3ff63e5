import Basics
import Testing

@testable import Authentication

@Suite("The exchange of a code")
struct CodeExchangeTests {
  private static let alice = SHA256Digest(hashing: Array("alice".utf8)).bytes
  private static let bob = SHA256Digest(hashing: Array("bob".utf8)).bytes
  private static let mallory = SHA256Digest(hashing: Array("mallory".utf8)).bytes

  /// One side of a connection; `exporter` names the connection, `nonce` the randomness of the side.
  private static func side(
    _ role: ExchangeRole, _ initiator: [UInt8] = alice, _ responder: [UInt8] = bob, exporter: UInt8 = 1, nonce: UInt8
  ) -> CodeExchange {
    CodeExchange(
      role, initiator: initiator, responder: responder,
      secrets: ChannelSecrets(
        exporter: [UInt8](repeating: exporter, count: 32),
        entropy: SecretBytes(copying: (0..<64).map { $0 ^ nonce &* 31 })))
  }

  private static func pair() -> (CodeExchange, CodeExchange) {
    (side(.initiator, nonce: 1), side(.responder, nonce: 2))
  }

  /// Runs both sides of one connection to the end.
  private static func run(_ first: inout CodeExchange, _ second: inout CodeExchange) throws {
    let commitment = try first.begin()
    let nonce = try second.receive(commitment: commitment)
    try second.receive(reveal: try first.receive(nonce: nonce))
  }

  // `Fixtures/Code/code.py` computes them with Python's hashlib and hmac from the page of the protocol alone.
  @Test("sends the bytes and shows the digits of the vectors", arguments: ["plain", "zeros", "small"])
  func vectors(name: String) throws {
    func vector(_ part: String) throws -> [UInt8] { try Vectors.code.bytes("\(name)-\(part)") }
    func side(_ role: ExchangeRole, _ part: String) throws -> CodeExchange {
      CodeExchange(
        role, initiator: try Vectors.code.bytes("initiator"), responder: try Vectors.code.bytes("responder"),
        secrets: ChannelSecrets(
          exporter: try vector("exporter"),
          entropy: SecretBytes(copying: try vector("nonce-\(part)") + [UInt8](repeating: 7, count: 32))))
    }
    var (first, second) = (try side(.initiator, "initiator"), try side(.responder, "responder"))
    let commitment = try first.begin()
    #expect(commitment == (try vector("commitment")))
    let nonce = try second.receive(commitment: commitment)
    #expect(nonce == (try vector("nonce-responder")))
    #expect(first.code == nil && second.code == nil)
    let reveal = try first.receive(nonce: nonce)
    #expect(reveal == (try vector("nonce-initiator")))
    try second.receive(reveal: reveal)
    let expected = String(decoding: try vector("code"), as: UTF8.self)
    #expect(first.code?.description == expected && second.code?.description == expected && expected.utf8.count == 6)
  }

  @Test("shows different digits when the connection, an id or a nonce is another one")
  func everythingCounts() throws {
    var (first, second) = Self.pair()
    try Self.run(&first, &second)
    let code = try #require(first.code)
    for (initiator, responder, exporter, nonce) in [
      (Self.mallory, Self.bob, UInt8(1), UInt8(1)), (Self.alice, Self.mallory, 1, 1), (Self.bob, Self.alice, 1, 1),
      (Self.alice, Self.bob, 2, 1), (Self.alice, Self.bob, 1, 3),
    ] {
      var one = Self.side(.initiator, initiator, responder, exporter: exporter, nonce: nonce)
      var other = Self.side(.responder, initiator, responder, exporter: exporter, nonce: 2)
      try Self.run(&one, &other)
      #expect(one.code == other.code && one.code != code)
    }
  }

  @Test("Fault 8: a nonce that is not the one of the commitment ends the run, and no code is shown")
  func wrongCommitment() throws {
    for bit in stride(from: 0, to: 256, by: 5) {
      func flip(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        return bytes
      }
      var (first, second) = Self.pair()
      let nonce = try second.receive(commitment: try first.begin())
      let reveal = try first.receive(nonce: nonce)
      #expect(throws: CodeFailure.wrongCommitment) { try second.receive(reveal: flip(reveal)) }
      #expect(second.code == nil)
      // No second try.
      #expect(throws: CodeFailure.outOfOrder) { try second.receive(reveal: reveal) }
      #expect(second.code == nil)
    }
  }

  @Test("Fault 8: a nonce that comes before the commitment, or instead of an answer, ends the run")
  func earlyReveal() throws {
    var (first, second) = Self.pair()
    let nonce = [UInt8](repeating: 3, count: 32)
    #expect(throws: CodeFailure.outOfOrder) { try second.receive(reveal: nonce) }
    #expect(throws: CodeFailure.outOfOrder) { try second.receive(commitment: nonce) }
    #expect(throws: CodeFailure.outOfOrder) { try first.receive(nonce: nonce) }
    #expect(first.code == nil && second.code == nil)
  }

  @Test("Fault 8: an attacker between two connections that searches for a nonce with the same digits is stopped")
  func grinding() throws {
    // Alice has dialled Mallory, and sees the digits that Mallory wants Bob to see.
    var alice = Self.side(.initiator, Self.alice, Self.mallory, exporter: 1, nonce: 1)
    var mallory = Self.side(.responder, Self.alice, Self.mallory, exporter: 1, nonce: 9)
    try Self.run(&alice, &mallory)
    let wanted = try #require(alice.code)
    // Mallory has dialled Bob and knows his nonce now; of a million nonces one would do. Here the last two digits do.
    var bob = Self.side(.responder, Self.mallory, Self.bob, exporter: 2, nonce: 2)
    let exporter = [UInt8](repeating: 2, count: 32)
    let bound = [UInt8](repeating: 0, count: 32)
    let nonce = try bob.receive(commitment: HMACSHA256.digest(Array("wm-sas-c".utf8) + bound + exporter))
    let found = try #require(
      (1...2_000).lazy.map { SHA256Digest(hashing: [UInt8($0 & 0xff), UInt8($0 >> 8)]).bytes }.first { candidate in
        let key = HMACSHA256.derive(
          from: candidate + nonce, salt: exporter, info: Array("wm-sas".utf8) + Self.mallory + Self.bob)
        return ComparisonCode(derivedKey: key).number % 100 == wanted.number % 100
      })
    #expect(throws: CodeFailure.wrongCommitment) { try bob.receive(reveal: found) }
    #expect(bob.code == nil)
  }

  @Test("what was recorded of one connection is worth nothing on another one between the same two")
  func replay() throws {
    var (first, second) = Self.pair()
    let commitment = try first.begin()
    let reveal = try first.receive(nonce: try second.receive(commitment: commitment))
    var again = Self.side(.responder, exporter: 2, nonce: 2)
    _ = try again.receive(commitment: commitment)
    #expect(throws: CodeFailure.wrongCommitment) { try again.receive(reveal: reveal) }
  }

  @Test("a side that is sent its own messages back refuses them, on the same connection and between two")
  func reflection() throws {
    var (first, second) = Self.pair()
    let commitment = try first.begin()
    #expect(throws: CodeFailure.outOfOrder) { try first.receive(commitment: commitment) }
    let nonce = try second.receive(commitment: commitment)
    #expect(throws: CodeFailure.wrongCommitment) { try second.receive(reveal: nonce) }
    // Alice has dialled Mallory, who has dialled Alice, and sends her what she says on the one on the other.
    var dialled = Self.side(.initiator, Self.alice, Self.mallory, exporter: 1, nonce: 1)
    var accepted = Self.side(.responder, Self.mallory, Self.alice, exporter: 2, nonce: 2)
    let own = try accepted.receive(commitment: try dialled.begin())
    let revealed = try dialled.receive(nonce: own)
    #expect(throws: CodeFailure.wrongCommitment) { try accepted.receive(reveal: revealed) }
    #expect(accepted.code == nil)
  }

  @Test("a step that is not due ends the run, and no later one revives it")
  func reordering() throws {
    var (first, second) = Self.pair()
    #expect(throws: CodeFailure.outOfOrder) { try second.begin() }
    (first, second) = Self.pair()
    let commitment = try first.begin()
    #expect(throws: CodeFailure.outOfOrder) { try first.begin() }
    #expect(throws: CodeFailure.outOfOrder) { try first.receive(nonce: commitment) }
    (first, second) = Self.pair()
    let nonce = try second.receive(commitment: try first.begin())
    #expect(throws: CodeFailure.outOfOrder) { try second.receive(commitment: commitment) }
    (first, second) = Self.pair()
    try Self.run(&first, &second)
    #expect(throws: CodeFailure.outOfOrder) { try first.receive(nonce: nonce) }
    #expect(throws: CodeFailure.outOfOrder) { try second.receive(reveal: nonce) }
    // A run that has failed shows nothing.
    #expect(first.code == nil && second.code == nil)
  }

  @Test("a nonce or a commitment of another length is refused, so that no two pairs of nonces are the same bytes")
  func lengths() throws {
    for count in [0, 31, 33] {
      let bytes = [UInt8](repeating: 1, count: count)
      var (first, second) = Self.pair()
      #expect(throws: CodeFailure.malformed) { try second.receive(commitment: bytes) }
      _ = try first.begin()
      #expect(throws: CodeFailure.malformed) { try first.receive(nonce: bytes) }
      var other = Self.side(.responder, nonce: 2)
      let commitment = HMACSHA256.digest(Array("wm-sas-c".utf8) + bytes + [UInt8](repeating: 1, count: 32))
      _ = try other.receive(commitment: commitment)
      #expect(throws: CodeFailure.malformed) { try other.receive(reveal: bytes) }
    }
  }
}
