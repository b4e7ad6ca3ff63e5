public import Basics

/// The name of one revision of a shared map: the SHA-256 of its manifest.
public struct MapID: Hashable, Sendable, Comparable {
  /// The hash.
  public let digest: SHA256Digest

  /// The map whose manifest has this hash.
  public init(_ digest: SHA256Digest) {
    self.digest = digest
  }

  /// Whether both hashes agree.
  @inlinable public static func == (left: Self, right: Self) -> Bool { left.digest == right.digest }

  /// Feeds the hash to `hasher`.
  @inlinable public func hash(into hasher: inout Hasher) { hasher.combine(digest) }

  /// Orders by bytes, first byte first.
  @inlinable public static func < (left: Self, right: Self) -> Bool { left.digest < right.digest }
}

extension MapID: CustomStringConvertible {
  /// 64 lower-case hexadecimal digits.
  public var description: String { digest.description }
}
