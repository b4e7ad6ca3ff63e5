/// Why bytes could not be decoded, and where.
@nonexhaustive
public enum DecodingFailure: Error, Hashable, Sendable {
  /// The bytes end before the value that begins at `offset` does.
  case truncated(offset: Int)
  /// The value that begins at `offset` is not allowed; the text says why.
  case invalid(String, offset: Int)
  /// The value that begins at `offset` is larger than its named limit (bytes or elements).
  case overLimit(limit: Int, offset: Int)
  /// The value that begins at `offset` names a kind of thing that this version does not know, and a newer one may.
  case unknownKind(offset: Int)
}

extension DecodingFailure: CustomStringConvertible {
  /// A sentence with the byte offset.
  public var description: String {
    switch self {
    case .truncated(let offset): "the data ends inside the value at byte \(offset)"
    case .invalid(let why, let offset): "\(why) at byte \(offset)"
    case .overLimit(let limit, let offset): "the value at byte \(offset) is over the limit of \(limit)"
    case .unknownKind(let offset): "unknown kind at byte \(offset)"
    }
  }
}
