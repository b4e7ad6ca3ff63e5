/// The peers that must hold an edit before the call that made it returns.
///
/// The edit is made at once, whatever is awaited. A call that ends with an error after that, because the time was up or the
/// task was cancelled, takes nothing back. An edit that one peer has acknowledged survives as long as that peer.
public struct Acknowledgement: Hashable, Sendable {
  /// A group of peers to wait for.
  public enum Level: Hashable, Sendable {
    /// Nobody.
    case local
    /// The session's host: the one of the moment, or, when it is replaced meanwhile, its successor.
    case host
    /// Every peer that was in the session when the edit was made; one that leaves or is lost is waited for no longer.
    case everyPresentMember
  }

  /// The peers to wait for.
  public let level: Level
  /// How long, at most.
  public let timeout: Duration

  /// Returns as soon as the edit is in the local set.
  public static let local = Acknowledgement(level: .local, timeout: .zero)
  /// Waits up to 10 s for the host.
  public static let host = Acknowledgement(level: .host, timeout: .seconds(10))
  /// Waits up to 10 s for every peer that is in the session.
  public static let everyPresentMember = Acknowledgement(level: .everyPresentMember, timeout: .seconds(10))

  /// The same level with another limit of time.
  public func within(_ timeout: Duration) -> Acknowledgement { Acknowledgement(level: level, timeout: timeout) }
}
