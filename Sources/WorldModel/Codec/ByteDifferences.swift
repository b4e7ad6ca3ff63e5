/// Differences of neighbouring bytes, modulo 256: small for colours that change little.
enum ByteDifferences {
  /// The difference of each byte from the one before, the first from zero.
  static func of(_ bytes: [UInt8]) -> [UInt8] {
    var previous: UInt8 = 0
    return bytes.map { byte in
      defer { previous = byte }
      return byte &- previous
    }
  }

  /// The inverse of ``of(_:)``.
  static func sums(of differences: [UInt8]) -> [UInt8] {
    var sum: UInt8 = 0
    return differences.map { difference in
      sum &+= difference
      return sum
    }
  }
}
