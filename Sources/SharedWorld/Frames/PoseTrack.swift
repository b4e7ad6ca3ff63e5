import PeerProtocol
import WorldModel

/// Where this device was of late, in one frame: as many poses as it tells in a second.
struct PoseTrack {
  private var frame: WorldFrame?
  /// By session time (milliseconds).
  private var samples: [(time: UInt64, transform: Transform)] = []

  private static let most = 64
  /// Poses farther apart are not joined (milliseconds).
  private static let gap: UInt64 = 250

  /// Adds a pose, later than those before; nil ends the track.
  mutating func add(_ transform: Transform?, at time: UInt64, in frame: WorldFrame) {
    // Session time steps when sessions merge: what was before is not comparable.
    if self.frame != frame || samples.last.map({ $0.time > time }) == true { samples = [] }
    self.frame = frame
    guard let transform else { return samples = [] }
    if samples.last?.time == time { samples.removeLast() }
    if samples.count == Self.most { samples.removeFirst() }
    samples.append((time, transform))
  }

  /// Where the device was at a session time, between two poses.
  ///
  /// Outside the track, and where poses are far apart, it is the last one: a device that tells poses now and then stands still where
  /// it said last, and clocks of peers differ by more than a moment.
  /// - Returns: Nil without a pose in this frame.
  func pose(at time: UInt64, in frame: WorldFrame) -> Transform? {
    guard frame == self.frame, let last = samples.last else { return nil }
    guard let next = samples.firstIndex(where: { $0.time >= time }), next > 0 else { return last.transform }
    let (before, after) = (samples[next - 1], samples[next])
    guard after.time - before.time <= Self.gap else { return last.transform }
    let share = Float(time - before.time) / Float(after.time - before.time)
    return before.transform.blended(with: after.transform, share)
  }
}

extension Transform {
  /// A rigid transform between this one (0) and another one (1): both turns must be less than a right angle apart, else the nearer
  /// one is the result.
  fileprivate func blended(with other: Transform, _ share: Float) -> Transform {
    let (one, two) = (columns, other.columns)
    guard (one.0 * two.0).sum() > 0, (one.1 * two.1).sum() > 0, (one.2 * two.2).sum() > 0 else {
      return share < 0.5 ? self : other
    }
    let mixed = Transform(
      columns: (
        one.0 + (two.0 - one.0) * share, one.1 + (two.1 - one.1) * share, one.2 + (two.2 - one.2) * share,
        one.3 + (two.3 - one.3) * share
      ))
    // Makes the axes orthonormal again.
    return FrameMotion(mixed).transform
  }
}
