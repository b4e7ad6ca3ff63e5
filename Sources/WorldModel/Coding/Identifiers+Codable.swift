public import Basics

extension PeerID: TextCodable {}

extension AnchorID: TextCodable {}

extension MapID: TextCodable {
  /// Reads 64 hexadecimal digits, upper or lower case; nil for anything else.
  public init?(_ text: String) {
    guard let digest = SHA256Digest(text) else { return nil }
    self.init(digest)
  }
}
