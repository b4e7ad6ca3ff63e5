public import Basics

/// The name of one resource that a peer offers to others: the SHA-256 of its manifest.
///
/// Equal bytes that are offered twice are two resources.
public struct ResourceID: Hashable, Sendable, Comparable {
  /// The hash.
  public let digest: SHA256Digest

  /// The resource whose manifest has this hash.
  public init(_ digest: SHA256Digest) {
    self.digest = digest
  }

  /// Orders by bytes, first byte first.
  public static func < (left: Self, right: Self) -> Bool { left.digest < right.digest }
}

extension ResourceID: TextCodable {
  /// 64 lower-case hexadecimal digits.
  public var description: String { digest.description }

  /// Reads 64 hexadecimal digits; nil for anything else.
  public init?(_ text: String) {
    guard let digest = SHA256Digest(text) else { return nil }
    self.init(digest)
  }
}

extension ResourceID {
  /// The resource that is this content.
  package init(_ content: ContentID) { self.init(content.digest) }

  /// The resource as a content that travels in chunks.
  package var content: ContentID { ContentID(.resource, digest) }
}
