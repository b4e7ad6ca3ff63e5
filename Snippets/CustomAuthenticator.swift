// An app's own authentication of the peer at the other end of a connection.

import SharedWorld

// snippet.authenticator
struct HouseAuthenticator: Authenticator {
  let secret: [UInt8]
  let context: AuthenticationContext

  func opened() -> AuthenticationStep { .send(proof(of: context.localPeer.id)) }

  func received(_ data: [UInt8]) -> AuthenticationStep {
    data.isSame(as: proof(of: context.peer.id)) ? .authenticated : .failed("wrong secret")
  }

  private func proof(of peer: PeerID) -> [UInt8] {
    hmac(peer.bytes + context.channelBinding, key: secret)
  }
}
// snippet.end

func useTheDriver(_ secret: [UInt8]) -> Session.Configuration {
  // snippet.configuration
  var configuration = Session.Configuration(service: "my-app")
  configuration.authentication.authenticator = { HouseAuthenticator(secret: secret, context: $0) }
  // snippet.end
  return configuration
}

/// HMAC-SHA-256 (RFC 2104) under a key of at most 64 bytes; an app takes that of its cryptographic library.
func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
  let key = key + [UInt8](repeating: 0, count: 64 - key.count)
  let inner = SHA256Digest(hashing: key.map { $0 ^ 0x36 } + message)
  return SHA256Digest(hashing: key.map { $0 ^ 0x5c } + inner.bytes).bytes
}

extension [UInt8] {
  /// Whether the bytes are the same, in a time that does not depend on where they differ.
  func isSame(as other: [UInt8]) -> Bool {
    count == other.count && zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
