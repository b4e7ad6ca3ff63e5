/// The driver's part in a run of ``PasscodeExchange``: both values belong to one connection.
package struct ChannelSecrets: Sendable {
  /// Bytes of an exporter.
  static let exporterSize = 32
  /// Bytes of fresh randomness.
  package static let entropySize = CPace.entropySize

  /// Keying material that the two ends of this connection share and nobody else has (RFC 8446 §7.5), 32 bytes.
  let exporter: [UInt8]
  /// 64 random bytes that are used once.
  let entropy: SecretBytes

  package init(exporter: [UInt8], entropy: SecretBytes) {
    precondition(exporter.count == Self.exporterSize && entropy.count == Self.entropySize)
    (self.exporter, self.entropy) = (exporter, entropy)
  }
}
