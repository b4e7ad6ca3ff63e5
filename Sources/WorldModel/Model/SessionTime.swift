/// A moment of the time that all members of a session share: it begins when the session's first host does.
public struct SessionTime: Hashable, Comparable, Sendable {
  /// Milliseconds since the session's first host began.
  public var milliseconds: UInt64

  /// The moment so long after the beginning.
  public init(milliseconds: UInt64) { self.milliseconds = milliseconds }

  /// The moment at which the session's first host began.
  public static let zero = SessionTime(milliseconds: 0)

  /// Whether one moment is before the other.
  public static func < (one: Self, other: Self) -> Bool { one.milliseconds < other.milliseconds }

  /// How long after `earlier` this is; zero if it is before.
  public func duration(since earlier: Self) -> Duration {
    .milliseconds(milliseconds > earlier.milliseconds ? milliseconds - earlier.milliseconds : 0)
  }
}
