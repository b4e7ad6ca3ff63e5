import SharedWorld

/// A line that a user writes to all members.
struct ChatLine: Codable, Sendable {
  let text: String

  /// Bytes of a line.
  static let limit = 2000
  /// Where pages read them.
  static let endpoint = "worldview/chat"
}

/// A user asks all others to look at something: the placement of the message is that of the camera.
struct LookHere: Codable, Sendable {
  /// How far ahead of the camera it is (metres).
  let distance: Float

  /// Where pages read them.
  static let endpoint = "worldview/look"
}

/// How a map is shown at the peer that has shared it, which its points do not say.
struct SharedView: Codable, Equatable, Sendable {
  let map: String
  /// The axis that is up.
  let up: String
  /// The place in the frame of the map's file that is (0, 0, 0) of the map (metres).
  let origin: [Double]

  /// Where pages read them.
  static let endpoint = "worldview/view"
}

/// A user points at a place: the placement of the message, which has none where the pointer has left.
struct Pointing: Codable, Sendable {
  /// Where pages read them; of one user the latest counts.
  static let endpoint = "worldview/pointer"
}

/// The lines of the members' users since this program began, and the last place to which one called the others.
struct Talk {
  /// Lines that are kept.
  private static let limit = 200

  struct Line: Identifiable, Equatable {
    /// Each line has the next one.
    let id: Int
    let author: PeerID
    let text: String
  }

  struct Call {
    let number: Int
    let author: PeerID
    let camera: Transform
    let distance: Float
  }

  /// Oldest first.
  private(set) var lines: [Line] = []
  private(set) var call: Call?
  /// The view that each peer told last.
  private(set) var views: [PeerID: SharedView] = [:]
  private var count = 0

  mutating func hear(_ text: String, from author: PeerID) {
    count += 1
    lines.append(Line(id: count, author: author, text: text))
    if lines.count > Self.limit { lines.removeFirst() }
  }

  mutating func hear(_ view: SharedView, from author: PeerID) { views[author] = view }

  mutating func hear(_ camera: Transform, _ distance: Float, from author: PeerID) {
    count += 1
    call = Call(number: count, author: author, camera: camera, distance: distance)
  }
}
