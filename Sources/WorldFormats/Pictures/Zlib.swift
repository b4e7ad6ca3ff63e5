import CZlib

/// Bytes as a zlib stream (RFC 1950), which pictures hold and browsers read.
package enum Zlib {
  /// The compressed form of `bytes`.
  package static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    let bound = compressBound(uLong(bytes.count))
    return [UInt8](unsafeUninitializedCapacity: Int(bound)) { buffer, count in
      var length = bound
      let status = compress2(buffer.baseAddress, &length, bytes, uLong(bytes.count), 6)
      // The buffer has the size that zlib asks for; only a lack of memory is left to go wrong.
      precondition(status == Z_OK, "zlib had no memory")
      count = Int(length)
    }
  }
}
