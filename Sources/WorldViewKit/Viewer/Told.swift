import SharedWorld

/// The anchors as one page has been told of them, so that it hears of each once: a session may have thousands.
struct ToldAnchors: Sendable {
  /// How the anchors differ from what the page knew.
  struct Changes: Sendable {
    /// Whether the page knew nothing, or another beginning.
    let isWhole: Bool
    let changed: [Anchor]
    let removed: [AnchorID]
  }

  private var known: [AnchorID: Anchor] = [:]
  private var isFirst = true

  /// Counts the anchors as told, and gives what is new of them.
  mutating func tell(_ anchors: ArraySlice<Anchor>) -> Changes {
    let changed = anchors.filter { known[$0.id] != $0 }
    let here = Set(anchors.map(\.id))
    let removed = known.keys.filter { !here.contains($0) }
    for id in removed { known[id] = nil }
    for anchor in changed { known[anchor.id] = anchor }
    defer { isFirst = false }
    return Changes(isWhole: isFirst, changed: Array(changed), removed: removed)
  }
}
