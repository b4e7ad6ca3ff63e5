/// The driver's part in a run of ``PasscodeExchange`` or ``CodeExchange``: both values belong to one connection and one of the
/// two.
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

/// The secrets of one connection, for each exchange that may take place on it.
package struct LinkSecrets: Sendable {
  /// For the proof of a passcode; nil where there is none.
  package let passcode: ChannelSecrets?
  /// For the code; nil where the app shows none.
  package let code: ChannelSecrets?
  /// An exporter for the app's driver; nil where it has none.
  package let driver: [UInt8]?

  package init(passcode: ChannelSecrets? = nil, code: ChannelSecrets? = nil, driver: [UInt8]? = nil) {
    (self.passcode, self.code, self.driver) = (passcode, code, driver)
  }
}
