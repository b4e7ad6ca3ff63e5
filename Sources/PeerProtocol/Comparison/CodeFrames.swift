import Authentication

/// The digest that binds the side that dialled to its nonce.
struct CodeCommitment: Sendable, Equatable, FixedBytes {
  static let size = CodeExchange.commitmentSize

  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }
}

/// The nonce of either side: the answer to a commitment, or what the commitment was to.
struct CodeNonce: Sendable, Equatable, FixedBytes {
  static let size = CodeExchange.nonceSize

  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }
}
