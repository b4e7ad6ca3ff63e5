import WorldModel

/// An operation that writes a pose, read in place: by far the most frequent one, at fixed offsets.
///
/// Layout: code 1, clock 8, [key's actor 16], key's number 8, base clock 8, pose 48.
struct PoseOperation {
  let clock: UInt64
  /// The actor of the key; nil when it is the operation's own.
  let foreignActor: ActorID?
  let keySequence: UInt64
  let base: UInt64
  /// Where the pose begins.
  let poseOffset: Int
  /// Where the next operation begins.
  let end: Int

  /// Bytes before the pose, when the key is the operation's own.
  static let headCount = 25

  /// Reads an operation at `offset`; nil when another kind of operation, or not enough bytes, are there.
  @inline(__always)
  init?(_ bytes: RawSpan, at offset: Int) {
    guard offset + Self.headCount + Pose.byteCount <= bytes.byteCount else { return nil }
    let code = unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self)
    guard code & ~OperationCode.foreignKey == OperationCode.setPose else { return nil }
    clock = bytes.unsafeLong(at: offset + 1)
    if code & OperationCode.foreignKey == 0 {
      foreignActor = nil
      keySequence = bytes.unsafeLong(at: offset + 9)
      base = bytes.unsafeLong(at: offset + 17)
      poseOffset = offset + Self.headCount
    } else {
      poseOffset = offset + Self.headCount + 16
      guard poseOffset + Pose.byteCount <= bytes.byteCount else { return nil }
      foreignActor = bytes.unsafeActor(at: offset + 9)
      keySequence = bytes.unsafeLong(at: offset + 25)
      base = bytes.unsafeLong(at: offset + 33)
    }
    end = poseOffset + Pose.byteCount
  }

  /// Whether its values are allowed for the operation `dot`; the slow path names the defect.
  @inline(__always)
  func isValid(_ bytes: RawSpan, for actor: ActorID, sequence: UInt64) -> Bool {
    guard clock <= HybridClock.maximum, base <= HybridClock.maximum, 1...Dot.maximumSequence ~= keySequence else {
      return false
    }
    guard foreignActor.map({ $0 != actor }) ?? (keySequence < sequence) else { return false }
    return Pose(wire: bytes, at: poseOffset) != nil
  }
}
