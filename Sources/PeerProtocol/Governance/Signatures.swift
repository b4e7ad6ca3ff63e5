package import WorldModel

/// Signatures with the keys of identities: the one thing of an owned session that the node cannot compute itself.
///
/// The functions must give the same results for the same bytes, and may be called thousands of times.
package struct Signatures: Sendable {
  /// This peer's public key: ``Statement/keySize`` bytes.
  package let publicKey: [UInt8]
  /// This peer's signature over bytes, ``Statement/signatureSize`` bytes; nil when it cannot be made.
  let sign: @Sendable (_ bytes: [UInt8]) -> [UInt8]?
  /// Whether a signature over bytes is that of a public key.
  let verify: @Sendable (_ signature: [UInt8], _ bytes: [UInt8], _ key: [UInt8]) -> Bool
  /// The identity of the peer with a public key.
  let peerID: @Sendable (_ key: [UInt8]) -> PeerID

  package init(
    publicKey: [UInt8], sign: @escaping @Sendable (_ bytes: [UInt8]) -> [UInt8]?,
    verify: @escaping @Sendable (_ signature: [UInt8], _ bytes: [UInt8], _ key: [UInt8]) -> Bool,
    peerID: @escaping @Sendable (_ key: [UInt8]) -> PeerID
  ) {
    self.publicKey = publicKey
    self.sign = sign
    self.verify = verify
    self.peerID = peerID
  }
}
