import PeerCLI
import SharedWorld

/// News of anchors for people: many of others that come within a moment, as those of a map, are counted and not listed.
struct AnchorNews {
  struct Arrival {
    let pin: Report.Pin
    let author: Report.Person?
    let origin: AnchorOrigin
  }

  /// The anchors of one peer that are still listed.
  static let mostListed = 3
  /// How long those that come together are gathered, at most.
  static let moment = Duration.milliseconds(250)

  /// The names of the anchors, as they were last told of.
  var names: [AnchorID: String] = [:]
  private var gathered: [Arrival] = []

  /// Adds one; returns whether it is the first, with which a moment begins.
  mutating func add(_ arrival: Arrival) -> Bool {
    gathered.append(arrival)
    return gathered.count == 1
  }

  /// Takes what has come, for people: each author's together, in the order of the first ones.
  mutating func take() -> [Report] {
    defer { gathered.removeAll() }
    var authors: [Report.Person?] = []
    for arrival in gathered where !authors.contains(arrival.author) { authors.append(arrival.author) }
    return authors.flatMap { author -> [Report] in
      let own = gathered.filter { $0.author == author }
      guard own.count > Self.mostListed else { return own.map { .anchorAdded($0.pin, origin: $0.origin) } }
      return [.anchorsAdded(own.map(\.pin), of: author)]
    }
  }
}
