/// The place in the bytes of a TLS handshake where one record ends and the next begins (RFC 8446 §5.1).
///
/// OpenSSL handles all that it is given in one call. Given one record at a time it decodes a certificate in one call and
/// checks the signature of its key in another, and others have their turn in between.
struct RecordCut {
  /// Bytes before the body of a record: type, version, and the length of the body in the last two.
  static let headSize = 5

  private var headCount = 0
  private var length = 0
  private var bodyLeft = 0

  /// How many bytes are missing of the head of a record, or then of its body; at least one.
  var missing: Int { bodyLeft > 0 ? bodyLeft : Self.headSize - headCount }

  /// Whether the head of a record was read and its body was not.
  var isInBody: Bool { bodyLeft > 0 }

  /// Counts bytes that were read: no more than are missing.
  mutating func note(_ bytes: UnsafeRawBufferPointer) {
    guard !isInBody else { return bodyLeft -= bytes.count }
    for byte in bytes {
      headCount += 1
      if headCount > Self.headSize - 2 { length = length << 8 | Int(byte) }
    }
    guard headCount == Self.headSize else { return }
    (headCount, length, bodyLeft) = (0, 0, length)
  }
}
