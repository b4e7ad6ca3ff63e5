/// Why a resource did not come to a peer.
@nonexhaustive
public enum ResourceFailure: UInt8, Error, Sendable, Hashable, CaseIterable {
  /// The receiver's app declined it.
  case declined = 16
  /// The sender took it back.
  case withdrawn = 17
  /// The receiver's app gave it up.
  case cancelled = 18
  /// The receiver's app did not answer within ten minutes.
  case unanswered = 19
  /// Nothing more of it came for two minutes.
  case stalled = 20
  /// The receiver's disk is full.
  case diskFull = 21
  /// The receiver's system refuses to write it.
  case unwritable = 22
  /// The sender cannot read it any more, or it has changed since it was offered.
  case unreadable = 23
  /// The bytes that came are not those that were offered.
  case corrupt = 24
  /// The receiver has too many offers or transfers.
  case busy = 25
  /// The other peer left the session.
  case left = 26
  /// The other peer was removed from the session.
  case kicked = 27
  /// The other peer could not be reached within the time after which it counts as lost.
  case lost = 28
  /// The other peer's process restarted.
  case restarted = 29
  /// The other peer is a member to which there is no direct connection.
  case notLinked = 30
  /// This peer's own part in the session ended.
  case ended = 31

  /// A word in kebab case, the same in every version.
  public var word: String {
    switch self {
    case .declined: "declined"
    case .withdrawn: "withdrawn"
    case .cancelled: "cancelled"
    case .unanswered: "unanswered"
    case .stalled: "stalled"
    case .diskFull: "disk-full"
    case .unwritable: "unwritable"
    case .unreadable: "unreadable"
    case .corrupt: "corrupt"
    case .busy: "busy"
    case .left: "left"
    case .kicked: "kicked"
    case .lost: "lost"
    case .restarted: "restarted"
    case .notLinked: "not-linked"
    case .ended: "ended"
    }
  }
}

extension ResourceFailure: CustomStringConvertible {
  /// The word.
  public var description: String { word }
}
