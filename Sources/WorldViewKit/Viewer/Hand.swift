import SharedWorld

/// The anchors that users of the page are dragging.
struct Hand {
  /// How long an anchor stays in the hand of a page that sends nothing.
  private static let patience = Duration.seconds(10)

  /// An anchor in the hand.
  struct Held {
    let drag: Drag
    /// Where it was taken.
    let origin: Transform
    fileprivate var latest: ContinuousClock.Instant
  }

  private var held: [AnchorID: Held] = [:]

  /// An anchor that is in the hand; nil when it is not.
  mutating func find(_ anchor: AnchorID) -> Held? {
    held[anchor]?.latest = .now
    return held[anchor]
  }

  /// Takes an anchor.
  mutating func take(_ drag: Drag, from origin: Transform) -> Held {
    let taken = Held(drag: drag, origin: origin, latest: .now)
    held[drag.anchor] = taken
    return taken
  }

  /// Lets an anchor go.
  mutating func release(_ anchor: AnchorID) { held[anchor] = nil }

  /// Lets go what pages that are gone have held.
  mutating func releaseAbandoned() { held = held.filter { $0.value.latest + Self.patience > .now } }
}
