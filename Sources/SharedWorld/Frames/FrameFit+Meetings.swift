import Glibc
public import WorldModel

extension FrameFit {
  /// Two devices held together: the poses of both at one moment.
  public struct Meeting: Hashable, Sendable {
    /// The pose of the other device, in the frame that is measured.
    public var source: Transform
    /// The pose of this device, in the frame in which it is measured.
    public var target: Transform

    /// A meeting of two devices.
    public init(source: Transform, target: Transform) { (self.source, self.target) = (source, target) }
  }

  /// The part of two poses that is equal when devices meet.
  public enum Hold: String, Hashable, Sendable {
    /// The devices lie on each other and look the same way: position and heading are equal, within 3 cm and 3°.
    case together
    /// The devices touch, and each looks where it likes: the positions are equal, within 3 cm.
    case touching
  }

  /// The deviation of a coordinate (metres) and of a turn (radians) when users hold two devices together.
  private static let grip = 0.03
  private static let twist = 0.05

  /// The transform that makes the poses of devices that met equal.
  ///
  /// One meeting held ``Hold/together`` is enough, and places what is 3 m away within 15 cm; each further one at another place makes
  /// it surer. Where gravity is known the tilt of the devices does not count.
  /// - Parameters:
  ///   - meetings: Held ``Hold/touching``, two that are not above each other where both devices know gravity, else three that are not
  ///     on a line.
  ///   - hold: How the devices are held when they meet.
  ///   - hasGravity: Whether y is straight up in both frames.
  /// - Throws: ``SessionError`` with the code `notDetermined` while the meetings leave a turn open, or `invalidArgument` for poses
  ///   that are not rigid.
  public init(meetings: [Meeting], hold: Hold = .together, hasGravity: Bool = true) throws(SessionError) {
    for meeting in meetings where !meeting.source.isRigid || !meeting.target.isRigid {
      throw SessionError(.invalidArgument, "the pose of a device that met another one is not rigid")
    }
    switch hold {
    case .touching:
      let points = meetings.map { Point(source: $0.source.translation, target: $0.target.translation) }
      try self.init(points: points, hasGravity: hasGravity, noise: Self.grip)
    case .together:
      try self.init(together: meetings, hasGravity)
    }
  }

  /// The transform by the latest meetings that agree, of those in the order in which they were.
  ///
  /// Meetings that all together differ by more than twice their kind are of a frame that has drifted, or of a device that was
  /// held badly. The earlier ones are dropped once three later ones agree, or four where touching devices know no gravity; until then
  /// all of them count, as unsure as they are.
  init(latest meetings: [Meeting], hold: Hold, hasGravity: Bool) throws(SessionError) {
    let all = try Self(meetings: meetings, hold: hold, hasGravity: hasGravity)
    // Two may agree by chance: a turn explains that one is beside the other.
    let fewest = hold == .touching && !hasGravity ? 4 : 3
    var count = meetings.count
    var fit = all
    while !fit.agrees, count > fewest {
      count -= 1
      guard let later = try? Self(meetings: meetings.suffix(count), hold: hold, hasGravity: hasGravity) else { break }
      fit = later
    }
    self = fit.agrees ? fit : all
  }

  /// Whether the meetings of this fit differ by at most twice what their kind does.
  private var agrees: Bool { position <= 2 * Self.grip * (3 / Double(observations)).squareRoot() }

  private init(together meetings: [Meeting], _ hasGravity: Bool) throws(SessionError) {
    let fit = try RigidMeasurement(meetings.flatMap(\.pairs), hasGravity)
    let count = Double(meetings.count)
    let gaps = meetings.map { $0.gap(after: fit.transform, hasGravity) }
    let squares = gaps.reduce(0) { $0 + $1.distance * $1.distance }
    let turns = gaps.reduce(0) { $0 + $1.turn * $1.turn }
    // Meetings that do not fit each other are less sure than their kind.
    let freedom = max(1, 3 * count - (hasGravity ? 4 : 6))
    let surprise = max(1, (squares / freedom).squareRoot() / Self.grip, (turns / count).squareRoot() / Self.twist)
    let center = meetings.reduce(SIMD3<Float>.zero) { $0 + $1.target.translation } / Float(meetings.count)
    let spread = meetings.reduce(0.0) { sum, meeting in
      let arm = meeting.target.translation - center
      // Only what lies beside each other tells of a turn about the vertical.
      return sum + Double(arm.x * arm.x + arm.z * arm.z + (hasGravity ? 0 : arm.y * arm.y))
    }
    let knowledge = count / (Self.twist * Self.twist) + spread / (Self.grip * Self.grip)
    self.init(
      transform: fit.transform, center: center, position: surprise * Self.grip * (3 / count).squareRoot(),
      orientation: surprise * ((hasGravity ? 1 : 3) / knowledge).squareRoot(),
      residual: (squares / count).squareRoot(), observations: meetings.count)
  }

  /// How far from a device the points are that stand for its axes, so that six of a sixth of the weight count as one position with
  /// the deviation ``grip`` and one turn with ``twist`` (metres).
  fileprivate static let arm = Float((1.5).squareRoot() * grip / twist)
}

extension FrameFit.Meeting {
  /// Both poses as pairs of points on their axes.
  fileprivate var pairs: [RigidMeasurement.Pair] {
    let (one, other) = (source.columns, target.columns)
    return [(one.0, other.0), (one.1, other.1), (one.2, other.2)].flatMap { axis, otherAxis in
      [FrameFit.arm, -FrameFit.arm].map { arm in
        RigidMeasurement.Pair(
          source: source.translation + axis.xyz * arm, target: target.translation + otherAxis.xyz * arm,
          weight: 1 / 6)
      }
    }
  }

  /// How far the poses are apart once the source is moved (metres, and radians about the vertical or any axis).
  fileprivate func gap(after motion: Transform, _ hasGravity: Bool) -> (distance: Double, turn: Double) {
    let moved = motion * source
    let shift = moved.translation - target.translation
    let turn = target * moved.inverse
    let (x, y, z) = (turn.columns.0, turn.columns.1, turn.columns.2)
    // The matrix of a turn by θ about y has cos θ at x.x and z.z, sin θ at z.x and −sin θ at x.z.
    let angle =
      hasGravity
      ? atan2(Double(z.x - x.z), Double(x.x + z.z)) : acos(min(1, max(-1, Double(x.x + y.y + z.z - 1) / 2)))
    return (Double((shift * shift).sum()).squareRoot(), angle)
  }
}
