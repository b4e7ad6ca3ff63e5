/// Why an archive of ARKit could not be read, and where.
@nonexhaustive
public enum ARKitArchiveError: Error, Hashable, Sendable {
  /// The file is larger than ``ARKitArchive/largestFile``.
  case tooLarge(limit: Int)
  /// The bytes at `offset`, counted from 0, are not what a binary property list has there; the text says why.
  case malformedList(String, offset: Int)
  /// The objects of the archive do not fit together; the text says why.
  case malformedArchive(String)
  /// No object of the archive is an `ARWorldMap`.
  case noWorldMap
  /// An anchor cannot be read: its number in the archive, counted from 1, and the reason.
  case malformedAnchor(Int, String)
}

extension ARKitArchiveError: CustomStringConvertible {
  /// A sentence with the place of the fault.
  public var description: String {
    switch self {
    case .tooLarge(let limit): "the archive has more than \(limit) bytes; no map of a device is that large"
    case .malformedList(let why, let offset): "not a sound property list: \(why) at byte \(offset)"
    case .malformedArchive(let why): "not a sound archive: \(why)"
    case .noWorldMap: "the archive holds no ARWorldMap; save one with NSKeyedArchiver on the device"
    case .malformedAnchor(let number, let why): "anchor \(number) of the archive: \(why)"
    }
  }
}
