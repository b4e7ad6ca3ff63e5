import SharedWorld
import TestSupport
import Testing

/// Peers that know one secret: each challenges the other, which answers with an HMAC.
///
/// The answer depends on the channel binding, so that nobody between two connections can pass it on, and on the peer that gives it, so
/// that it cannot be sent back. Use a random secret: who dials may test guesses of a short one later. For a word that people
/// say, a `Passcode` is better.
struct SharedSecretDriver: Authenticator {
  let secret: [UInt8]
  let context: AuthenticationContext
  private let challenge = (0..<32).map { _ in UInt8.random(in: 0...255) }

  init(secret: [UInt8], context: AuthenticationContext) {
    (self.secret, self.context) = (secret, context)
  }

  func opened() -> AuthenticationStep { .send([0] + challenge) }

  func received(_ data: [UInt8]) -> AuthenticationStep {
    switch (data.first, Array(data.dropFirst())) {
    case (0, let theirs) where theirs.count == challenge.count:
      .send([1] + answer(to: theirs, of: context.localPeer.id))
    case (1, let theirs):
      theirs.isSame(as: answer(to: challenge, of: context.peer.id)) ? .authenticated : .failed("wrong secret")
    default: .failed("not a step of a shared secret")
    }
  }

  private func answer(to challenge: [UInt8], of peer: PeerID) -> [UInt8] {
    HMAC.tag(of: challenge + peer.bytes + context.channelBinding, key: secret)
  }
}

/// HMAC-SHA-256 (RFC 2104); an app takes that of its cryptographic library.
enum HMAC {
  static func tag(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    let short = key.count > 64 ? SHA256Digest(hashing: key).bytes : key
    let key = short + [UInt8](repeating: 0, count: 64 - short.count)
    let inner = SHA256Digest(hashing: key.map { $0 ^ 0x36 } + message)
    return SHA256Digest(hashing: key.map { $0 ^ 0x5c } + inner.bytes).bytes
  }
}

extension [UInt8] {
  /// Whether the bytes are the same, in a time that does not depend on where they differ.
  func isSame(as other: [UInt8]) -> Bool {
    count == other.count && zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

@Suite("A driver with a shared secret", .endsHangs)
struct SharedSecretDriverTests {
  private static func configuration(_ secret: String, on network: MemoryNetwork) -> Session.Configuration {
    var configuration = Session.Configuration(service: "swexample")
    configuration.transport = .inMemory(network)
    configuration.invitations.incoming = .all
    configuration.authentication.authenticator = { SharedSecretDriver(secret: Array(secret.utf8), context: $0) }
    return configuration
  }

  @Test("peers with the same secret join; one with another secret is told so", arguments: [true, false])
  func secret(isSame: Bool) async throws {
    let network = try MemoryNetwork()
    var configuration = Self.configuration("correct horse", on: network)
    try await Peers.named("alice", configuration) { alice in
      configuration = Self.configuration(isSame ? "correct horse" : "battery staple", on: network)
      configuration.invitations.outgoing = .all
      try await Peers.named("bob", configuration) { bob in
        for await event in bob.events {
          if case .peerJoined(let peer) = event { return #expect(isSame && peer == alice.localPeer) }
          guard case .invitationFailed(_, let error, _) = event else { continue }
          return #expect(!isSame && error.code == .authenticationFailed && error.message.contains("wrong secret"))
        }
      }
    }
  }

  @Test("the tag of test case 2 of RFC 4231")
  func hmac() {
    let tag = HMAC.tag(of: Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
    #expect(tag.prefix(4) == [0x5b, 0xdc, 0xc1, 0x46])
  }
}
