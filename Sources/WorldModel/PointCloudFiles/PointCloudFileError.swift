/// Why a point-cloud file could not be read, and where.
public enum PointCloudFileError: Error, Hashable, Sendable {
  /// The format is none of those that are known.
  case unknownFormat
  /// Line `line`, counted from 1, is not what the format asks for; the text says why.
  case malformed(String, line: Int)
  /// The bytes at `offset`, counted from 0, are not what the format asks for; the text says why.
  case malformedBytes(String, offset: Int)
  /// The file ends, after `offset` bytes, before all of its `expected` points; it has `found`.
  case truncated(found: Int, expected: Int, offset: Int)
  /// More points than ``Limits/points``.
  case tooManyPoints(limit: Int)
  /// Two points have this identifier.
  case duplicateIdentifier(UInt64)
}

extension PointCloudFileError: CustomStringConvertible {
  /// A sentence with the line or the offset.
  public var description: String {
    switch self {
    case .unknownFormat: "the file is no point cloud of a known format"
    case .malformed(let why, let line): "\(why) in line \(line)"
    case .malformedBytes(let why, let offset): "\(why) at byte \(offset)"
    case .truncated(let found, let expected, let offset):
      "the file ends at byte \(offset), after \(found) of \(expected) points"
    case .tooManyPoints(let limit): "the file has more than \(limit) points"
    case .duplicateIdentifier(let identifier): "two points have the identifier \(identifier)"
    }
  }
}
