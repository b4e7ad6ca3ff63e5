import SharedWorld
import PeerCLI

/// The parts of a list as one page has been told of them, so that it hears of each once: a session may have thousands of anchors.
struct Told<Part: Identifiable & Equatable & Sendable>: Sendable where Part.ID: Sendable {
  /// How the list differs from what the page knew.
  struct Changes {
    /// Whether the page knew nothing.
    let isWhole: Bool
    let changed: [Part]
    let removed: [Part.ID]

    /// The same as the page reads it (delta.js).
    func json(_ part: (Part) -> JSON, _ id: (Part.ID) -> JSON) -> JSON {
      ["isWhole": .bool(isWhole), "changed": .array(changed.map(part)), "removed": .array(removed.map(id))]
    }
  }

  private var known: [Part.ID: Part] = [:]
  private var isFirst = true

  /// Counts the parts as told, and gives what is new of them.
  mutating func tell(_ parts: some Collection<Part>) -> Changes {
    let changed = parts.filter { known[$0.id] != $0 }
    let here = Set(parts.map(\.id))
    let removed = known.keys.filter { !here.contains($0) }
    for id in removed { known[id] = nil }
    for part in changed { known[part.id] = part }
    defer { isFirst = false }
    return Changes(isWhole: isFirst, changed: changed, removed: removed)
  }
}

/// The lists of a page's state, which may be long.
struct PageLists {
  /// The anchors of the session that a page shows.
  var anchors: ArraySlice<Anchor> = []
  /// The anchors of the file of a map that was not sent.
  var filed: ArraySlice<Anchor> = []
  /// The lines of the members' users.
  var chat: [Talk.Line] = []
}

/// These lists as one page has been told of them.
struct ToldLists: Sendable {
  var anchors = Told<Anchor>()
  var filed = Told<Anchor>()
  var chat = Told<Talk.Line>()
}
