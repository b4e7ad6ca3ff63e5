package import Basics

extension ByteWriter {
  /// Appends the 32 bytes of a hash, in order.
  package mutating func write(_ digest: SHA256Digest) {
    let words = digest.words
    for index in 0..<4 { write(words[index].bigEndian) }
  }

  /// Appends the components in order, little-endian.
  package mutating func write<V: SIMD>(_ vector: V) where V.Scalar == Float {
    for index in vector.indices { write(vector[index]) }
  }
}

extension ByteReader {
  /// Reads two Float.
  @_lifetime(self: copy self)
  mutating func readVector2() throws(DecodingFailure) -> SIMD2<Float> {
    let x = try readFloat()
    return SIMD2(x, try readFloat())
  }

  /// Reads three Float.
  @_lifetime(self: copy self)
  mutating func readVector3() throws(DecodingFailure) -> SIMD3<Float> {
    let x = try readFloat()
    let y = try readFloat()
    return SIMD3(x, y, try readFloat())
  }

  /// Reads 32 bytes.
  @_lifetime(self: copy self)
  package mutating func readDigest() throws(DecodingFailure) -> SHA256Digest {
    var words = SIMD4<UInt64>()
    for index in 0..<4 { words[index] = UInt64(bigEndian: try read(UInt64.self)) }
    return SHA256Digest(words: words)
  }

  /// Reads a blob of 32 bytes, or an empty one for nil.
  @_lifetime(self: copy self)
  mutating func readOptionalDigest() throws(DecodingFailure) -> SHA256Digest? {
    let start = offset
    let bytes = try readBlob(limit: 32)
    if bytes.isEmpty { return nil }
    guard let digest = SHA256Digest(bytes: bytes) else { throw .invalid("a hash is 0 or 32 bytes", offset: start) }
    return digest
  }
}
