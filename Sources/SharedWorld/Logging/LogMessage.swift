/// A line for the app's log: what the library would print, if it printed.
///
/// ``Session/Configuration/log`` receives them. They are for people: the wording changes with versions, so decide by
/// ``Session/events`` and by errors.
public struct LogMessage: Hashable, Sendable {
  /// How much it matters.
  @nonexhaustive
  public enum Level: Int, Hashable, Comparable, Sendable {
    /// Usual on a network: a dial that fails, a stranger that is turned away.
    case debug
    /// Worth knowing: something works again.
    case info
    /// Something does not work, or the app does not do its part; the session goes on.
    case warning

    /// Whether the first matters less.
    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  /// The part of the library that it comes from.
  @nonexhaustive
  public enum Subsystem: String, Hashable, Sendable {
    /// Finding peers.
    case discovery
    /// Connections.
    case transport
    /// Those who want to come in.
    case admission
    /// Members, anchors, messages and maps.
    case session
    /// Files of the session.
    case storage
    /// The app's own part.
    case app
  }

  /// How much it matters.
  public let level: Level
  /// The part of the library that it comes from.
  public let subsystem: Subsystem
  /// The message, in one line.
  public let text: String
  /// Messages of the same kind that were left out before this one, because they came too often.
  public let suppressed: Int
}

extension LogMessage: CustomStringConvertible {
  /// Level, subsystem, text, and how many were left out.
  public var description: String {
    "\(level) \(subsystem.rawValue): \(text)" + (suppressed > 0 ? " (\(suppressed) more like this were left out)" : "")
  }
}
