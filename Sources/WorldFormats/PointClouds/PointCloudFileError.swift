/// Why a point-cloud file could not be read, and where.
@nonexhaustive
public enum PointCloudFileError: Error, Hashable, Sendable {
  /// A place in a file.
  @nonexhaustive
  public enum Place: Hashable, Sendable {
    /// A line, counted from 1.
    case line(Int)
    /// A byte, counted from 0.
    case byte(Int)
  }

  /// The format is none of those that are known: the file does not begin like one.
  case unknownFormat
  /// Line `line`, counted from 1, is not what the format asks for; the text says why.
  case malformed(String, line: Int)
  /// The bytes at `offset`, counted from 0, are not what the format asks for; the text says why.
  case malformedBytes(String, offset: Int)
  /// The file ends, after `offset` bytes, before all of its `expected` points; it has `found`.
  case truncated(found: Int, expected: Int, offset: Int)
  /// More points than `Limits.points`, as is said or as is seen at a place.
  case tooManyPoints(limit: Int, at: Place)
  /// The point at a place has the identifier of one before it; in compressed files the place is where the data begin.
  case duplicateIdentifier(UInt64, at: Place)

  /// Where in the file the fault is.
  public var place: Place {
    switch self {
    case .unknownFormat: .byte(0)
    case .malformed(_, let line): .line(line)
    case .malformedBytes(_, let offset), .truncated(_, _, let offset): .byte(offset)
    case .tooManyPoints(_, let place), .duplicateIdentifier(_, let place): place
    }
  }
}

extension PointCloudFileError: CustomStringConvertible {
  /// A sentence with the line or the offset.
  public var description: String {
    switch self {
    case .unknownFormat: "no point cloud of a known format begins \(place)"
    case .malformed(let why, _), .malformedBytes(let why, _): "\(why) \(place)"
    case .truncated(let found, let expected, _): "the file ends \(place), after \(found) of \(expected) points"
    case .tooManyPoints(let limit, _): "the file has more than \(limit) points \(place)"
    case .duplicateIdentifier(let identifier, _): "a second point has the identifier \(identifier) \(place)"
    }
  }
}

extension PointCloudFileError.Place: CustomStringConvertible {
  /// "in line 3", "at byte 17".
  public var description: String {
    switch self {
    case .line(let line): "in line \(line)"
    case .byte(let offset): "at byte \(offset)"
    }
  }
}
