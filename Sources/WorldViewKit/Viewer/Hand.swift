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
    /// Where it is now.
    fileprivate(set) var place: Transform
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
    let taken = Held(drag: drag, origin: origin, place: origin, latest: .now)
    held[drag.anchor] = taken
    return taken
  }

  /// An anchor in the hand is somewhere else.
  mutating func move(_ anchor: AnchorID, to place: Transform) { held[anchor]?.place = place }

  /// Lets an anchor go.
  mutating func release(_ anchor: AnchorID) { held[anchor] = nil }

  /// Lets go what pages that are gone have held, and returns it.
  mutating func releaseAbandoned() -> [Held] {
    let abandoned = held.values.filter { $0.latest + Self.patience <= .now }
    for one in abandoned { release(one.drag.anchor) }
    return abandoned
  }
}
