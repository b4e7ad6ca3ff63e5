import Basics

/// Why a map could not be encoded or decoded, and where in the file.
@nonexhaustive
public enum WorldMapError: Error, Hashable, Sendable {
  /// The first bytes are not those of a `.worldmap` file.
  case notAWorldMap
  /// The file is of a later major version than this reader knows.
  case unsupportedVersion(found: Int, supported: Int, offset: Int)
  /// The data ends before the value that begins at `offset` does.
  case truncated(offset: Int)
  /// The value that begins at `offset` is not allowed; the text says why.
  case invalid(String, offset: Int)
  /// The value that begins at `offset` is larger than its named limit.
  case overLimit(limit: Int, offset: Int)
  /// The checksum of the part that begins at `offset` does not fit its bytes; the text names the part and its block.
  case damaged(String, offset: Int)
  /// The map cannot be encoded: it breaks a rule of the model.
  case model(ModelError)
  /// The options cannot be used; the text says why.
  case invalidOption(String)

  /// A decoding failure, `base` bytes further on.
  init(_ failure: DecodingFailure, base: Int = 0) {
    switch failure {
    case .truncated(let offset): self = .truncated(offset: base + offset)
    case .invalid(let why, let offset): self = .invalid(why, offset: base + offset)
    case .overLimit(let limit, let offset): self = .overLimit(limit: limit, offset: base + offset)
    case .unknownKind(let offset): self = .invalid("unknown kind", offset: base + offset)
    }
  }

  /// Where in the file the fault lies (bytes from its start); nil when it is not in a file.
  public var offset: Int? {
    switch self {
    case .notAWorldMap: 0
    case .unsupportedVersion(_, _, let offset), .truncated(let offset), .invalid(_, let offset),
      .overLimit(_, let offset), .damaged(_, let offset):
      offset
    case .model, .invalidOption: nil
    }
  }
}

extension WorldMapError: CustomStringConvertible {
  /// A sentence with the byte offset.
  public var description: String {
    switch self {
    case .notAWorldMap: "this is not a .worldmap file"
    case .unsupportedVersion(let found, let supported, _):
      "the file is of version \(found), this program reads up to version \(supported)"
    case .truncated(let offset): "the file ends inside the value at byte \(offset)"
    case .invalid(let why, let offset): "\(why) at byte \(offset)"
    case .overLimit(let limit, let offset): "the value at byte \(offset) is over the limit of \(limit)"
    case .damaged(let part, let offset): "\(part) at byte \(offset) is damaged: its checksum does not fit"
    case .model(let error): error.description
    case .invalidOption(let why): why
    }
  }
}
