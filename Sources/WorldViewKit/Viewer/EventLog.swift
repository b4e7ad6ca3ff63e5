import SharedWorld

/// The latest events of a session as lines for people, oldest first.
struct EventLog {
  /// Lines that are kept.
  private static let limit = 40

  private(set) var lines: [String] = []

  /// Adds the line of an event, if it has one: what moves many times a second has none.
  mutating func record(_ event: Session.Event) {
    guard let line = Self.line(event) else { return }
    // A hundred moves of one anchor are one line.
    if lines.last == line { return }
    lines.append(line)
    if lines.count > Self.limit { lines.removeFirst() }
  }

  private static func line(_ event: Session.Event) -> String? {
    switch event {
    case .peerJoined, .peerReconnecting, .peerReconnected, .peerLeft, .hostChanged, .lockChanged, .roleChanged,
      .sessionMerged, .mapReceived, .mapFailed, .problem, .anchorAdded, .anchorUpdated, .anchorRemoved, .editSuperseded,
      .fieldOverwritten, .ended:
      event.description
    // The page shows the others in places of their own, or they come many times a second.
    default: nil
    }
  }
}
